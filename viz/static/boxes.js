// The boxes of the picture: what is known of one, its card, and the way from one to the next by arrow keys.
// A box is {g, lane, i, ids}: its element, its lane and the lane's number, the nodes that it stands for.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// What is known of a box: of a node, or of a frame.
function infoOf({ g, lane, ids }) {
  return lane.groups[g.dataset.f] || lane.cards[ids[0]];
}

// The card of a node at stop k: its value, its adjoint as a sum of contributions, its local derivatives, its line.
function fillCard(card, box, k, ghosts) {
  const { lane, ids } = box, f = frameOf(lane, k, ghosts), info = infoOf(box), list = make("dl");
  const row = (term, ...items) => items.length && list.append(make("dt", { textContent: term }),
    make("dd", {}, ...items.flatMap((t, j) => (j ? [make("br"), t] : [t]))));
  if (info.value) row("value", info.value);
  if (info.used) row("used", info.used);
  if (info.open) row("ops", ...[info.ops || []].flat()), row("inputs", ...[info.inputs || []].flat()), row("opens with", info.open);
  const arrived = lane.stops.slice(0, k + 1).filter((s) => s[2] >= 0 && s[3] === ids[0] && !(s[7] & VERDICT) &&
    (ghosts || !(s[7] & GHOST)) && (!(s[7] & GHOST) || lane.bodies.includes(ids[0])));
  if (info.slot) row("adjoint ḡ", f.adjoint.has(ids[0]) ? f.adjoint.get(ids[0]) + (f.done.has(ids[0]) ? "" : " so far") : f.over ? info.none || "none" : "not computed yet");
  if (!info.open) row("sum of", ...arrived.map((s) => `${s[6]}   from ${lane.cards[s[1]].name}`));
  row("local derivative", ...(info.local || []));
  row("nan, inf", ...(info.bad || []));
  for (const [term, words] of [["custom rule", info.rule], ["variables", info.variables], ["code", info.line]]) if (words) row(term, words);
  card.replaceChildren(make("h4", { textContent: info.head }), list);
  card.hidden = false;
}

// What a screen reader and the pointer are told of a box.
function nameBox(box) {
  const { g, lane: { frames } } = box, info = infoOf(box);
  g.setAttribute("role", "button");
  const open = frames?.opens(g) ? frames.open.has(g.dataset.f) : null;
  if (open !== null) g.setAttribute("aria-expanded", open);
  g.setAttribute("aria-label", info.open ? `${info.head}, ${open ? "open" : "closed"}` : `${info.head}, value ${info.value}`);
  if (g.querySelector("title")) return;
  const title = document.createElementNS(g.namespaceURI, "title");
  title.textContent = `${info.head}: ${info.ops || info.inputs || info.value}`;
  g.prepend(title);
}

// The nearest of `boxes` in the direction of an arrow key, along an edge where one is.
function neighbour(boxes, box, key) {
  const c = (b) => { const r = b.g.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  const [x, y] = c(box), [dx, dy] = WAYS[key];
  const linked = new Set(box.ids.flatMap((n) => box.lane.links.flatMap(([a, b]) => (a === n ? [b] : b === n ? [a] : []))));
  let best = null, least = Infinity;
  for (const b of boxes) {
    const [u, v] = c(b), ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (b === box || ahead < 2 || !b.g.getClientRects().length) continue;
    const cost = ahead + 2 * aside + (b.lane === box.lane && b.ids.some((n) => linked.has(n)) ? 0 : 4000);
    if (cost < least) [best, least] = [b, cost];
  }
  return best;
}

// Boxes that what is typed into Find does not name are dim.
function search(boxes, text) {
  const want = text.trim().toLowerCase();
  for (const b of boxes) {
    const hit = b.ids.some((n) => b.lane.cards[n].head.toLowerCase().includes(want));
    b.g.classList.toggle("dim", !!want && !hit);
  }
}
