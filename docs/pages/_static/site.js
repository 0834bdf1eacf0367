// Code and tables that are wider than the page are scrolled with the keys as well.
const reach = () => {
  for (const block of document.querySelectorAll("pre, .table-wrapper")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);

// The first page shows one of its pictures at a time. The others begin when they are chosen, and go on from where they
// were left.
for (const stage of document.querySelectorAll(".stage")) {
  const [choice, ...shown] = stage.children, buttons = [...choice.children];
  buttons.forEach((button, i) => button.addEventListener("click", () => {
    if (shown[i].localName === "template") {
      const begun = document.importNode(shown[i].content, true).firstElementChild;
      shown[i].replaceWith(begun);
      shown[i] = begun;
    }
    buttons.forEach((other, j) => other.setAttribute("aria-pressed", i === j));
    shown.forEach((part, j) => part.hidden = i !== j);
  }));
}

// From a disk a page cannot be fetched, so the search shows its results without passages.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
