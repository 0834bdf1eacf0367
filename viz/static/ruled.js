// The rule in the picture: the boxes that it replaces are dashed, and a ribbon leaves the result, passes the rule and
// arrives at each input: below the boxes, or next to them where they stand below each other. `lane.ruled` has the `ends`
// {node, name, text, derived, rule, shades}: what arrives at an input with the rules and without, in words, the rule as it
// was typed, and the shades of an array; none while a rule cannot be read, when their `room` stays. Of a rule of one box it has `box` and the `stops` of the pass that goes on with it.

const RULE_ROW = 34; // pixels of a ribbon and its box

// What the scene draws next to a rule: each input has the gradient that the rule gives, and a box with a rule of its own no
// slopes.
function ruledState(lane, state) {
  const { box, ends } = lane.ruled;
  if (box !== undefined) return { ...state, slopes: { ...state.slopes, ...Object.fromEntries(lane.graph.edges.filter(({ dst }) => dst === box).map(({ id }) => [`e${id}`, "your rule"])) } };
  const gradient = { ...state.gradient }, cells = { ...state.cells };
  for (const { node, text, shades } of ends) {
    gradient[`n${node}`] = text;
    if (shades) cells[`n${node}`] = shades;
  }
  return { ...state, gradient, cells };
}

// Whether ribbons run next to boxes that stand below each other, what they lack there, and the room that they need below
// boxes next to each other.
const runBeside = (lane) => !lane.scene.across;
const besideRules = (lane, wide) => (lane.ruled.box !== undefined || lane.scene.across ? 0 : Math.max(0, Math.min(wide / 2, 16 + 22 * (lane.ruled.room ?? lane.ruled.ends.length)) - (wide - rightOf(lane))));
const roomOfRules = (lane) => (lane.ruled.box !== undefined || runBeside(lane) ? 0 : RULE_ROW * (lane.ruled.room ?? lane.ruled.ends.length) + 18);

// Draws the ribbons below `bottom` into the picture that stands, behind its boxes.
function drawRules(lane, bottom, wide) {
  const { scene, svg, graph, ink } = lane, { box, ends: ruled } = lane.ruled, result = Object.keys(graph.nodes).find((n) => graph.nodes[n].output);
  if (box !== undefined) return svg.querySelector(`[data-n="${box}"]`)?.classList.add("ruled");
  const isInput = (n) => /leaf|var|const/.test(graph.nodes[n].kind);
  for (const g of svg.querySelectorAll(".n")) g.classList.toggle("ruled", !isInput(g.dataset.n));
  for (const f of svg.querySelectorAll(".f")) f.classList.add("ruled");
  for (const part of svg.querySelectorAll(".e,.h,.sp,.foot,.lv,.sl")) part.classList.add("past");
  const roomOf = (n) => scene.boxes[`n${n}`] ?? graph.edges.filter(({ id, src }) => src === n && scene.boxes[`e${id}`]).map(({ id }) => scene.boxes[`e${id}`])[0] ?? frameAt(n);
  const frameAt = (n) => Object.entries(graph.frames).filter(([key, f]) => f.holds[`n${n}`] && scene.boxes[key]).map(([key]) => scene.boxes[key])[0];
  const from = roomOf(+result), ways = draw("g", { class: "ribbons" }), words = draw("g", { class: "ribbons" });
  if (!from) return;
  const beside = runBeside(lane), ends = ruled.map((rule) => ({ rule, to: roomOf(rule.node) })).filter(({ to }) => to);
  // One inside the other, so that few cross: inside is what arrives further on the right, or lower on a phone.
  ends.sort((a, b) => (beside ? b.to[1] - a.to[1] || a.to[0] - b.to[0] : b.to[0] - a.to[0] || a.to[1] - b.to[1]));
  ends.forEach(({ rule, to }, i) => {
    const size = size_of(rule.text), thick = (beside ? 1 : 2) * width_of(size, ink), look = is_bad(size) ? "bad" : size ? "" : "zero";
    const way = (beside ? wayBeside : wayBelow)({ ...rule, from, to, thick, i, n: ruled.length, y: bottom + RULE_ROW * (i + 0.5), right: rightOf(lane), boxes: Object.values(scene.boxes) });
    ways.append(draw("path", { class: `ribbon ${look}`, d: way.path, "stroke-width": thick }), draw("path", { class: `tip ${look}`, d: way.tip }));
    words.append(...way.box, ...(way.label ? [draw("text", { class: `gv ${look === "bad" ? "badt" : ""} ${way.side}`, x: way.label[0], y: way.label[1] }, rule.text)] : []));
  });
  svg.querySelector(".paper").after(ways);
  svg.append(words);
  const caption = [...svg.querySelectorAll(".sl")].find((text) => text.textContent.includes("framed"));
  if (caption && !beside) caption.setAttribute("y", bottom + RULE_ROW * ruled.length + 12);
}

