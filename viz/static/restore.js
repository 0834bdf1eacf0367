// The lanes as the player has them, from the form in which viz/hosts/saved.py saves them: columns() undone, and of
// the frames what is found from their items.
function restored(lanes) {
  const mapped = (object, f) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]));
  const forms = [
    (...items) => items.map(back),
    (item, n) => Array.from({ length: n }, () => back(item)),
    (period, steps) => back(steps).reduce((all, step, i) => [all.push(step + (all[i - period] ?? 0)), all][1], []),
    (texts, numbers) => ((ends) => back(texts).map((text, i) => text + (ends[i] < 0 ? "" : ends[i])))(back(numbers)),
    (n, keyed) => ((found) => Array.from({ length: n }, (_, i) => mapped(found, (column) => column[i])))(mapped(keyed, back)),
    (lengths, items) => ((all, at) => back(lengths).map((n) => all.slice(at, (at += n))))(back(items), 0),
    (lengths, ...columns) => ((all) => back(lengths).map((n) => all.slice(0, n).map((column) => column.shift())))(columns.map(back)),
  ];
  const back = (x) => (Array.isArray(x) ? forms[x[0]](...x.slice(1)) : x && typeof x === "object" ? mapped(x, back) : x);

  for (const lane of lanes) {
    Object.assign(lane, back(lane));
    const { graph } = lane, isInput = (n) => /leaf|var|const/.test(graph.nodes[n].kind);
    lane.cards = Object.fromEntries(lane.cards.map((card, i) => [graph.nodes[i].id, Object.fromEntries(Object.entries(card).filter(([, text]) => text))]));
    const frames = Object.fromEntries(graph.frames.map((frame) => [frame.key, frame]));
    for (const frame of graph.frames.reverse()) { // those inside before those around them
      const held = frame.items.flatMap((item) => frames[item]?.nodes ?? +item.slice(1)), ops = held.filter((n) => !isInput(n));
      frame.up = frame.key.slice(0, Math.max(0, frame.key.lastIndexOf("/")));
      frame.turns = frame.word ? frame.items : [];
      frame.nodes = [...held.filter(isInput).sort((a, b) => b - a), ...ops];
      [frame.first, frame.last] = [ops[0] ?? -1, ops.at(-1) ?? -1];
      frame.holds = Object.fromEntries(frame.nodes.map((n) => [`n${n}`, true]));
      if (!frame.word) for (const key of ["carry", "word", "dtype"]) delete frame[key];
    }
    graph.frames = frames;
  }
}
