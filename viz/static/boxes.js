// The boxes of the picture, as their elements: what is known of one, its card, and the way to the next by arrow keys.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The key of a node or a frame of a lane as the scene has it: "n7", or the name of the frame. An input that several ops
// use has a pill at each, so the spot of a pill is its key and its edge.
const keyOf = (g) => (g.dataset.n ? `n${g.dataset.n}` : g.dataset.f);
const spotOf = (g) => `${keyOf(g)} ${g.dataset.e ?? ""}`;

// The frame of this name that is drawn: inside of a loop it is in the turn that is.
function frameOn({ graph: { frames }, seen: { turns } }, name) {
  const drawn = (f) => !f.key || ((up) => (!up.turns.length || up.turns[turns[up.key] || 0] === f.key) && drawn(up))(frames[f.up]);
  return Object.values(frames).find((f) => f.as === name && drawn(f));
}

// What is nan or inf in a frame: born there, in gradients that pass, or in values.
function wrongIn({ graph, stops, state }, frame) {
  const born = stops.filter((s) => s[7] & BORN && !(s[7] & GHOST) && frame.holds[`n${s[1]}`] && `e${s[2]}` in state.sent);
  const words = [...new Set(born.map((s) => wrong_of(s[4]) || wrong_of(s[5])))], passed = wrong_in(frame, graph, state), value = wrong_values(frame, graph, state);
  const found = born.length ? `first ${words.join(" and ")} inside` : passed && `${passed === "≠" ? "a wrong gradient" : passed} inside`;
  return [found, value && `${value} among its values`].filter(Boolean);
}

// What is said of a frame: its name with those around it, how many ops it holds, the gradients at its ends.
function frameInfo(lane, name, gradient) {
  const { nodes, frames } = lane.graph, frame = frameOn(lane, name), counts = new Map(), path = [frame.name];
  for (let up = frames[frame.up]; up.key; up = frames[up.up]) if (!up.turns.length) path.unshift(up.name);
  const turn = frames[frame.turns[lane.seen.turns[frame.key] || 0]]?.name;
  const [from, to] = [frame.first, frame.last].map((n) => gradient[`n${n}`]);
  for (const n of frame.nodes) if (!["leaf", "var", "const"].includes(nodes[n].kind)) counts.set(nodes[n].title, (counts.get(nodes[n].title) || 0) + 1);
  const named = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([op, count]) => `${count} ${op}`).join(", ");
  return {
    head: `frame ${path.join("/")}, ${[...counts.values()].reduce((a, b) => a + b, 0)} ops` + (turn ? `, ${turn} is drawn` : ""),
    ops: named, open: "a click or Enter", bad: wrongIn(lane, frame),
    ends: from && `gradient ${to} at its end, ${from} at its start`,
  };
}

const gradientsOf = ({ state: { forward, gradient } }) => (forward ? {} : gradient);

// The card of a node at stop k: its value, its gradient as a sum of messages, its slopes, its line.
function fillCard(card, lane, key, k, ghosts) {
  const node = key[0] === "n" ? +key.slice(1) : -1, info = node < 0 ? frameInfo(lane, key, gradientsOf(lane)) : lane.cards[node];
  // While values come from the left, the gradients are those of the finished pass.
  const pass = { ...lane, stops: lane.pass, grown: 0 }, at = k < lane.grown ? lane.pass.length - 1 : k - (lane.grown ?? 0);
  const f = frameOf(pass, at, ghosts), list = make("dl");
  const row = (term, ...items) => items.length && list.append(make("dt", { textContent: term }),
    make("dd", {}, ...items.flatMap((t, j) => (j ? [make("br"), t] : [t]))));
  if (info.value) row("value", info.value);
  if (info.used) row("used", info.used);
  if (info.change) row("change", info.change);
  for (const [term, words] of [["ops", info.ops], ["gradient ḡ", info.ends], ["opens with", info.open]]) if (words) row(term, words);
  const arrived = pass.stops.slice(0, at + 1).filter((s) => s[2] >= 0 && s[3] === node && !(s[7] & VERDICT) &&
    (ghosts || !(s[7] & GHOST)) && (!(s[7] & GHOST) || lane.bodies.includes(node)));
  if (info.slot) row("gradient ḡ", f.adjoint.has(node) ? f.adjoint.get(node) + (f.done.has(node) ? "" : " so far") : f.over ? info.none || "none" : "not computed yet");
  if (!info.open) row(arrived[1] ? "sum of" : "message", ...arrived.map((s) => `${s[6]}   from ${lane.cards[s[1]].name}`));
  row("slope", ...(info.local || []));
  row("nan, inf", ...(info.bad || []));
  for (const [term, words] of [["custom rule", info.rule], ["variables", info.variables], ["code", info.line]]) if (words) row(term, words);
  card.replaceChildren(make("h4", { textContent: info.head }), list);
}

