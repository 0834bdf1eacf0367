// The program beside the picture: view.code = {rows: [[html, nodes, edges], ...], at: [the row of each stop]}.
// A chosen row lights its nodes and edges; a chosen node selects its rows; the row that is running is the current one.
// What the pointer is on, a row, a box or an arrow, marks the others of the three until it leaves.

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

  // The row of a stop: of the pass where a message is sent, in values and wiggle where a box is computed. A rule that
  // is typed is not in the program.
  function rowOf(k) {
    const stop = lane.stops[k], sent = lane.pass.indexOf(stop);
    return sent >= 0 ? at[sent] : k < lane.grown ? rows.findIndex(([, nodes]) => nodes.includes(stop[1])) : -1;
  }

  // The pointer: `near` has the boxes, arrows and rows that it is about, and a picture that is drawn again has them again.
  let near = [[], [], []];
  function mark() {
    const [nodes, edges, of] = near, inside = (f) => nodes.some((n) => frameOn(lane, f.dataset.f).holds[`n${n}`]);
    for (const g of stage.querySelectorAll(".n")) g.classList.toggle("near", nodes.includes(+g.dataset.n));
    for (const f of stage.querySelectorAll(".f:not(.open)")) f.classList.toggle("near", inside(f));
    for (const e of stage.querySelectorAll("path.e[data-e]")) {
      e.classList.toggle("near", edges.includes(+e.dataset.e));
      if (!e.nextSibling?.matches?.(".reach")) e.after(draw("path", { class: "reach", d: e.getAttribute("d"), "data-e": e.dataset.e }));
    }
    lines.forEach((line, i) => line.classList.toggle("near", of.includes(i)));
  }
  function point(...to) {
    if (`${to}` === `${near}`) return;
    near = to;
    mark();
  }
  const rowsWith = (kind, id) => rows.flatMap((row, i) => (row[kind].includes(id) ? [i] : []));
  stage.addEventListener("pointerover", ({ target }) => {
    const box = target.closest("[data-n]"), edge = target.closest("[data-e]");
    if (box) point([+box.dataset.n], [], rowsWith(1, +box.dataset.n));
    else if (edge) point([], [+edge.dataset.e], rowsWith(2, +edge.dataset.e));
    else point([], [], []);
  });
  list.addEventListener("pointerover", ({ target }) => {
    const i = lines.indexOf(target.closest(".mg-code > div"));
    i < 0 ? point([], [], []) : point(rows[i][1], rows[i][2], [i]);
  });
  for (const part of [stage, list]) part.addEventListener("pointerleave", () => point([], [], []));
  new MutationObserver(mark).observe(stage, { childList: true, subtree: true });

  function visit(i) {
    const k = lane.stops.findIndex((stop, k) => rowOf(k) === i);
    if (k >= 0) go(k);
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
      const now = rowOf(k);
      lines.forEach((line, i) => (i === now ? line.setAttribute("aria-current", "step") : line.removeAttribute("aria-current")));
      if (now >= 0 && !list.contains(document.activeElement)) stand(now);
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
