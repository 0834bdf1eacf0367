// The moments of a lane, one for each position of the slider, and what the picture shows at each.
//
// A lane is one backward pass in the picture. Its stops are rows
//   [step, node, edge, to, message, adjoint, product, flags, sentence, cells of the adjoint, sum over rows or columns]
// with flags 1: ghost, 2: the message is nan or inf, 4: the adjoint is, 8: the first nan or inf appears here,
// 16: no message, but what is wrong with those of the edge, 32: the slider passes over it.

const GHOST = 1, BAD_MESSAGE = 2, BAD_ADJOINT = 4, BORN = 8, VERDICT = 16, SKIPPED = 32;

// A row as it is saved has signs for what stands in it already: message, adjoint, sender, receiver, product.
function expand(lane, [step, node, edge, to, message, adjoint, product, flags, words, ...cells]) {
  const said = [message, adjoint || message, lane.cards[node]?.name, lane.cards[to]?.name];
  const fill = (text) => text.replace(/[\ue000-\ue004]/g, (c) => said[c.charCodeAt(0) - 0xe000]);
  said[4] = fill(product);
  return [step, node, edge, to, message, said[1], said[4], flags, fill(words), ...cells];
}

// What a lane shows after stop k: the twin of timeline.frame in Python.
function frameOf(lane, k, ghosts) {
  const f = { adjoint: new Map(), cells: new Map(), late: new Set(), done: new Set(), sent: new Map(), now: new Set(), active: null };
  const last = lane.stops[k];
  lane.stops.slice(lane.grown ?? 0, k + 1).forEach((s) => {
    const [step, node, edge, to, message, adjoint, , flags, , cells] = s;
    const ghost = flags & GHOST, inside = (n) => lane.bodies.includes(n);
    if (ghost && !ghosts) return;
    if (step < 0 && node >= 0) f.adjoint.set(node, adjoint), cells && f.cells.set(node, cells);
    if (!ghost || inside(node)) f.done.add(node);
    for (const [of, first, g] of lane.seeds) if (ghosts && of === node) f.adjoint.set(first, g);
    if (edge < 0) return;
    f.sent.set(edge, [message, flags]);
    if (!ghost || inside(to)) {
      f.adjoint.set(to, adjoint);
      if (cells) f.cells.set(to, cells);
    }
    if (step === last[0] && node === last[1] && ghost === (last[7] & GHOST)) f.now.add(edge);
  });
  for (const s of lane.stops.slice(k + 1)) if (s[2] >= 0 && !(s[7] & (GHOST | VERDICT))) f.done.delete(s[3]), f.late.add(s[3]);
  if (last[0] >= 0 && (k < lane.stops.length - 1 || last[2] >= 0)) f.active = last[1];
  f.over = k === lane.stops.length - 1;
  return f;
}

// What the scene draws after stop k: the twin of Lane.state in Python. `seen` is what the reader opened and chose.
function stateOf(lane, k, ghosts, seen) {
  const f = frameOf(lane, k, ghosts), keyed = (pairs, letter) => Object.fromEntries([...pairs].map(([n, v]) => [letter + n, v]));
  const hidden = Object.entries(lane.appears || {}).filter(([, first]) => first > k).map(([n]) => [n, true]);
  const drawn = {
    gradient: keyed([...f.adjoint].map(([n, g]) => [n, f.late.has(n) ? g + "…" : g]), "n"), cells: keyed(f.cells, "n"), sent: keyed([...f.sent].map(([e, [text]]) => [e, text]), "e"),
    now: keyed([...f.now].map((e) => [e, true]), "e"), active: f.active === null ? "" : `n${f.active}`,
    hidden: keyed(ghosts ? hidden : [...hidden, ...lane.bodies.map((n) => [n, true])], "n"), marked: lane.marks,
    value: lane.value, shades: lane.shades, slopes: lane.slope, forward: lane.window.forward, sign: "ḡ ", ...seen,
  };
  return k < lane.grown ? { ...drawn, ...lane.walk(k) } : drawn;
}

// The scale of the ink of a lane: it holds every message of the pass.
function inkOf(lane) {
  return scale_of(lane.sizes ?? lane.stops.filter((s) => s[2] >= 0).map((s) => size_of(s[4])));
}
