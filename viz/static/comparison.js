// The table below a comparison, for other inputs: both gradients, slopes measured from values in float64, the verdict.
// `verdicts`
// are the sentences of viz/model/verdicts.py. An array is flat here, with its shape beside it.

const ELEMENTS = 256;

// The first element that is wrong: its place, -1 where none is, null where there is nothing to compare.
function firstWrong(got, want) {
  if (!got || !want) return got === want ? -1 : null;
  const close = (a, b) => Object.is(a, b) || a === b || (isFinite(a) && isFinite(b) && Math.abs(a - b) <= 1e-6 + 2e-3 * Math.abs(b));
  return Array.from(got).findIndex((v, k) => !close(v, want[k]));
}

// Two numbers in as few digits as tell them apart.
function apart(got, want, k) {
  const b = want[k || 0];
  if (!got) return ["none", short(b)];
  const pairs = [4, 6, 9, 17].map((digits) => [short(got[k || 0], digits), short(b, digits)]);
  return pairs.find(([p, q]) => p !== q) || pairs[0];
}

function comparisonTable({ table, labels, verdicts, lanes, runs }) {
  const custom = labels[0] === "derived" && labels[1] === "custom", who = [labels[0], custom ? "the custom rule" : labels[1]];
  const always = { first: labels[0], second: who[1], label: labels[1], most: ELEMENTS };
  const say = (kind, holes) => verdicts[kind].replace(/\{(\w+)\}/g, (_, hole) => ({ ...always, ...holes })[hole]);
  const last = (lane) => lane.drag.nodes[lane.drag.steps[0][0]], wide = tape(lanes[0].drag.code, { wide: true, upto: last(lanes[0]) + 1 });
  const nameOf = (lane, n) => lane.cards[n]?.name ?? lane.drag.names[n];
  const leaf = (lane, name) => lane.drag.ops.findIndex((op, n) => op[3] === "leaf" && n in lane.drag.nodes && nameOf(lane, n) === name);
  const names = [...new Set(lanes.flatMap((lane) => lane.drag.ops.flatMap((op, n) => (op[3] === "leaf" && n in lane.drag.nodes ? [nameOf(lane, n)] : []))))];
  const weights = (n, seed) => Array.from({ length: n }, (_, k) => seed + (seed === 1 ? 0 : k / n));

  function holds(name) {
    const i = lanes.findIndex((lane) => leaf(lane, name) >= 0);
    return runs[i].cells[lanes[i].drag.nodes[leaf(lanes[i], name)]];
  }

  // The gradient of one lane, for an upstream gradient that begins with a seed; undefined where the code decides otherwise.
  function gradient(side, name, values, seed) {
    const lane = lanes[side], { cells, run } = runs[side], n = leaf(lane, name), step = lane.drag.steps.find((s) => s[0] === n && !s[1]);
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

  // The same from values alone: central differences of two steps, extrapolated.
  function difference(name, values, seed) {
    const lane = lanes[0], at = leaf(lane, name), y = wide.cells[last(lane)], w = weights(y.length, seed);
    if (at < 0) return Float64Array.from(values, () => 0);
    for (const other of names) if (leaf(lane, other) >= 0) wide.cells[lane.drag.nodes[leaf(lane, other)]].set(holds(other));
    const x = wide.cells[lane.drag.nodes[at]];
    x.set(values);
    const value = () => {
      wide.run();
      return y.reduce((s, v, k) => s + v * w[k], 0);
    };
    return Float64Array.from(values, (v, k) => {
      const h = 1e-4 * Math.max(1, Math.abs(v)), slope = (step) => {
        x[k] = v + step;
        const up = value();
        x[k] = v - step;
        return (up - value()) / (2 * step);
      };
      const [coarse, fine] = [slope(h), slope(h / 2)];
      x[k] = v;
      return (4 * fine - coarse) / 3;
    });
  }

  function verdict(name, shape, start, found, judge) {
    const [first, second] = found, place = (k) => {
      if (k === null || !shape.length) return "";
      const at = [];
      for (const n of [...shape].reverse()) {
        at.unshift(k % n);
        k = Math.floor(k / n);
      }
      return ` at ${name}[${at.join(", ")}]`;
    };
    if (!first && !second) return say("neither");
    if (!judge) return say("many");
    if (!judge.every(isFinite)) return say(firstWrong(first, second) === -1 ? "unknown, equal" : "unknown, unequal");
    const wrong = found.map((value) => firstWrong(value, judge)), fails = wrong.map((k) => k !== -1);
    if (fails[0] && fails[1]) return say("both wrong", { at: place(wrong[1]) });
    for (const side of custom ? [1] : [0, 1]) {
      const words = fails[side] ? "" : elsewhere(side, name, shape, start, place);
      if (words) return words;
    }
    if (!fails[0] && !fails[1]) return say("both right");
    const side = fails[0] ? 0 : 1, [got, want] = apart(found[side], judge, wrong[side]), holes = { got, want, at: place(wrong[side]) };
    if (!side) return say(`${custom ? "repaired" : "first wrong"}${first ? "" : ", missing"}`, holes);
    if (["nan", "inf", "-inf"].includes(got)) return say("broken", holes);
    return say(custom ? "another slope" : "second wrong", holes);
  }

  // What is wrong for another upstream gradient or at a point nearby.
  function elsewhere(side, name, shape, start, place) {
    for (const [seed, toward] of [[2, 0], [1, 0.5], [1, -0.5]]) {
      const values = Float64Array.from(start, (v) => v + toward * Math.max(1, Math.abs(v)));
      const got = gradient(side, name, values, seed), want = difference(name, values, seed);
      const k = got !== undefined && want.every(isFinite) ? firstWrong(got, want) : -1;
      if (k === -1) continue;
      const [mine, real] = apart(got, want, k), axes = shape.join("×"), holes = { who: who[side], got: mine, want: real, at: place(k) };
      if (toward) return say("wrong nearby", { ...holes, place: `${name} = ${short(summary(values, "d", "float64", axes))}` });
      const up = weights(runs[side].cells[lanes[side].drag.seed].length, 2), y = lanes[side].drag.ops[lanes[side].drag.steps[0][0]][2];
      return say("wrong upstream", { ...holes, seed: short(summary(up, "d", "float64", y || "")) });
    }
    return "";
  }

  return () => {
    for (const row of table.querySelectorAll("tbody tr")) {
      const name = row.cells[0].textContent, i = lanes.findIndex((lane) => leaf(lane, name) >= 0);
      if (i < 0) continue;
      const axes = lanes[i].drag.ops[leaf(lanes[i], name)][2] || "", shape = axes ? axes.split("×").map(Number) : [];
      const start = Float64Array.from(holds(name)), found = [0, 1].map((side) => gradient(side, name, start, 1));
      const judge = start.length > ELEMENTS ? null : difference(name, start, 1);
      [...found, judge].forEach((value, k) => {
        const told = value ? summary(value, "d", "float64", axes) : null, cell = row.cells[k + 1];
        write(cell, k === 2 && !value ? "not checked" : short(told));
        if (told === null) cell.removeAttribute("title");
        else cell.title = full(told);
      });
      write(row.cells[4], verdict(name, shape, start, found, judge));
    }
  };
}