// A ribbon below the picture, with the rule in a box on it. It goes up beside boxes that stand below its end.
function wayBelow({ from, to, thick, i, n, y, name, rule, boxes }) {
  const part = (i + 1) / (n + 1), leave = from[0] + from[2] * part, near = Math.abs(to[0] - from[0]) < 60;
  const half = 5 + thick / 2, straight = to[0] + to[2] * (1 - part) - (near ? to[2] * 0.3 : 0), end = to[0] + to[2];
  const within = (left, right, top) => boxes.filter((r) => r !== to && r[1] + r[3] > top && r[0] < right && r[0] + r[2] > left);
  const under = within(straight - half, straight + half, to[1] + to[3] + 1), clear = Math.max(end, ...under.map((r) => r[0] + r[2]));
  const tall = to[1] + Math.max(to[3] / 2, to[3] - half - 2), past = under.length > 0 && !within(clear + 1, clear + 9 + thick, tall).length;
  const arrive = past ? clear + 9 + thick / 2 + 16 * (under.length - 1) : straight, side = arrive > leave ? 1 : -1, tip = to[1] + to[3], foot = tip + 8 + thick / 2;
  const bend = Math.min(12, Math.abs(arrive - leave) / 2), middle = (leave + arrive) / 2;
  const most = Math.floor((Math.abs(arrive - leave) - 166) / 7.3), whole = `${name}: ${rule}`;
  const text = whole.length <= most ? whole : most > name.length + 6 ? `${whole.slice(0, most - 1)}…` : "", broad = text.length * 7.3 + 16;
  return {
    path: `M${leave} ${from[1] + from[3]}V${y - bend}Q${leave} ${y} ${leave + side * bend} ${y}H${arrive - side * bend}Q${arrive} ${y} ${arrive} ${y - bend}V${past ? `${tall}H${end + 8}` : foot}`,
    tip: past ? `M${end + 8} ${tall - half}v${2 * half}L${end} ${tall}z` : `M${arrive - half} ${foot}h${2 * half}L${arrive} ${tip}z`,
    box: text ? [draw("rect", { class: "rulebox", x: middle - broad / 2, y: y - 12, width: broad, height: 24, rx: 6 }), draw("text", { class: "rt c", x: middle, y: y + 4 }, text)] : [],
    label: [arrive - side * (8 + thick / 2), y - 6 - thick / 2], side: side > 0 ? "r" : "",
  };
}

// A ribbon on the right of boxes that stand below each other. It passes below what stands next to its end, whose number is
// that of the box.
function wayBeside({ from, to, thick, i, n, right, boxes }) {
  const part = (i + 1) / (n + 1), leave = from[1] + from[3] * part, lane = right + 20 + 22 * i, half = 5 + thick / 2;
  const past = boxes.filter((r) => r !== to && r[0] > to[0] && Math.abs(r[1] - to[1]) < to[3]).length, [end, low] = [to[0] + to[2], to[1] + to[3]];
  const arrive = past ? low + 11 + 6 * past : to[1] + to[3] / 2, across = to[0] + to[2] / 2, foot = past ? low + 8 : end + 8 + thick / 2;
  return {
    path: `M${from[0] + from[2]} ${leave}H${lane - 8}Q${lane} ${leave} ${lane} ${leave - 8}V${arrive + 8}Q${lane} ${arrive} ${lane - 8} ${arrive}H${past ? `${across}V${foot}` : foot}`,
    tip: past ? `M${across - half} ${foot}h${2 * half}L${across} ${low}z` : `M${foot} ${arrive - half}v${2 * half}L${end} ${arrive}z`, box: [],
  };
}

const rightOf = ({ scene }) => Math.max(...Object.values(scene.boxes).map(([x, , w]) => x + w));

// What the rules send, next to what the derived pass sends if that is another number, at the end of the pass.
function ruledWords({ cards, ruled: { box, ends } }, ended) {
  if (box !== undefined && !ended) return "";
  if (!ends.length) return "The rule cannot be read yet.";
  const words = ends.map(({ text, name, derived }) => `${text} to ${name}${derived !== text ? `, where the derived pass sends ${derived}` : ""}`).join("; ");
  return `${box === undefined ? "The rule" : `With the rule for ${cards[box].name} the pass`} sends ${words}.`;
}
