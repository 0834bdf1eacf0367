// Choosing: the pass is held at its start until the reader has chosen an edge, by a click or from a list. The model is
// told its two ends, the sender first, by their names.
function choosing({ lane, stage, model, show, say }) {
  const named = (s) => [s[1], s[3]].map((n) => lane.cards[n].name);
  const ends = new Map(lane.stops.filter((s) => s[2] >= 0 && !(s[7] & (GHOST | VERDICT))).map((s) => [s[2], named(s)]));
  const words = ([from, to]) => `${from} sends to ${to}`, key = (pair) => pair.join("\n");
  const list = make("select", { onchange: () => choose(list.value ? list.value.split("\n") : []) },
    make("option", { value: "", textContent: "none" }),
    ...[...new Map([...ends.values()].map((pair) => [key(pair), pair])).values()].map((pair) =>
      make("option", { value: key(pair), textContent: words(pair) })));
  const live = "widget_manager" in model;
  let chosen = model.get("chosen") ?? [];

  stage.addEventListener("click", (e) => {
    const edge = e.target.closest(".aim")?.dataset.edge;
    if (edge !== undefined) choose(ends.get(+edge));
  });

  // Thin lines are hard to hit: each has a broad one above it.
  function aimed() {
    for (const g of lane.svg.querySelectorAll("path.e[data-e]")) if (ends.has(+g.dataset.e)) {
      const broad = draw("path", { class: "aim", d: g.getAttribute("d"), "data-edge": g.dataset.e });
      broad.classList.toggle("pick", key(ends.get(+g.dataset.e)) === key(chosen));
      g.after(broad);
    }
  }

  function choose(pair) {
    model.set("chosen", (chosen = pair));
    model.save_changes();
    show(0);
    list.focus({ preventScroll: true });
  }

  const told = () => key(model.get("chosen") ?? []) !== key(chosen) && ((chosen = model.get("chosen")), show(0));
  model.on("change:chosen", told);
  say.after(make("label", { className: "mg-choose" }, make("span", { textContent: "The edge that you choose:" }), list));
  return {
    until: (to) => (chosen.length ? to : 0),
    repainted: aimed,
    asked() {
      list.value = key(chosen);
      const how = live ? `You chose: ${words(chosen)}.` : `You chose: ${words(chosen)}. No kernel knows it: run the cell of this picture again.`;
      say.prepend(make("p", { textContent: chosen.length ? how : "Choose an edge: click it, or take it from the list." }));
    },
  };
}
