// The program beside the picture: view.code = {rows: [[html, nodes, edges], ...], at: [the row of each stop]}.
// A chosen row lights its nodes and edges; a chosen node selects its rows; the row that is running is the current one.

function program({ view, lane, stage, light, unpick, go }) {
  const { rows, at } = view.code, list = make("div", { className: "mg-code" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-multiselectable", true);
  list.setAttribute("aria-label", "The pass as a program; Enter goes to the message of a line");
  const lines = rows.map(([html, nodes], i) => {
    const line = make("div", { innerHTML: html || "<br>", className: html ? "" : "mg-gap" });
    if (!html) return line;
    line.setAttribute("role", "option");
    line.tabIndex = -1;
    if (nodes.length) line.title = nodes.map((n) => lane.cards[n]?.head).filter(Boolean).join(", ");
    line.onfocus = () => choose(i);
    line.onclick = () => line.focus({ preventScroll: true });
    line.ondblclick = () => visit(i);
    return line;
  });
  list.append(...lines);
  const options = lines.filter((line) => line.tabIndex === -1 && line.getAttribute("role"));

  function select(chosen) {
    lines.forEach((line, i) => line.getAttribute("role") && line.setAttribute("aria-selected", chosen(i)));
  }

  // The one Tab stop of the list; it is kept in sight by scrolling the list, never the page.
  function stand(i) {
    options.forEach((line) => { line.tabIndex = line === lines[i] ? 0 : -1; });
    const top = lines[i].offsetTop, bottom = top + lines[i].offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 24;
    if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 24;
  }

  function choose(i) {
    unpick();
    select((k) => k === i);
    light(rows[i][1], rows[i][2]);
    stand(i);
  }

  function visit(i) {
    if (at.includes(i)) go(at.indexOf(i));
  }

  list.addEventListener("keydown", (e) => {
    const here = options.indexOf(document.activeElement), end = options.length - 1;
    const to = { ArrowUp: here - 1, ArrowDown: here + 1, Home: 0, End: end }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey || (to === undefined && e.key !== "Enter")) return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key === "Enter") visit(lines.indexOf(options[here]));
    else options[Math.max(0, Math.min(end, to))].focus({ preventScroll: true });
  });

  stand(lines.indexOf(options[0]));
  return {
    element: make("div", { className: "mg-desk" }, stage, list),
    shown(k) {
      lines.forEach((line, i) => (i === at[k] ? line.setAttribute("aria-current", "step") : line.removeAttribute("aria-current")));
      if (at[k] >= 0 && !list.contains(document.activeElement)) stand(at[k]);
    },
    picked(ids) {
      light([], []);
      select((i) => rows[i][1].some((n) => ids.includes(n)));
      const first = rows.findIndex(([, nodes]) => nodes.some((n) => ids.includes(n)));
      if (first >= 0) stand(first);
    },
  };
}

export default { render: (it) => render({ ...it, part: program }) };
