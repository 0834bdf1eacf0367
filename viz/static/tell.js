// The teller: what Python says of the recorded numbers, said of others. `retell(lane, tape)` gives the rows, values,
// slopes and seeds of a lane for what the cells of a tape hold. It is the twin of numbers.py, timeline.py, findings.py
// and nan_origins.py; tests/viz/drag/test_tell.py holds them together. lane.drag has the data of viz/drag/page.py.
//
// A number is a number or true or false; an array is told by its summary {dtype, shape, n, min, max, ...}.

const LARGEST = { float16: "65504", float32: "3.4e38", float64: "1.8e308" };
const MASKS = ["where", "select", "maximum", "minimum", "max", "min", "amax", "amin", "relu", "clip", "abs"];
const DIVISIONS = ["divide", "true_divide", "truediv", "div"];
const POLES = ["log", "log2", "log10", "log1p", "arctanh", "xlogy", "gammaln", "digamma", "tan"];
const POLES_AT_0 = [...DIVISIONS, "power", "reciprocal", "rsqrt", "float_power"];
const isNan = (v) => v !== v, isInf = (v) => v === Infinity || v === -Infinity;
const isArray = (v) => v !== null && typeof v === "object";

function summary(a, type, dtype, shape) {
  if (!shape) return type === "b" ? !!a[0] : a[0];
  const all = [...a], finite = all.filter(isFinite), k = finite.length, some = type === "b" ? all.map(Boolean) : all;
  const round = type === "f" ? Math.fround : type === "e" ? half : (v) => v, count = (test) => all.filter(test).length;
  const sum = (n) => finite.reduce((s, v) => s + v / n, 0); // of large numbers beyond the largest, their mean is not
  return {
    dtype, shape, n: all.length, sample: some.slice(0, 64),
    min: k ? Math.min(...finite) : NaN, max: k ? Math.max(...finite) : NaN, mean: k ? round(isFinite(sum(1)) ? sum(1) / k : sum(k)) : NaN,
    zeros: count((v) => v === 0), nan: count(isNan), inf: count(isInf),
  };
}

// A value of a node that no cell holds, as it is saved.
function unpacked(v) {
  if (!isArray(v)) return numeric(v);
  const n = v.shape.reduce((p, k) => p * k, 1), [min, max, mean] = [v.min, v.max, v.mean].map(numeric);
  return { ...v, shape: v.shape.join("×"), n, min, max, mean, sample: v.sample.map(numeric) };
}

// A number as Python formats it: halves go to the even digit.
function short(v, digits = 4) {
  if (v === null || v === undefined) return "none";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (isArray(v)) return shortArray(v);
  if (isNan(v)) return "nan";
  if (isInf(v)) return v > 0 ? "inf" : "-inf";
  if (v === 0) return Object.is(v, -0) ? "-0" : "0";
  const plain = (t) => (t.includes(".") ? t.replace(/\.?0*$/, "") : t);
  const [long, exponent] = Math.abs(v).toExponential(60).split("e"), exact = long.replace(".", "");
  let text = v.toExponential(digits - 1);
  if (/^50*$/.test(exact.slice(digits)) && exact[digits - 1] % 2 === 0) {
    text = (v < 0 ? "-" : "") + exact[0] + "." + exact.slice(1, digits) + "e" + exponent;
  }
  const [m, e] = text.split("e");
  return +e < -4 || +e >= digits ? plain(m) + "e" + +e : plain((+text).toFixed(Math.max(0, digits - 1 - e)));
}

function shortArray(v) {
  const few = `[${v.sample.map((s) => short(s, 3)).join(" ")}]`;
  if (v.n <= 4 && few.length <= 16) return few;
  if (v.nan) return `${v.nan} nan of ${v.n}`;
  if (v.inf) return `${v.inf} inf of ${v.n}`;
  return v.min === v.max ? `all ${short(v.min, 3)}` : `${short(v.min, 3)}…${short(v.max, 3)}`;
}

