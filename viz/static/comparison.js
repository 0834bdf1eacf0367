// The table below a comparison, for other inputs: both gradients, slopes measured from values in float64, the verdict; and
// the sentence about its worst row. `verdicts` are the sentences of viz/model/verdicts.py, from the worst to the best. An
// array is flat here, with its shape beside it.

const ELEMENTS = 256;

const first = (marked) => Array.from(marked).findIndex(Boolean);

// The first element in which two gradients differ: its place, -1 if there is none, null if there is nothing to compare.
function unequal(got, want) {
  if (!got || !want) return got === want ? -1 : null;
  const close = (a, b) => Object.is(a, b) || a === b || (isFinite(a) && isFinite(b) && Math.abs(a - b) <= 2e-3 * Math.abs(b));
  return first(Array.from(got, (v, k) => !close(v, want[k])));
}

// The first element that is wrong. At a kink every slope from `low` to `high` is right; a missing gradient counts as 0.
// `exact` is the gradient in float64, which has to be as exact as the slope is, other than at a kink.
function firstWrong(got, exact, { value, low, high, error, rounding }) {
  return first(Array.from(low, (v, k) => {
    const mine = got ? got[k] : 0, slack = 2e-3 * Math.max(Math.abs(v), Math.abs(high[k])) + error[k] + rounding[k];
    if (exact && isFinite(exact[k]) && v === high[k] && Math.abs(exact[k] - value[k]) > 1e-5 * Math.abs(v) + error[k] + 3e-11) return true;
    return !(mine >= v - slack && mine <= high[k] + slack);
  }));
}

// Two numbers in as few digits as tell them apart; at a kink the second is a range.
function apart(got, { value, low, high }, k) {
  if (low[k] < high[k]) return [got ? short(got[k]) : "none", [...new Set([short(low[k]), short(high[k])])].join(" to ")];
  const b = value[k || 0];
  if (!got) return ["none", short(b)];
  const pairs = [4, 6, 9, 17].map((digits) => [short(got[k || 0], digits), short(b, digits)]);
  return pairs.find(([p, q]) => p !== q) || pairs[0];
}