// What a screen reader and the pointer are told of each box that is drawn. `over`: nothing more arrives.
function nameBoxes(lane, over) {
  const node = (g) => lane.graph.nodes[g.dataset.n];
  const boxes = [...lane.svg.querySelectorAll("[data-n],[data-f]")], { gradient, value, forward } = lane.state;
  for (const g of boxes) {
    const frame = g.dataset.f, card = frame ? frameInfo(lane, frame, gradientsOf(lane)) : lane.cards[g.dataset.n], open = g.classList.contains("open");
    const words = frame ? [card.head, card.ends, ...card.bad, open ? "open" : "closed"]
      : [card.head, `value ${node(g).shape ? card.value : value[keyOf(g)] ?? node(g).value}`, forward ? keyOf(g) in gradient && `moves ${gradient[keyOf(g)]} times as far` : card.slot && "gradient " + (gradient[keyOf(g)] ?? (over ? "none" : "none yet"))];
    for (const [name, value] of Object.entries({ role: "button", tabindex: -1, "aria-label": words.filter(Boolean).join(", ") })) g.setAttribute(name, value);
    if (frame) g.setAttribute("aria-expanded", open);
    g.prepend(draw("title", {}, frame ? `${[card.head, ...card.bad].join(", ")}: ${card.ops}` : g.getAttribute("aria-label")));
  }
  return boxes;
}

// The nearest of `boxes` in the direction of an arrow key, along a line of the graph where one is. From the top of what
// an open frame holds the way up leads to the frame, from there on to what is above it, and down into it.
function neighbour(boxes, g, key, lane) {
  const rect = (b) => b.querySelector(":is(.b,.fb)").getBoundingClientRect(), open = (b) => b.classList.contains("open");
  const inside = (b, f) => { const r = rect(b), s = rect(f); return b !== f && r.x >= s.x && r.right <= s.right && r.y >= s.y && r.bottom <= s.bottom; };
  const middle = (b) => { const r = rect(b); return [r.x + r.width / 2, open(b) && WAYS[key][1] ? r.y : r.y + r.height / 2]; };
  const held = (b) => (b.dataset.n ? { [keyOf(b)]: true } : frameOn(lane, b.dataset.f).holds), own = held(g), linked = {};
  for (const { src, dst } of lane.graph.edges) if (own[`n${src}`] !== own[`n${dst}`]) linked["n" + (own[`n${src}`] ? dst : src)] = true;
  const near = (b) => b.ownerSVGElement === g.ownerSVGElement && Object.keys(held(b)).some((n) => linked[n]);
  const around = key === "ArrowUp" ? boxes.filter((f) => open(f) && inside(g, f)).sort((a, b) => inside(b, a) - inside(a, b))[0] : null;
  const [x, y] = middle(g), [dx, dy] = WAYS[key];
  let best = around, least = Infinity;
  for (const b of boxes) {
    if (b === g || open(b) || (around && !inside(b, around)) || (open(g) && inside(b, g) !== (key === "ArrowDown"))) continue;
    const [u, v] = middle(b), ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (ahead < 2) continue;
    const cost = ahead + 2 * aside + (near(b) ? 0 : 300);
    if (cost < least) [best, least] = [b, cost];
  }
  return best;
}