function full(v) {
  if (!isArray(v)) return short(v, 9);
  const counts = ["nan", "inf"].map((w) => (v[w] ? `, ${v[w]} ${w}` : "")).join(""), axes = v.shape.split("×");
  const some = v.sample.slice(0, 8).map((s) => short(s)).join(", ") + (v.n > 8 ? ", …" : "");
  const extent = `min ${short(v.min)}, max ${short(v.max)}, mean ${short(v.mean)}${counts}`;
  return `${v.dtype} array of shape (${axes.join(", ")}${axes.length > 1 ? "" : ","}): [${some}]; ${extent}`;
}

function spoken(v) {
  const text = short(v);
  if (!isArray(v)) return text;
  if (v.n <= 8 && !text.startsWith("all")) return `[${v.sample.map((s) => short(s)).join(" ")}] (${v.shape})`;
  return text.includes("…") ? `${v.shape} numbers from ${short(v.min)} to ${short(v.max)}` : `${text} (${v.shape})`;
}

// Which number is not finite: "nan" before "inf", "" where all are.
const nonfinite = (v) => (isArray(v) ? (v.nan ? "nan" : v.inf ? "inf" : "") : isNan(v) ? "nan" : isInf(v) ? "inf" : "");
const someZero = (v) => (isArray(v) ? v.zeros > 0 : +v === 0);
const allZero = (v) => (isArray(v) ? v.zeros === v.n : +v === 0);
const firstBad = (v, word) => (isArray(v) ? v.sample.findIndex((s) => nonfinite(s) === word) : -1);
const element = (v, k) => (isArray(v) && k >= 0 && k < v.sample.length ? v.sample[k] : v);

// What happens in a message: summary.event in Python.
function eventOf(g, c, before, after) {
  const any = (a, test) => a !== null && a.some(test);
  if (any(c, isNan) && !any(g, isNan)) return "nan-born";
  if (before && any(after, isNan) && !any(c, isNan) && !any(before, isNan)) return "nan-born";
  if (any(c, isInf) && g.every(isFinite)) return "inf-born";
  if (!c.every(isFinite)) return "carries";
  return c.every((v) => v === 0) ? "stops" : "first";
}

