// Rules tried on a page: the numbers behind "Your rule", without the panel. The language and the verdict are those of
// viz/rule/, the numbers come from a tape to which the instructions of the rules are added.

// `rule` is what viz/rule/opening.py gives. Of the result, `inputs` are those with a rule, `entries` their elements with the
// field of each, `names` those of the language, `read(texts)` reads rules, `changed()` is for other numbers of the picture,
// and `looked(entry, range)` gives the sample here, the samples along a range, and the verdict.
function triedOf({ lane, run, fields, rule }) {
  const { drag } = lane, { seed } = drag, [out] = drag.steps[0], y = drag.nodes[out], guards = drag.guards || [];
  const shapeOf = (n) => (drag.ops[n][2] ? drag.ops[n][2].split("×").map(Number) : []), yShape = shapeOf(out);
  const weights = (first) => run.cells[seed].map((_, k, all) => first + (first === 1 ? 0 : k / all.length));
  const every = drag.inputs.map(([n, cell]) => {
    const name = lane.cards[n]?.name ?? drag.names[n], step = drag.steps.find((s) => s[0] === n && !s[1]);
    return { name, box: n, cell, shape: shapeOf(n), adjoint: step?.[2], type: run.types[cell], text: rule.inputs.find(([other]) => other === name)?.[1] };
  });
  let taken = 0;
  const places = ({ shape }, k) => shape.reduceRight(([at, rest], n) => [[rest % n, ...at], Math.floor(rest / n)], [[], k])[0];
  const all = every.flatMap((input) => [...run.cells[input.cell]].map((_, k) => ({
    input, k, cell: input.cell, name: input.name + (input.shape.length ? `[${places(input, k).join(", ")}]` : ""), field: fields?.all[taken++],
  })));
  const inputs = every.filter(({ text }) => text), entries = all.filter(({ input }) => input.text), names = Object.create(null);
  for (const { name, cell, shape, type } of inputs) names[name] = { cell, shape, type };
  names.upstream = { cell: seed, shape: yShape, type: run.types[seed] };
  names[rule.output] = { cell: y, shape: yShape, type: run.types[y] };
  for (const [name, text] of Object.entries(rule.locals)) names[name] = { text };

  // Tapes: what the picture has, the same in float64, the value alone in float64, and both passes with the rules.
  const narrow = tape(drag.code), wide = tape(drag.code, { wide: true }), values = tape(drag.code, { wide: true, upto: Math.max(y, ...guards.map(([cell]) => cell)) + 1 });
  let mine = null, mineWide = null, slopes = new Map(), were = "";
  const now = ({ cell, k }) => run.cells[cell][k], rounded = (type, x) => (type === "f" ? Math.fround(x) : type === "e" ? half(x) : x);

  // Runs a tape with another number in an entry; returns whether the code decides as it did.
  function at(t, entry, x, first = 1) {
    for (const { cell } of every) t.cells[cell].set(run.cells[cell]);
    t.cells[entry.cell][entry.k] = x;
    t.cells[seed]?.set(weights(first)); // of values alone there is none
    t.run();
    return guards.every(([cell, v]) => t.cells[cell][0] === v);
  }

  // What is measured of the function at an input, whatever the rule: kept while the other numbers stay.
  function slopeAt(entry, x, first) {
    const key = `${entry.name} ${x} ${first}`, { adjoint, type } = entry.input;
    if (slopes.has(key)) return slopes.get(key);
    const of = (t) => (adjoint === undefined ? 0 : t.cells[adjoint][entry.k]), w = weights(first), unit = Math.max(1, Math.abs(x));
    const follows = at(narrow, entry, x, first), derived = of(narrow);
    at(wide, entry, x, first);
    const exact = of(wide), value = (t) => (at(values, entry, x + t) ? values.cells[y].reduce((s, v, k) => s + v * w[k], 0) : NaN);
    const found = measured(value, unit, Math.abs(exact)), bend = found.low < found.high ? value(1e-4 * unit) + value(-1e-4 * unit) - 2 * value(0) : 0;
    const [room, least] = ruling.ROOM[type], told = short(summary(w, "d", "float64", yShape.join("×")));
    const made = { ...found, state: follows ? found.state : "edge", x, bend, exact, derived, room, least, seed: told, mine: NaN, wide: NaN, doubt: 0 };
    slopes.set(key, made);
    return made;
  }

  // A sample for viz/rule/judge.py; without a rule that was read, one of the function alone.
  function sample(entry, x, first = 1) {
    const seen = slopeAt(entry, x, first), { input } = entry;
    if (!mine) return seen;
    const { cell, shape } = input.rule.value, pick = (t) => t.cells[cell][shape.length ? entry.k : 0];
    at(mine, entry, x, first);
    at(mineWide, entry, x, first);
    return { ...seen, mine: rounded(input.type, pick(mine)), wide: pick(mineWide), doubt: ruling.doubt(input.rule, mineWide.cells, entry.k, 2 ** -52) };
  }

  // Whether the rule gives the gradient of a square array with rows and columns exchanged.
  function transposed(input) {
    const [n, m] = input.shape;
    if (input.shape.length !== 2 || n !== m) return false;
    const rows = entries.filter((e) => e.input === input).map((e) => sample(e, now(e)));
    if (rows.some((row) => !ruling.right_slopes(row)) || !rows.some((row) => ruling.word_of(row) === "wrong")) return false;
    return rows.every((row, i) => {
      const v = rows[(i % n) * n + Math.floor(i / n)].mine;
      return ["", "rounded", "blurred"].includes(ruling.word_of({ ...row, mine: v, wide: v }));
    });
  }

  return {
    inputs, entries, names, now,
    // Each input gets its rule, and `wrong` with why it is refused, "" where it is not.
    read(texts) {
      let { code } = drag;
      inputs.forEach((input, i) => {
        const made = (input.rule = new ruling.Rule(texts[i], names, code.length));
        input.wrong = made.error || ruling.misfit(made, input.name, input.shape);
        if (!made.error) code = [...code, ...made.rows];
      });
      const good = inputs.every(({ wrong }) => !wrong);
      [mine, mineWide] = good ? [tape(code), tape(code, { wide: true })] : [null, null];
      return good;
    },
    changed(entry) {
      const are = every.map(({ cell }) => [...run.cells[cell]].map((v, k) => (entry.cell === cell && entry.k === k ? "" : v))).join();
      if (are !== were) slopes = new Map();
      were = are;
    },
    looked(entry, [low, high]) {
      const { input, k } = entry, n = ruling.SAMPLES, bad = [...run.cells[y]], value = bad.find(isNan) ?? bad.find(isInf);
      const rows = Array.from({ length: n }, (_, i) => sample(entry, rounded(input.type, low + ((high - low) * i) / (n - 1)))), here = sample(entry, now(entry));
      const others = entries.filter((e) => e !== entry).map((e) => ({ ...sample(e, now(e)), name: e.name }));
      const found = mine && ruling.judged(entry.name, here, rows, {
        value: value === undefined ? "" : short(value), derived: here.derived, forgets: !input.rule.used.includes("upstream"),
        seeds: [2, -1].map((first) => sample(entry, now(entry), first)), others, transposed: transposed(input), array: input.name, alone: !others.length,
        why: (row) => { at(mine, entry, row.x); return ruling.reason(input.rule, mine.cells, k); },
      });
      return { here, rows, found };
    },
    // What the rules send to each input at the numbers of the picture.
    given() {
      for (const { cell } of every) mine.cells[cell].set(run.cells[cell]);
      mine.cells[seed].set(weights(1));
      mine.run();
      return inputs.map(({ name, box, cell, shape, type, rule: { value, text } }) => {
        const whole = summary(Array.from(run.cells[cell], (_, k) => rounded(type, mine.cells[value.cell][value.shape.length ? k : 0])), type, drag.ops[box][1], shape.join("×"));
        return { node: box, name, rule: text, text: short(whole), shades: isArray(whole) ? shadesOf(whole) : null };
      });
    },
    // The whole function with the rules, as Python.
    python: () => rule.copy[0] + rule.inputs.map(([name]) => inputs.find((i) => i.name === name)?.rule.python() ?? "None").join(", ") + rule.copy[1],
  };
}
