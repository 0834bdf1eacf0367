// Choosing: the pass is held at its start until the reader has chosen an edge, by a click or from a list. The model is
// told its two ends, the sender first, by their names.
function choosing({ lane, model, show, say }) {
  const named = (s) => [s[1], s[3]].map((n) => lane.cards[n].name);
  const ends = new Map(lane.stops.filter((s) => s[2] >= 0 && !(s[7] & (GHOST | VERDICT))).map((s) => [s[2], named(s)]));
  const lines = lane.lines.map(([g, ids]) => [g, ids.filter((edge) => ends.has(edge))]);
  const words = ([from, to]) => `${from} sends to ${to}`, key = (pair) => pair.join("\n");
  const list = make("select", { onchange: () => choose(list.value ? list.value.split("\n") : []) },
    make("option", { value: "", textContent: "none" }),
    ...[...new Map([...ends.values()].map((pair) => [key(pair), pair])).values()].map((pair) =>
      make("option", { value: key(pair), textContent: words(pair) })));
  const live = "widget_manager" in model;
  let chosen = model.get("chosen") ?? [];

  for (const [g, [edge]] of lines) {
    if (edge === undefined) continue;
    const broad = g.firstChild.cloneNode(); // a thin line is hard to hit
    broad.setAttribute("class", "hit");
    g.append(broad);
    g.addEventListener("click", () => choose(ends.get(edge)));
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
    asked() {
      list.value = key(chosen);
      for (const [g, ids] of lines) g.classList.toggle("pick", ids.some((edge) => key(ends.get(edge)) === key(chosen)));
      const how = live ? `You chose: ${words(chosen)}.` : `You chose: ${words(chosen)}. No kernel knows it: run the cell of this picture again.`;
      say.prepend(make("p", { textContent: chosen.length ? how : "Choose an edge: click it, or take it from the list." }));
    },
  };
}
