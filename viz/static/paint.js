// The picture of a lane at a moment: adjoints in boxes, messages at lines, and which of them are new or nan.

function paint(lane, f) {
  for (const [n, groups] of lane.nodes) for (const g of groups) {
    const slot = g.querySelector(".g"), list = g.classList;
    list.toggle("now", f.active !== null && g.dataset.n.split(" ").includes(String(f.active)));
    const strip = g.querySelector(".j");
    if (strip) stripped(strip, f.cells.get(n));
    if (!slot) continue;
    const state = !f.adjoint.has(n) ? "none" : f.done.has(n) ? "done" : "part";
    for (const c of ["none", "part", "done"]) list.toggle(c, c === state);
    list.toggle("bad", f.bad.has(n));
    write(slot, state === "none" ? (f.over ? "ḡ none" : "ḡ not yet") : `ḡ ${f.adjoint.get(n)}${state === "part" ? " …" : ""}`);
  }
  for (const [g, ids] of lane.lines) {
    const sent = ids.filter((e) => f.sent.has(e));
    g.classList.toggle("sent", sent.length > 0);
    g.classList.toggle("now", ids.some((e) => f.now.has(e)));
    g.classList.toggle("bad", sent.some((e) => f.sent.get(e)[1] & BAD_MESSAGE));
    const many = g.dataset.c || ids.length, few = sent.length ? f.sent.get(sent[0])[0] : many > 8 ? `${many} edges` : "";
    write(g.querySelector(".m"), sent.length && (g.dataset.c || sent.length > 1) ? `${g.dataset.c || sent.length} messages` : few);
  }
}
