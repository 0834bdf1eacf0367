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
    const ends = summed(drag.edges.map(([, to]) => to));
    let edge = 0, node = 0, cell = 0;
    drag.nodes = known(summed(drag.nodes));
    drag.local = known(drag.local);
    drag.edges = drag.edges.map(([from, , ...rest], i) => [from + ends[i], ends[i], ...rest]);
    drag.steps = drag.steps.map(([n, ghost, c, sent]) => [(node += n), ghost, (cell += c),
      sent.map(([e, ...cells]) => [(edge += e), ...cells.map((x) => x + cell)])]);
  }
}
