// The boxes of the picture: what is known of one, its card, and the way from one to the next by arrow keys.
// A box is {g, lane, i, ids}: its element, its lane and the lane's number, the nodes that it stands for.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The key of a node or a frame of a lane as the scene has it: "n7", or the name of the frame.
const keyOf = (g) => (g.dataset.n ? `n${g.dataset.n}` : g.dataset.f);

// What is said of a frame: its name, how many ops it holds, the inputs among them.
function frameInfo(lane, name) {
  const frames = Object.values(lane.graph.frames), frame = frames.find((f) => f.as === name), { nodes } = lane.graph;
  const ops = frame.nodes.filter((n) => !["leaf", "var", "const"].includes(nodes[n].kind)), counts = new Map();
  for (const n of ops) counts.set(nodes[n].title, (counts.get(nodes[n].title) || 0) + 1);
  const named = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([op, count]) => `${count} ${op}`).join(", ");
  return { head: `frame ${frame.name}, ${ops.length} ops`, ops: named, open: "a click or Enter" };
}

// The card of a node at stop k: its value, its adjoint as a sum of contributions, its local derivatives, its line.
function fillCard(card, { lane, key }, k, ghosts) {
  const node = key[0] === "n" ? +key.slice(1) : -1, info = node < 0 ? frameInfo(lane, key) : lane.cards[node];
  const f = frameOf(lane, k, ghosts), list = make("dl");
  const row = (term, ...items) => items.length && list.append(make("dt", { textContent: term }),
    make("dd", {}, ...items.flatMap((t, j) => (j ? [make("br"), t] : [t]))));
  if (info.value) row("value", info.value);
  if (info.used) row("used", info.used);
  if (info.open) row("ops", ...[info.ops || []].flat()), row("inputs", ...[info.inputs || []].flat()), row("opens with", info.open);
  const arrived = lane.stops.slice(0, k + 1).filter((s) => s[2] >= 0 && s[3] === node && !(s[7] & VERDICT) &&
    (ghosts || !(s[7] & GHOST)) && (!(s[7] & GHOST) || lane.bodies.includes(node)));
  if (info.slot) row("gradient ḡ", f.adjoint.has(node) ? f.adjoint.get(node) + (f.done.has(node) ? "" : " so far") : f.over ? info.none || "none" : "not computed yet");
  if (!info.open) row("sum of", ...arrived.map((s) => `${s[6]}   from ${lane.cards[s[1]].name}`));
  row("slope", ...(info.local || []));
  row("nan, inf", ...(info.bad || []));
  for (const [term, words] of [["custom rule", info.rule], ["variables", info.variables], ["code", info.line]]) if (words) row(term, words);
  card.replaceChildren(make("h4", { textContent: info.head }), list);
  card.hidden = false;
}

// What a screen reader and the pointer are told of each box that is drawn, and which of them Tab reaches.
function nameBoxes(svg, lane, state, focus) {
  const boxes = [...svg.querySelectorAll("[data-n],[data-f]")];
  for (const g of boxes) {
    const frame = g.dataset.f, card = frame ? frameInfo(lane, frame) : lane.cards[g.dataset.n], open = g.classList.contains("open");
    const gradient = state.gradient[keyOf(g)], value = lane.value[keyOf(g)] ? card.value : card.value;
    g.setAttribute("role", "button");
    g.setAttribute("tabindex", keyOf(g) === focus ? 0 : -1);
    if (frame) g.setAttribute("aria-expanded", open);
    const words = frame ? `${card.head}, ${open ? "open" : "closed"}`
      : `${card.head}, value ${value}` + (card.slot ? `, gradient ${gradient ?? "none yet"}` : "");
    g.setAttribute("aria-label", words);
    const title = document.createElementNS(g.namespaceURI, "title");
    title.textContent = frame ? `${card.head}: ${card.ops}` : words;
    g.prepend(title);
  }
  return boxes;
}

// The nearest of the drawn boxes in the direction of an arrow key, along a line of the graph where one is.
function neighbour(boxes, g, key, lane) {
  const c = (b) => { const r = b.querySelector("rect").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  const [x, y] = c(g), [dx, dy] = WAYS[key], n = +g.dataset.n;
  const linked = new Set(lane.graph.edges.flatMap((e) => (e.src === n ? [e.dst] : e.dst === n ? [e.src] : [])));
  let best = null, least = Infinity;
  for (const b of boxes) {
    const [u, v] = c(b), ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (b === g || ahead < 2) continue;
    const cost = ahead + 2 * aside + (linked.has(+b.dataset.n) ? 0 : 4000);
    if (cost < least) [best, least] = [b, cost];
  }
  return best;
}
