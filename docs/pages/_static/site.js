// Code and tables that are wider than the page are scrolled with the keys as well.
const reach = () => {
  for (const block of document.querySelectorAll("pre, .table-wrapper")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