function comparisonTable({ table, labels, verdicts, lanes, runs }) {
  const custom = labels[0] === "derived" && labels[1] === "custom", who = [labels[0], custom ? "the custom rule" : labels[1]];
  const always = { first: labels[0], second: who[1], label: labels[1], most: ELEMENTS };
  const say = (kind, holes) => ({ kind, place: holes?.at ?? "", words: verdicts[kind].replace(/\{(\w+)\}/g, (_, hole) => ({ ...always, ...holes })[hole]) });
  const last = (lane) => lane.drag.nodes[lane.drag.steps[0][0]], wide = tape(lanes[0].drag.code, { wide: true, upto: last(lanes[0]) + 1 });
  const exacts = lanes.map((lane) => tape(lane.drag.code, { wide: true }));
  const size = (name) => holds(name).length;
  const nameOf = (lane, n) => lane.cards[n]?.name ?? lane.drag.names[n];
  const leaf = (lane, name) => lane.drag.ops.findIndex((op, n) => op[3] === "leaf" && n in lane.drag.nodes && nameOf(lane, n) === name);
  const names = [...new Set(lanes.flatMap((lane) => lane.drag.ops.flatMap((op, n) => (op[3] === "leaf" && n in lane.drag.nodes ? [nameOf(lane, n)] : []))))];
  const weights = (n, seed) => Array.from({ length: n }, (_, k) => seed + (seed === 1 ? 0 : k / n));

  function holds(name) {
    const i = lanes.findIndex((lane) => leaf(lane, name) >= 0);
    return runs[i].cells[lanes[i].drag.nodes[leaf(lanes[i], name)]];
  }

  // The gradient of one lane, for an upstream gradient that begins with a seed; undefined where the code decides otherwise.
  function gradient(side, name, values, seed, { cells, run } = runs[side]) {
    const lane = lanes[side], n = leaf(lane, name), step = lane.drag.steps.find((s) => s[0] === n && !s[1]);
    if (!step) return null;
    const x = cells[lane.drag.nodes[n]], before = x.slice(), up = cells[lane.drag.seed];
    x.set(values);
    up.set(weights(up.length, seed));
    run();
    const strayed = (lane.drag.guards || []).some(([cell, v]) => cells[cell][0] !== v), found = Float64Array.from(cells[step[2]]);
    x.set(before);
    up.fill(1);
    run();
    return strayed ? undefined : found;
  }

  // The same in float64.
  function exactly(side, name, values, seed) {
    const lane = lanes[side];
    for (const other of names) if (leaf(lane, other) >= 0) exacts[side].cells[lane.drag.nodes[leaf(lane, other)]].set(holds(other));
    return gradient(side, name, values, seed, exacts[side]);
  }

  // Whether the value or the derived gradient is not finite in the dtype used.
  function overflows(side, name, values, seed) {
    const own = custom ? 0 : side, lane = lanes[own], { cells, run } = runs[own], derived = gradient(own, name, values, seed);
    if (derived && !derived.every(isFinite)) return true;
    if (leaf(lane, name) < 0) return false;
    const x = cells[lane.drag.nodes[leaf(lane, name)]], before = x.slice();
    x.set(values);
    run();
    const finite = Array.from(cells[last(lane)]).every(isFinite);
    x.set(before);
    run();
    return !finite;
  }

  // The same from values alone: central differences of two steps, extrapolated.
  function difference(name, values, seed, claim) {
    const lane = lanes[0], at = leaf(lane, name), y = wide.cells[last(lane)], w = weights(y.length, seed);
    const joined = (found) => ({
      state: found.map((one) => one.state),
      ...Object.fromEntries(["value", "low", "high", "error", "rounding"].map((key) => [key, Float64Array.from(found, (one) => one[key])])),
    });
    if (at < 0) return joined(Array.from(values, () => ({ state: "", value: 0, low: 0, high: 0, error: 0, rounding: 0 })));
    for (const other of names) if (leaf(lane, other) >= 0) wide.cells[lane.drag.nodes[leaf(lane, other)]].set(holds(other));
    const x = wide.cells[lane.drag.nodes[at]];
    x.set(values);
    return joined(Array.from(values, (v, k) => {
      const found = measured((t) => {
        x[k] = v + t;
        wide.run();
        return y.reduce((s, one, j) => s + one * w[j], 0);
      }, Math.max(1, Math.abs(v)), claim ? Math.abs(claim[k]) : 0);
      x[k] = v;
      return found;
    }));
  }

  const shapeOf = (name) => {
    const i = lanes.findIndex((lane) => leaf(lane, name) >= 0), axes = lanes[i].drag.ops[leaf(lanes[i], name)][2] || "";
    return axes ? axes.split("×").map(Number) : [];
  };

  // The element of an array, where it is one.
  function placeOf(name, k) {
    const at = [], shape = shapeOf(name);
    if (k === null || !shape.length) return "";
    for (const n of [...shape].reverse()) {
      at.unshift(k % n);
      k = Math.floor(k / n);
    }
    return ` at ${name}[${at.join(", ")}]`;
  }

  // What is wrong with a gradient: an entry of it, or at a kink its slope along a direction; null if nothing is.
  function fault(side, name, values, seed, got, judge) {
    const k = firstWrong(got, exactly(side, name, values, seed), judge);
    if (k !== -1) {
      const [mine, want] = apart(got, judge, k);
      return { got: mine, want, at: placeOf(name, k), wrong: true };
    }
    if (!judge.low.some((v, i) => v < judge.high[i])) return null;
    const spots = [], rounded = [], sharp = [], lane = lanes[0];
    for (const other of names) {
      if (size(other) > ELEMENTS || leaf(lane, other) < 0) continue;
      const at = holds(other), was = holds(name).slice();
      holds(name).set(values);
      const now = other === name ? values : Float64Array.from(at), mine = other === name ? got : gradient(side, other, now, seed);
      const exact = exactly(side, other, now, seed), ends = other === name ? judge : difference(other, now, seed, mine);
      holds(name).set(was);
      if (mine === undefined || (other !== name && firstWrong(mine, exact, ends) !== -1)) continue;
      ends.low.forEach((v, i) => {
        if (!(v < ends.high[i])) return;
        spots.push([other, i]);
        rounded.push(mine ? mine[i] : 0);
        sharp.push((exact ?? mine) ? (exact ?? mine)[i] : 0);
      });
    }
    for (const other of names) if (leaf(lane, other) >= 0) wide.cells[lane.drag.nodes[leaf(lane, other)]].set(other === name ? values : holds(other));
    const y = wide.cells[last(lane)], w = weights(y.length, seed), cell = (other) => wide.cells[lane.drag.nodes[leaf(lane, other)]];
    const start = spots.map(([other, i]) => cell(other)[i]), unit = Math.max(1, ...start.map(Math.abs));
    const value = (t) => {
      spots.forEach(([other, i], k) => { cell(other)[i] = start[k] + t[k]; });
      wide.run();
      return y.reduce((s, one, j) => s + one * w[j], 0);
    };
    const found = crossing(value, sharp, unit, 1e-5) ?? crossing(value, rounded, unit, 2e-3);
    spots.forEach(([other, i], k) => { cell(other)[i] = start[k]; });
    const touched = found ? spots.filter((_, k) => found.direction[k]) : [];
    if (!touched.some(([other]) => other === name)) return null;
    const ends = [found.got, found.low, found.high];
    const [mine, low, high] = [4, 6, 9, 17].map((digits) => ends.map((v) => short(v, digits))).find(([a, b, c]) => a !== b && a !== c) || ends.map((v) => short(v, 17));
    return { got: mine, want: low === high ? low : `${low} to ${high}`, at: touched.length === 1 ? placeOf(name, touched[0][1]) : alongOf(spots, found.direction, touched), wrong: found.wrong };
  }

  // A direction in words: the arrays of the inputs that move.
  function alongOf(spots, direction, touched) {
    const moves = [...new Set(touched.map(([other]) => other))].map((other) => {
      const move = new Float64Array(size(other));
      spots.forEach(([one, i], k) => { if (one === other) move[i] = direction[k]; });
      return `${other} = ${short(summary(move, "d", "float64", shapeOf(other).join("×")))}`;
    });
    return ` along ${moves.join(", ")}`;
  }

  let agree = true; // whether the two gradients that were judged last agree
  function verdict(name, start, found, judge) {
    const [first, second] = found, place = (k) => placeOf(name, k);
    agree = unequal(first, second) === -1;
    if (!first && !second) return say("neither");
    if (!judge) return say("many");
    for (const [state, kind] of [["edge", "unknown"], ["jump", "jump"], ["noise", "hidden"], ["steep", "steep"]]) {
      const k = judge.state.indexOf(state);
      if (k >= 0) return say(`${kind}, ${unequal(first, second) === -1 ? "equal" : "unequal"}`, { at: state === "edge" ? "" : place(k) });
    }
    const exact = [0, 1].map((side) => exactly(side, name, start, 1));
    const wrong = found.map((value, side) => fault(side, name, start, 1, value, judge)), unknown = wrong.find((one) => one && !one.wrong);
    if (unknown) return say(`steep, ${unequal(first, second) === -1 ? "equal" : "unequal"}`, unknown);
    agree &&= !wrong[0] === !wrong[1];
    if (wrong[0] && wrong[1]) return say("both wrong", wrong[1]);
    for (const side of custom ? [1] : [0, 1]) {
      const other = wrong[side] ? null : elsewhere(side, name, start);
      if (other) return other;
    }
    if (!wrong[0] && !wrong[1]) {
      const k = judge.low.findIndex((v, i) => v < judge.high[i]);
      const differs = unequal(first, second);
      if (k < 0 && differs !== -1) { // what differs in float64 too is hidden by the uncertainty of the slopes
        const rounded = exact[0] && exact[1] && unequal(...exact) !== differs;
        return say(rounded ? "both right, rounded" : "hidden, unequal", { at: place(differs) });
      }
      const kinks = judge.low.filter((v, i) => v < judge.high[i]).length;
      return k < 0 ? say("both right") : say(kinks > 1 ? "both right, kinks" : "both right, kink", { low: short(judge.low[k]), high: short(judge.high[k]), at: place(k) });
    }
    const holes = wrong[0] ?? wrong[1];
    if (wrong[0]) return say(`${custom ? "repaired" : "first wrong"}${first ? "" : ", missing"}`, holes);
    if (["nan", "inf", "-inf"].includes(holes.got)) return say("broken", holes);
    return say(custom ? "another slope" : "second wrong", holes);
  }

  // What is wrong for another upstream gradient or at a point nearby.
  function elsewhere(side, name, start) {
    for (const [seed, toward] of [[2, 0], [-1, 0], [64, 0], [0.015625, 0], [1, 0.5], [1, -0.5]]) {
      const values = Float64Array.from(start, (v) => v + toward * Math.max(1, Math.abs(v)));
      if (toward && overflows(side, name, values, seed)) continue;
      const got = gradient(side, name, values, seed), want = difference(name, values, seed, got);
      const one = got !== undefined && !want.state.some(Boolean) ? fault(side, name, values, seed, got, want) : null;
      if (!one?.wrong) continue;
      const axes = shapeOf(name).join("×"), holes = { who: who[side], ...one };
      if (toward) return say("wrong nearby", { ...holes, place: `${name} = ${short(summary(values, "d", "float64", axes))}` });
      const up = weights(runs[side].cells[lanes[side].drag.seed].length, seed), y = lanes[side].drag.ops[lanes[side].drag.steps[0][0]][2];
      return say(seed === 2 ? "wrong upstream" : "wrong other upstream", { ...holes, seed: short(summary(up, "d", "float64", y || "")) });
    }
    return null;
  }

  // The values of both passes in a phrase, as viz/sentences/two_passes.py writes it.
  function valuesOf() {
    const ys = lanes.map((lane, i) => runs[i].cells[last(lane)]), same = Array.from(ys[0]).every((v, k) => v === ys[1][k] || (isNan(v) && isNan(ys[1][k])));
    if (same && custom) return "Same value";
    if (lanes.some((lane) => lane.drag.ops[lane.drag.steps[0][0]][2]) || !isFinite(ys[0][0]) || !isFinite(ys[1][0])) return "";
    const [one, other] = [ys[0][0], ys[1][0]], [a, b] = toldApart(one, other);
    if (same || a === b) return `Same value (${a})`;
    if (Math.abs(one - other) <= 1e-4 * Math.max(Math.abs(one), Math.abs(other))) return custom ? "" : `Nearly the same value (${figure(one)})`;
    return `Two values, ${labels[0]} ${a} and ${labels[1]} ${b}`;
  }

  // Writes the table; returns the sentence about it.
  return () => {
    const all = [];
    for (const row of table.querySelectorAll("tbody tr")) {
      const name = row.cells[0].textContent, i = lanes.findIndex((lane) => leaf(lane, name) >= 0);
      if (i < 0) continue;
      const axes = shapeOf(name).join("×");
      const start = Float64Array.from(holds(name)), found = [0, 1].map((side) => gradient(side, name, start, 1));
      const judge = start.length > ELEMENTS ? null : difference(name, start, 1, found[1]);
      const { kind, place, words } = verdict(name, start, found, judge), [one, other] = found.map((v) => v && summary(v, "d", "float64", axes));
      const slope = judge?.value[0], right = kind === "first wrong" ? other : one, numbers = one !== null && other !== null && !axes;
      all.push({
        argument: name, kind, verdict: words, rank: Object.keys(verdicts).indexOf(kind), agree,
        sent: bothSent(one, other), same: signed(other), bad: [nonfinite(one ?? 0), nonfinite(other ?? 0)], unlike: false,
        repeats: numbers && !place && Math.abs(right - slope) <= 1e-3 * Math.max(Math.abs(right), Math.abs(slope)),
      });
      [...found, judge?.state.some((s) => ["noise", "jump", "steep"].includes(s)) ? null : judge?.value].forEach((value, k) => {
        const told = value ? summary(value, "d", "float64", axes) : null, cell = row.cells[k + 1];
        write(cell, k === 2 && !value ? (/^no reference: the function jumps/.test(words) ? "jump" : "not checked") : short(told));
        if (told === null) cell.removeAttribute("title");
        else cell.title = full(told);
      });
      write(row.cells[4], words);
    }
    return all.length ? compared(valuesOf(), custom, custom ? ["the derived pass", "the rule"] : labels, all) : "";
  };
}

