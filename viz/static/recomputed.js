// The moments of a lane for other inputs: `recomputed(lane, tape)` gives the rows, values, slopes and seeds of what the cells
// of a tape hold. lane.drag has the data of viz/drag/followed_page.py, with the sentences of viz/model/timeline.py as `said`.

// What happens in a message: summary.event in Python.
function eventOf(g, c, before, after) {
  const any = (a, test) => a !== null && a.some(test);
  if (any(c, isNan) && !any(g, isNan)) return "nan-born";
  if (before && any(after, isNan) && !any(c, isNan) && !any(before, isNan)) return "nan-born";
  if (any(c, isInf) && g.every(isFinite)) return "inf-born";
  if (!c.every(isFinite)) return "carries";
  return c.every((v) => v === 0) ? "stops" : "first";
}

function recomputed(lane, { cells, types }) {
  const { drag } = lane, name = (n) => lane.cards[n]?.name ?? drag.names[n], memo = new Map();
  const ops = drag.ops.map(([, dtype = "", shape = "", , rule = ""]) => ({ dtype, shape, rule }));
  const edges = drag.edges.map(([src, dst, formula = "", way = 0, card = 0, added = ""]) =>
    ({ src, dst, formula, sent: [formula, `ḡ · ${formula}`, `ḡ · (${formula})`][way], added, card }));
  const say = (key, holes) => drag.said[key].replace(/\{(\w+)\}/g, (_, hole) => holes[hole]);

  // A cell in words, as the value of a node's shape.
  function told(cell, n) {
    const key = `${cell} ${ops[n].shape}`;
    if (!memo.has(key)) memo.set(key, summary(cells[cell], types[cell], ops[n].dtype, ops[n].shape));
    return memo.get(key);
  }
  const local = (e) => (e in (drag.local || {}) ? told(drag.local[e], edges[e].dst) : null);

  const steps = drag.steps.map(([node, pass, cell, rows]) => {
    const g = told(cell, node);
    const sends = rows.map(([edge, m, b, a = m]) => {
      const to = edges[edge].src;
      return {
        edge, to, value: told(m, to), before: b === undefined ? null : told(b, to), after: told(a, to),
        event: eventOf(cells[cell], cells[m], b === undefined ? null : cells[b], cells[a]),
      };
    });
    return { node, pass, g, sends, rule: ops[node].rule };
  });
  const stepOf = new Map(steps.map((s) => [`${s.node} ${s.pass > 0}`, s]));

  // Nodes whose final gradient is 0: the node after them at which something else comes of the 0, -1 for none.
  const zeros = new Map();
  for (const step of [...steps].reverse()) if (allZero(step.g)) {
    const later = step.sends.map((s) => zeros.get(s.to) ?? -1).filter((n) => n >= 0);
    zeros.set(step.node, step.sends.some((s) => s.event !== "stops") ? step.node : later.length ? later[0] : -1);
  }

  function product(step, send) {
    const slope = local(send.edge), v = send.value;
    if (isArray(step.g) || isArray(v) || isArray(slope) || slope === null || step.rule) return short(v);
    const p = step.g * slope, near = Math.abs(p - v) <= 1e-2 * Math.max(Math.abs(p), Math.abs(v)) && isFinite(p) && isFinite(v);
    return (isNan(p) && isNan(+v)) || p === +v || near ? `${short(step.g)} · ${short(slope)} = ${short(v)}` : short(v);
  }

  // The factors of the first nan or inf, and where they meet; for arrays, at the first such element.
  function factors(step, send) {
    const word = send.event.slice(0, 3), slope = local(send.edge), v = send.value, who = name(step.node);
    if (nonfinite(v) !== word) return `${short(send.before)} + ${short(v)} at ${name(send.to)}`;
    if (step.rule) return `by the rule ${step.rule}`;
    const here = (x) => short(x.n === v.n ? element(x, firstBad(v, word)) : x);
    return slope === null ? `at ${who}` : `${here(step.g)} · ${here(slope)} at ${who}`;
  }

  function sum({ before, value: v, after }) {
    if (before === null || isArray(v)) return spoken(after);
    const plus = short(v);
    return `${short(before)} ${plus[0] === "-" ? "- " + plus.slice(1) : "+ " + plus} = ${short(after)}`;
  }

  function sentence(step, send, text, again) {
    const { sent, added } = edges[send.edge], made = text.includes("=") || step.rule || !sent ? "" : `${sent}${added} = `;
    const holes = { sender: name(step.node), to: name(send.to), rule: step.rule, sum: sum(send), word: send.event.slice(0, 3),
      number: made + (text.includes("=") ? text : spoken(send.value)) };
    const start = say(step.rule ? "by a rule" : step.pass ? "replaced" : "sends", holes) + (step.pass ? "" : say("so far", holes));
    if (send.event.endsWith("born")) return start + say("born there", { ...holes, appears: again ? "also appears" : "first appears", factors: factors(step, send) });
    if (send.event === "carries") return start + say("carries", { ...holes, word: nonfinite(send.value) || nonfinite(send.after) });
    if (send.event !== "stops" || !zeros.has(send.to)) return start;
    const meets = zeros.get(send.to);
    return start + (meets < 0 ? say("zeros") : say("meets", { node: name(meets) }));
  }

  const arrived = (step) => say(step.pass ? "would have arrived" : "arrived", { node: name(step.node), number: spoken(step.g) });

  // A sentence is made when it is read: only that of the stop in view is.
  const lazy = (row, words) => Object.defineProperty(row, 8, { get: words, enumerable: true });
  const seen = new Set();
  const stops = lane.pass.map((row) => {
    const [i, node, edge, to, , , , flags] = row, ghost = flags & GHOST, step = stepOf.get(`${node} ${ghost > 0}`);
    if (i < 0) return row;
    if (edge < 0) return lazy([i, node, edge, to, "", "", "", ghost], () => arrived(step));
    const send = step.sends.find((s) => s.edge === edge), text = product(step, send), bad = !!nonfinite(send.value);
    const spoils = send.before === null ? bad : !!nonfinite(send.after), born = send.event.endsWith("born");
    const bits = ghost + BAD_MESSAGE * bad + BAD_ADJOINT * spoils + BORN * born;
    const birth = born && `${send.event} ${ghost}`, again = seen.has(birth);
    if (born) seen.add(birth);
    const told = lazy([i, node, edge, to, short(send.value), short(send.after), text, bits], () => sentence(step, send, text, again));
    const slope = local(send.edge), times = (v, k) => v * (isArray(slope) ? slope.sample[k] : slope);
    if (row[9]) told[9] = shadesOf(send.after);
    if (row[10] && slope !== null) told[10] = [shadesOf({ ...step.g, sample: step.g.sample.map(times) }), row[10][1], row[10][2], shadesOf(send.value)];
    return told;
  });
  const slopes = (n) => edges.flatMap(({ dst, src, formula, card }, e) => {
    if (dst !== n || !card || !formula) return [];
    const text = local(e) === null ? "" : short(local(e));
    return [`for ${name(src)}: ${/^(?!nan$|inf$)[a-z_]\w*(#\d+)?$/i.test(formula) ? "the value of " : ""}${formula}` + (text && text !== formula ? " = " + text : "")];
  });
  const seeds = lane.seeds.map(([of, node]) => [of, node, short(stepOf.get(`${node} true`)?.g ?? stepOf.get(`${of} false`).g)]);
  return { stops, slopes, seeds, local, steps: steps.filter((s) => !s.pass), values: new Map(Object.keys(drag.nodes).map((n) => [+n, told(drag.nodes[n], +n)])) };
}
