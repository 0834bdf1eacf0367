// Rules tried on a page: the numbers behind "Your rule", without the panel. The language and the verdict are those of
// viz/rule/, the numbers come from a tape to which the instructions of the rules are added.

// `rule` is what viz/rule/opening.py gives. Of the result, `aimed(n)` gives the rules to a box, `inputs` are those with a rule
// and `names` those of the language then, `entries` are the elements of the function's inputs with the field of each;
// `read(texts)` reads rules, `changed()` is for other numbers of the picture, `looked(entry, range)` gives the sample here, the
// samples along a range, and the verdict, `ends()` and `shown()` what arrives at the inputs, and `python()` the program.
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
  const whole = { inputs: every.filter(({ text }) => text), names: Object.create(null) }, entries = all.filter(({ input }) => input.text), { names } = whole;
  for (const { name, cell, shape, type } of whole.inputs) names[name] = { cell, shape, type };
  names.upstream = { cell: seed, shape: yShape, type: run.types[seed] };
  names[rule.output] = { cell: y, shape: yShape, type: run.types[y] };
  for (const [name, text] of Object.entries(rule.locals)) names[name] = { text };

  // Tapes: what the picture has, the same in float64, the value alone in float64, and both passes with the rules.
  const narrow = tape(drag.code), wide = tape(drag.code, { wide: true }), values = tape(drag.code, { wide: true, upto: Math.max(y, ...guards.map(([cell]) => cell)) + 1 });
  let aim = whole, steps = null, mine = null, mineWide = null, slopes = new Map(), were = "";
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
    const pick = aim === whole ? (t) => sentBy(input, t)(entry.k) : (t) => t.cells[adjointOf(input)][entry.k];
    at(mine, entry, x, first);
    at(mineWide, entry, x, first);
    const wide = pick(mineWide), over = watched().some((c) => mine.cells[c].some(isInf) && !mineWide.cells[c].some(isInf));
    return { ...seen, over, mine: rounded(input.type, pick(mine)), wide, doubt: aim === whole ? ruling.doubt(input.rule, mineWide.cells, entry.k, 2 ** -52) : spread(wide) };
  }

  // The cells that a rule may use; where a box has one, also those of the pass that goes on.
  const watched = () => (aim !== whole ? mine.cells.map((_, c) => c) : [...Object.values(names).flatMap(({ cell }) => cell ?? []), ...whole.inputs.flatMap(({ rule }) => rule.rows.map((_, k) => rule.start + k))]);

  // What a rule sends to each entry; where a box has one, the adjoint of an input when the pass is over.
  const sentBy = ({ rule: { value } }, t) => (k) => t.cells[value.cell][value.shape.length ? k : 0];
  const adjointOf = ({ box }) => steps.find(([n]) => n === box)[2];

  // How much rounding in the rules of a box may change a gradient that goes on from there: as much as them, in proportion.
  function spread(wide) {
    let most = 0;
    for (const { rule, shape } of aim.inputs) for (let k = shape.reduce((a, b) => a * b, 1) - 1; k >= 0; k--) {
      const off = ruling.doubt(rule, mineWide.cells, k, 2 ** -52);
      if (off > 0) most = Math.max(most, off / Math.abs(sentBy({ rule }, mineWide)(k)));
    }
    return most < Infinity ? most * Math.abs(wide) : Infinity;
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

  // The first operation of the rules that makes a nan.
  function reasonAt(entry, row) {
    at(mine, entry, row.x);
    if (aim === whole) return ruling.reason(entry.input.rule, mine.cells, entry.k);
    const found = aim.inputs.flatMap(({ rule }) => [...mine.cells[rule.value.cell]].flatMap((v, k) => (isNan(v) ? [ruling.reason(rule, mine.cells, k)] : [])));
    return found.find(Boolean) ?? "";
  }

  return {
    entries, now,
    get inputs() { return aim.inputs; },
    get names() { return aim.names; },
    get output() { return aim.output ?? rule.output; },
    // The rules are those of box `n`, or of the whole function for -1. Returns whether the box can have rules.
    aimed(n) {
      const box = n < 0 ? whole : boxRule(lane, n, run.types);
      if (!box) return false;
      aim = box;
      if (aim !== whole) for (const input of aim.inputs) Object.assign(input, textOf(lane, aim, input, (text) => {
        const rule = new ruling.Rule(text, aim.names, drag.code.length);
        return !rule.error && !ruling.misfit(rule, input.name, input.shape);
      }));
      return true;
    },
    // Each input gets its rule, and `wrong` with why it is refused, "" where it is not.
    read(texts) {
      let { code } = drag;
      aim.inputs.forEach((input, i) => {
        const made = (input.rule = new ruling.Rule(texts[i], aim.names, code.length));
        input.wrong = made.error || ruling.misfit(made, input.name, input.shape);
        if (!made.error) code = [...code, ...made.rows];
      });
      const good = aim.inputs.every(({ wrong }) => !wrong);
      const sent = good && aim !== whole && messages(); // it adds to the code
      if (sent) ({ code, steps } = rerouted(drag, code, sent));
      [mine, mineWide] = good ? [tape(code), tape(code, { wide: true })] : [null, null];
      return good;

      // By edge. Where a box uses an argument twice, its rule is for the sum, and the other edges send nothing.
      function messages() {
        return new Map(aim.inputs.flatMap(({ box, shape, edges, rule: { value } }) => {
          const n = shape.reduce((a, b) => a * b, 1), type = run.types[drag.nodes[box]];
          if (value.type !== type) code = [...code, ["as", type, value.cell]];
          const cell = value.type !== type ? code.length - 1 : value.cell;
          if (edges.length > 1) code = [...code, ["is", type, Array(n).fill(0)]];
          return edges.map((edge, k) => [edge, k ? code.length - 1 : cell]);
        }));
      }
    },
    changed(entry) {
      const are = every.map(({ cell }) => [...run.cells[cell]].map((v, k) => (entry.cell === cell && entry.k === k ? "" : v))).join();
      if (are !== were) slopes = new Map();
      were = are;
    },
    looked(entry, [low, high]) {
      const { input } = entry, n = ruling.SAMPLES, bad = [...run.cells[y]], value = bad.find(isNan) ?? bad.find(isInf);
      const rows = Array.from({ length: n }, (_, i) => sample(entry, rounded(input.type, low + ((high - low) * i) / (n - 1)))), here = sample(entry, now(entry));
      const others = entries.filter((e) => e !== entry).map((e) => ({ ...sample(e, now(e)), name: e.name }));
      const found = mine && ruling.judged(entry.name, here, rows, {
        value: value === undefined ? "" : short(value), derived: here.derived, forgets: aim.inputs.every(({ rule }) => !rule.used.includes("upstream")),
        seeds: [2, -1].map((first) => sample(entry, now(entry), first)), others, transposed: transposed(input), array: input.name, alone: !others.length,
        why: (row) => reasonAt(entry, row),
      });
      return { here, rows, found };
    },
    // What arrives at each input with the rules at the numbers of the picture, next to what the derived pass sends.
    ends() {
      for (const { cell } of every) mine.cells[cell].set(run.cells[cell]);
      mine.cells[seed].set(weights(1));
      mine.run();
      return whole.inputs.map(({ box, name, cell, shape, type, adjoint, rule }) => {
        const said = (f) => summary(Array.from(run.cells[cell], (_, k) => rounded(type, f(k))), type, drag.ops[box][1], shape.join("×"));
        const sent = said(aim === whole ? sentBy({ rule }, mine) : (k) => mine.cells[adjointOf({ box })][k]);
        return { node: box, name, sent, derived: said((k) => run.cells[adjoint][k]), rule: rule?.text };
      });
    },
    // What the picture shows of the rules: what is sent to each input, and of a box the pass that goes on with it.
    shown() {
      const ends = this.ends().map(({ sent, derived, ...end }) => ({ ...end, text: short(sent), derived: short(derived), shades: isArray(sent) ? shadesOf(sent) : null }));
      if (aim === whole) return { ends };
      const ops = drag.ops.map(([op, type = "", shape = "", kind = "", typed = ""], n) => [op, type, shape, kind, n === aim.node ? "that you typed" : typed]);
      return { ends, box: aim.node, stops: recomputed({ ...lane, drag: { ...drag, ops, steps: [...steps, ...drag.steps.filter((s) => s[1])] } }, mine).stops };
    },
    // The whole function with the rules, or the box, as Python. The rule of a function with Variables returns a list for them.
    python() {
      if (aim !== whole) return boxPython(lane, aim);
      const own = rule.variables ?? [], written = (name) => aim.inputs.find((i) => i.name === name)?.rule.python() ?? "None";
      const inputs = rule.inputs.flatMap(([name]) => (own.includes(name) ? [] : [written(name)])), all = inputs.join(", ");
      if (!own.length) return rule.copy[0] + all + rule.copy[1];
      const which = own.map((name, k) => written(name) + (k < own.length - 1 ? ` if v is ${name} else ` : "")).join("");
      return `${rule.copy[0]}${inputs.length > 1 ? `(${all})` : all}, [${own.length > 1 ? `${which} for v in variables` : which}]${rule.copy[1]}`;
    },
  };
}