// Numbers and arrays in the words of viz/sentences/number_words.py; [two gradients] with enough digits to tell them apart.
function signed(v) {
  if (!isArray(v)) return v === null ? "none" : figure(v);
  if (v.n && v.n <= 4) return `[${v.sample.map(signed).join(" ")}]`;
  if (nonfinite(v) || !v.n) return short(v);
  return v.min === v.max ? `all ${figure(v.min)}` : `${figure(v.min)}…${figure(v.max)}`;
}

const toldApart = (a, b) => [[figure(a), figure(b)], ...[4, 6, 9, 17].map((n) => [short(a, n), short(b, n)])].find(([p, q]) => p !== q) ?? [figure(a), figure(b)];

function bothSent(one, other) {
  if (one !== null && other !== null && !isArray(one) && !isArray(other)) return toldApart(one, other);
  const upper = (v) => (isArray(v) && v.n > 4 && !nonfinite(v) && v.min !== v.max ? `up to ${figure(Math.max(Math.abs(v.min), Math.abs(v.max)))}` : signed(v));
  const words = [one, other].map((v) => (v === null ? "nothing" : upper(v)));
  return words[0] !== words[1] ? words : [short(one), short(other)];
}

// The pass of a function with the rule that was typed instead of its own: `texts` by input. null where it is no call with a rule.
function retyped(lane, rule, texts, types) {
  const { drag, graph, cards } = lane, [call, , up, rows] = drag.steps[0], names = Object.create(null), sent = new Map();
  if (graph.nodes[call].kind !== "custom" || rule.results.length > 1) return null;
  const nameOf = (n) => cards[n]?.name ?? drag.names[n], as = (n, cell) => ({ cell, shape: shapeIn(drag, n), type: types[cell] });
  for (const [n, cell] of drag.inputs) names[nameOf(n)] = as(n, cell);
  for (const [name, upstream] of rule.results) Object.assign(names, { [upstream]: as(call, up), [name]: as(call, drag.nodes[call]) });
  for (const [name, text] of Object.entries(rule.locals)) names[name] = { text };
  let { code } = drag;
  for (const [edge] of rows) {
    const [n] = drag.edges[edge], text = texts[nameOf(n)], type = types[drag.nodes[n]];
    if (!text) continue;
    const made = new ruling.Rule(text, names, code.length);
    if (made.error) return null;
    code = [...code, ...made.rows, ["as", type, made.value.cell]];
    sent.set(edge, code.length - 1);
  }
  const { code: all, steps } = rerouted(drag, code, sent), ops = drag.ops.map(([op, type = "", shape = "", kind = "", typed = ""], n) => [op, type, shape, kind, n === call ? "that you typed" : typed]);
  return { ...drag, code: all, ops, steps: [...steps, ...drag.steps.filter((s) => s[1])] };
}
