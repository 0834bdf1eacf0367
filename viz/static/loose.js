// The lanes as the player has them, from the form in which packing.py saves them.
(lanes) => {
  const summed = (numbers, sum = 0) => numbers.map((n) => (sum += n));
  const known = (cells) => Object.fromEntries(cells.flatMap((c, i) => (c < 0 ? [] : [[i, c]])));
  for (const lane of lanes) {
    const { stops, drag, cards: { "": nodes, ...details } } = lane;
    lane.stops = (stops[0] || []).map((_, k) => stops.map((column) => column[k]));
    lane.cards = Object.fromEntries(summed(nodes).map((n, k) =>
      [n, Object.fromEntries(Object.entries(details).map(([key, list]) => [key, list[k]]).filter(([, value]) => value))]));
    if (!drag) continue;
    const ends = summed(drag.edges.map(([, to]) => to)), slopes = {}, adjoints = {};
    let edge = 0, node = 0, cell = 0, value = 0;
    // A cell is saved as how far it is behind. Of the data of instructions only what fills a `take` may be below 0.
    drag.code = drag.code.map(([name, ...args], k) =>
      [name, ...args.map((a, i) => (Number.isInteger(a) && a < 0 && !(name === "take" && i) ? a + k : a))]);
    drag.nodes = known(summed(drag.nodes));
    drag.local = known(drag.local);
    drag.edges = drag.edges.map(([from, , ...rest], i) => [from + ends[i], ends[i], ...rest]);
    drag.steps = drag.steps.map(([n, ghost, c, sent]) => [(node += n), ghost, (cell += c),
      sent.map(([e, ...cells]) => [(edge += e), ...cells.map((x) => x + cell)])]);
    for (const n in lane.cards) lane.cards[n].name ??= `${drag.ops[n][0]}#${n}`;
    drag.edges.forEach(([from, to, formula, , onCard], i) => {
      const card = lane.cards[to];
      if (!formula || !onCard || !card) return;
      const slope = drag.values[value++], name = lane.cards[from]?.name ?? drag.names[from];
      (card.local ??= []).push(`for ${name}: ${formula}` + (slope && " = " + slope));
      slopes[i] = slope || formula;
    });
    for (const row of lane.stops) {
      const [step, from, edge, to, message, after] = row, [, , formula, way] = drag.edges[edge] || [];
      if (row[6] === 1) row[6] = `${adjoints[from]} · ${slopes[edge]} = ${message}`;
      row[8] = row[8].replace("\ue005", way > 1 ? `ḡ · (${formula})` : way ? `ḡ · ${formula}` : formula);
      adjoints[step < 0 ? from : to] = after || message;
    }
  }
}
