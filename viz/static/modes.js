// The modes of a picture: the same boxes with their values, with the wiggle of an input, with gradients, or next to a rule.
// In values and wiggle numbers come from the left: one box for each position of the slider. The opening, "film", is
// the values and then the gradients.

const TITLES = { values: "Values", wiggle: "Wiggle", gradient: "Gradient", rule: "Your rule" };

// The switch; it calls `choose` with a mode.
function switchOf(modes, choose) {
  const name = `mg-mode-${Math.random().toString(36).slice(2)}`, radios = {};
  const node = make("div", { className: "mg-modes", role: "radiogroup", ariaLabel: "What the picture shows" }, ...modes.map((mode) => {
    radios[mode] = make("input", { type: "radio", name, value: mode, onchange: () => choose(mode) });
    return make("label", {}, radios[mode], make("span", { textContent: TITLES[mode] }));
  }));
  return { node, radios };
}

// Gives a lane the rows, as of moments.js, that it has in a mode. The first `grown` of them are boxes.
function modal(lane, mode) {
  const walks = mode !== "gradient" && mode !== "rule", wiggle = mode === "wiggle";
  const boxes = walks ? lane.graph.nodes.filter((n) => n.kind !== "const" && lane.cards[n.id]).sort((a, b) => a.output - b.output) : [];
  const shown = !wiggle ? valued(lane) : lane.slopeNow ? wiggled(lane) : measuredWiggle(lane);
  const rows = boxes.map((n, i) => [i, n.id, -1, -1, "", "", "", (n.ghost ? GHOST : 0) + BAD_MESSAGE * shown.bad(n), shown.words(n)]);
  lane.stops = mode === "film" ? [...rows, ...lane.pass] : walks ? rows : (mode === "rule" && lane.ruled?.stops) || lane.pass;
  lane.grown = rows.length;
  lane.sizes = wiggle ? Object.values(shown.cells ? shown.moves : shown.sent).map(size_of) : undefined;
  lane.appears = wiggle ? {} : Object.fromEntries(rows.map(([i, n]) => [n, i]));
  lane.walk = (k) => {
    const first = (all, node) => Object.fromEntries(Object.entries(all).filter(([key]) => node(+key.slice(1)) <= lane.stops[k][1]));
    const end = (e) => lane.graph.edges.find(({ id }) => id === e).dst;
    return { gradient: first(shown.moves, (n) => n), sent: first(shown.sent, end), cells: first(shown.cells ?? {}, (n) => n), now: {}, forward: true, sign: wiggle ? SIGN : "" };
  };
}

const valueOf = (lane, { id, value }) => lane.value[`n${id}`] ?? value;

function valued(lane) {
  return {
    moves: {}, sent: {}, bad: (n) => wrong_of(valueOf(lane, n)) !== "",
    words: (n) => `${lane.cards[n.id].made ?? `${lane.cards[n.id].name} = `}${valueOf(lane, n)}.`,
  };
}

// How far each number moves with `lane.source`, by the slopes at hand: the twin of viz/render/wiggled.py.
function wiggled(lane) {
  const { drag, graph, cards, slopeNow } = lane, source = (lane.source ??= Math.min(...drag.inputs.map(([n]) => n)));
  const edges = graph.edges.filter((e) => !e.ghost && slopeNow[e.id] !== undefined).sort((a, b) => a.dst - b.dst || a.id - b.id);
  const round = { float32: Math.fround, float16: (v) => half(Math.fround(v)) };
  const { moves, terms } = wiggles(edges.map((e) => [e.id, e.src, e.dst, slopeNow[e.id]]), source, (n, v) => (round[drag.ops[n][1]] ?? Number)(v));
  const words = (all) => Object.fromEntries(Object.entries(all).map(([key, v]) => [key, short(v)])), total = words(moves);
  return {
    moves: total, sent: words(terms), bad: ({ id }) => wrong_of(total[`n${id}`] ?? "") !== "",
    words({ id }) {
      if (id === source) return steps_of(cards[id].name);
      const products = edges.filter((e) => e.dst === id && `e${e.id}` in terms).map((e) => `${total[`n${e.src}`]} · ${short(slopeNow[e.id])}`);
      return moved(cards[source].name, cards[id].name, products, total[`n${id}`] ?? "", isFinite(moves[`n${id}`]));
    },
  };
}