function retell(lane, { cells, types }) {
  const { drag } = lane, name = (n) => lane.cards[n]?.name ?? drag.names[n], memo = new Map();
  const ops = drag.ops.map(([op, dtype = "", shape = "", kind = "", rule = ""]) => ({ op, dtype, shape, kind, rule }));
  const edges = drag.edges.map(([src, dst, formula = "", way = 0, card = 0, added = ""]) =>
    ({ src, dst, formula, sent: [formula, `ḡ · ${formula}`, `ḡ · (${formula})`][way], added, card }));
  const args = ops.map(() => []);
  for (const { src, dst } of edges) args[dst].push(src);

  // A cell in words, as the value of a node's shape.
  function told(cell, n) {
    const key = `${cell} ${ops[n].shape}`;
    if (!memo.has(key)) memo.set(key, summary(cells[cell], types[cell], ops[n].dtype, ops[n].shape));
    return memo.get(key);
  }
  const value = (n) => (n in drag.nodes ? told(drag.nodes[n], n) : unpacked(drag.consts[n]));
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

  function afterZero(n) {
    if (!zeros.has(n)) return "";
    return zeros.get(n) < 0 ? " Only zeros go on from here." : ` Further on, at ${name(zeros.get(n))}, the 0 meets an inf.`;
  }

  function product(step, send) {
    const slope = local(send.edge), v = send.value;
    if (isArray(step.g) || isArray(v) || isArray(slope) || slope === null || step.rule) return short(v);
    const p = step.g * slope, near = Math.abs(p - v) <= 1e-2 * Math.max(Math.abs(p), Math.abs(v)) && isFinite(p) && isFinite(v);
    return (isNan(p) && isNan(+v)) || p === +v || near ? `${short(step.g)} · ${short(slope)} = ${short(v)}` : short(v);
  }

  function beyond(v, n) {
    const dtype = isArray(value(n)) ? value(n).dtype : ops[n].dtype, most = LARGEST[dtype] ? `${LARGEST[dtype]}, ` : "";
    return v === -Infinity ? `below ${most && "-"}${most}the lowest ${dtype}` : `larger than ${most}the largest ${dtype}`;
  }

  // Whether a node is inf at a pole of its op, and the reason why it is inf while its arguments are finite.
  function infinity(n) {
    const v = value(n), k = firstBad(v, "inf"), one = element(v, k), numbers = args[n].map((a) => element(value(a), k)), { op } = ops[n];
    const call = `${op}(${numbers.map((x) => short(x)).join(", ")})`;
    const pole = POLES.includes(op) || (POLES_AT_0.includes(op) && numbers.some((x) => !isArray(x) && +x === 0));
    return [pole, pole ? `${call} is ${short(one)}` : `${call} is ${beyond(one, n)}`];
  }

  function sourceOfInf(n) {
    for (let worse; (worse = args[n].find((a) => nonfinite(value(a)))) !== undefined;) n = worse;
    if (nonfinite(value(n)) !== "inf" || !args[n].length) return "";
    return `. The ${isArray(value(n)) ? "inf" : short(value(n))} is the value of ${name(n)}: ${infinity(n)[1]}`;
  }

  // The where, maximum, ... whose zero reached the sender of a step through zeros only.
  function mask(step) {
    const reached = new Set([step.node]), pass = steps.filter((s) => s.pass === step.pass);
    for (const s of pass.slice(0, pass.indexOf(step)).reverse()) for (const send of s.sends) {
      if (!reached.has(send.to) || !someZero(send.value)) continue;
      if (MASKS.includes(ops[s.node].op)) return s.node;
      if (someZero(s.g)) reached.add(s.node);
    }
    return null;
  }

  // The kind and the reason of the first nan or inf.
  function origin(step, send) {
    const who = name(step.node), to = name(send.to), word = send.event.slice(0, 3), { g } = step, slope = local(send.edge);
    const sum = `${short(send.before)} + ${short(send.value)}`, { op } = ops[step.node], before = args[step.node];
    if (word === "nan" && nonfinite(send.value) !== "nan") return ["inf - inf", `at ${to}, ${sum} is nan: two infinities of opposite sign meet`];
    if (!nonfinite(send.value)) return ["overflow", `at ${to}, the sum ${sum} is ${beyond(send.after, send.to)}`];
    if (step.rule) return ["custom rule", `the custom rule ${step.rule} of ${who} returned ${word} for ${to}`];
    const formula = edges[send.edge].formula, here = slope !== null && !isArray(slope) && !isFinite(slope) ? short(slope) : "inf";
    const is = "the slope " + (formula && formula + " ") + "is";
    if (word === "inf") {
      if (nonfinite(slope) !== "inf") return ["overflow", (slope === null ? "a product" : `${short(g)} · ${short(slope)}`) + ` is ${beyond(send.value, send.to)}`];
      const sound = !before.some((a) => nonfinite(value(a)) || someZero(value(a)));
      if (sound && nonfinite(value(step.node)) === "inf" && !infinity(step.node)[0]) return ["overflow", `${is} ${here}${sourceOfInf(step.node)}`];
      return ["domain", `at ${before.map((a) => short(value(a))).join(", ")} the slope of ${op} is infinite`];
    }
    const infinite = slope === null ? [step.node, ...before].some((n) => nonfinite(value(n)) === "inf") : nonfinite(slope) === "inf";
    if (someZero(g) && infinite) {
      const words = `the upstream gradient is 0, ${is} ${here}`, m = mask(step);
      if (m === null) return ["0 * inf", words + sourceOfInf(step.node)];
      return ["masked branch", `${words}. It is 0 because ${name(m)} selected the other side. Make the argument of ${who} safe before ${name(m)} selects`];
    }
    if (nonfinite(g) === "inf" && (slope === null || someZero(slope))) return ["0 * inf", `the upstream gradient is inf, ${is} 0`];
    if (DIVISIONS.includes(op) && before.length > 1 && someZero(value(before[0])) && someZero(value(before[1]))) return ["0 / 0", `${who} divides 0 by 0, which has no slope`];
    const k = slope === null ? -1 : firstBad(slope, "nan");
    const at = before.map((a) => (ops[a].kind === "const" ? short(value(a)) : `${name(a)} = ${short(element(value(a), k))}`)).join(", ");
    return ["domain", `${is} nan at ${at}` + (nonfinite(value(step.node)) === "nan" && !before.some((a) => nonfinite(value(a)) === "nan") ? `, outside the domain of ${op}` : "")];
  }

  function sum({ before, value: v, after }) {
    if (before === null || isArray(v)) return spoken(after);
    const plus = short(v);
    return `${short(before)} ${plus[0] === "-" ? "- " + plus.slice(1) : "+ " + plus} = ${short(after)}`;
  }

  function sentence(step, send, text) {
    const who = name(step.node), to = name(send.to), { sent, added } = edges[send.edge], number = text.includes("=") ? text : spoken(send.value);
    const verb = step.pass ? "would have sent" : "sends";
    let words = step.rule ? `The rule ${step.rule} runs instead of the ops inside ${who}. It sends to ${to}: ${number}.`
      : `${who} ${verb} to ${to}: ${text.includes("=") || !sent ? "" : sent + added + " = "}${number}.`;
    if (!step.pass) words += ` At ${to} so far: ${sum(send)}.`;
    if (send.event.endsWith("born")) {
      const [kind, reason] = origin(step, send);
      return `${words} ${send.event.slice(0, 3)} is born here (${kind}): ${reason}.`;
    }
    if (send.event === "carries") return `${words} It carries the ${nonfinite(send.value) || nonfinite(send.after)} on.`;
    return send.event === "stops" ? words + afterZero(send.to) : words;
  }

  function arrived(step) {
    const who = name(step.node), g = spoken(step.g);
    return step.pass ? `Replaced by the rule: the gradient of ${who} would have been ${g}.` : `All messages have arrived: the gradient of ${who} is ${g}.`;
  }

  // A sentence is made when it is read: only that of the stop in view is.
  const lazy = (row, words) => Object.defineProperty(row, 8, { get: words, enumerable: true });
  const stops = lane.stops.map((row) => {
    const [i, node, edge, to, , , , flags] = row, ghost = flags & GHOST, step = stepOf.get(`${node} ${ghost > 0}`);
    if (i < 0) return row;
    if (edge < 0) return lazy([i, node, edge, to, "", "", "", ghost], () => arrived(step));
    const send = step.sends.find((s) => s.edge === edge), text = product(step, send), bad = !!nonfinite(send.value);
    const spoils = send.before === null ? bad : !!nonfinite(send.after), born = send.event.endsWith("born");
    const bits = ghost + BAD_MESSAGE * bad + BAD_ADJOINT * spoils + BORN * born;
    const told = lazy([i, node, edge, to, short(send.value), short(send.after), text, bits], () => sentence(step, send, text));
    const slope = local(send.edge), times = (v, k) => v * (isArray(slope) ? slope.sample[k] : slope);
    if (row[9]) told[9] = shadesOf(send.after);
    if (row[10] && slope !== null) told[10] = [shadesOf({ ...step.g, sample: step.g.sample.map(times) }), row[10][1], row[10][2], shadesOf(send.value)];
    return told;
  });
  const slopes = (n) => edges.flatMap(({ dst, src, formula, card }, e) => {
    if (dst !== n || !card || !formula) return [];
    const text = local(e) === null ? "" : short(local(e));
    return [`for ${name(src)}: ${formula}` + (text && text !== formula ? " = " + text : "")];
  });
  const seeds = lane.seeds.map(([of, node]) => [of, node, short(stepOf.get(`${node} true`)?.g ?? stepOf.get(`${of} false`).g)]);
  return { stops, slopes, seeds, local, values: new Map(Object.keys(drag.nodes).map((n) => [+n, value(+n)])) };
}
