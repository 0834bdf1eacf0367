// Code that is wider than the page is scrolled with the keys as well.
const reach = () => {
  for (const block of document.querySelectorAll("pre")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
