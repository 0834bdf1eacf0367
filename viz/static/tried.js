// Rules tried on a page: the numbers behind "Your rule", without the panel. The language and the verdict are those of
// viz/rule/, the numbers come from a tape to which the instructions of the rules are added.

// `rule` is what viz/rule/opening.py gives. Of the result, `aimed(n)` gives the rules to a box, `inputs` are those with a rule
// and `names` those of the language then, `entries` are the elements of the function's inputs with the field of each;
// `read(texts)` reads rules, `changed()` is called when numbers of the picture have changed, `looked(entry, range)` gives the sample here, the
// samples along a range, and the verdict, `ends()` and `shown()` what arrives at the inputs, and `python()` the program.
function triedOf({ lane: { ...lane }, run, fields, rule }) {
  const { results, drag } = separated(lane, rule.results, run), guards = drag.guards || [], derivedSteps = lane.drag.steps;
  lane.drag = drag;
  const shapeOf = (n) => shapeIn(drag, n), last = Math.max(...results.map(({ cell }) => cell), ...guards.map(([cell]) => cell)) + 1;
  // Upstream gradients that begin with a number, or of several results each with its own.
  const weights = (first) => results.map(({ cell }, i) => {
    const from = first[i] ?? first, grow = from === 0 || from === 1 ? 0 : 1;
    return Float64Array.from(run.cells[cell], (_, k) => from + (grow * k) / run.cells[cell].length);
  });
  const place = ({ name }) => rule.inputs.findIndex(([other]) => other === name) >>> 0; // their order is that of the fields
  const every = drag.inputs.map(([n, cell]) => {
    const own = Object.keys(rule.nodes ?? {}).find((key) => rule.nodes[key] === n); // a Variable has its name in the code
    const name = own ?? lane.cards[n]?.name ?? drag.names[n], adjoint = (steps) => steps.find((s) => s[0] === n && !s[1])?.[2];
    return { name, box: n, cell, shape: shapeOf(n), adjoint: adjoint(drag.steps), sent: adjoint(derivedSteps), type: run.types[cell], text: rule.inputs.find(([other]) => other === name)?.[1] };
  });
  let taken = 0;
  const places = ({ shape }, k) => shape.reduceRight(([at, rest], n) => [[rest % n, ...at], Math.floor(rest / n)], [[], k])[0];
  const all = every.flatMap((input) => [...run.cells[input.cell]].map((_, k) => ({
    input, k, cell: input.cell, name: input.name + (input.shape.length ? `[${places(input, k).join(", ")}]` : ""), field: fields?.all[taken++],
  }))).sort((a, b) => place(a.input) - place(b.input));
  const whole = { inputs: every.filter(({ text }) => text).sort((a, b) => place(a) - place(b)), names: Object.create(null) }, entries = all.filter(({ input }) => input.text), { names } = whole;
  for (const { name, cell, shape, type } of whole.inputs) names[name] = { cell, shape, type };
  for (const { name, cell, upstream, seed, shape, type } of results) {
    names[upstream] = { cell: seed, shape, type };
    names[name] = { cell, shape, type };
  }
  for (const [name, text] of Object.entries(rule.locals)) names[name] = { text };

  // Tapes: what the picture has, the same in float64, the value alone in float64, and both passes with the rules.
  const narrow = tape(drag.code), wide = tape(drag.code, { wide: true }), values = tape(drag.code, { wide: true, upto: last });
  let aim = whole, steps = null, mine = null, mineWide = null;
  const now = ({ cell, k }) => run.cells[cell][k], rounded = (type, x) => (type === "f" ? Math.fround(x) : type === "e" ? half(x) : x);
  const movedTo = (entry, n, place) => rounded(entry.input.type, ruling.moved(now(entry), n, place));
  forget();

  // Runs a tape with another number in an entry, at a place of rule_verdict.py; returns whether the code decides as it did.
  function at(t, entry, x, first = 1, place = 0) {
    all.forEach((other, n) => { t.cells[other.cell][other.k] = movedTo(other, n, place); });
    t.cells[entry.cell][entry.k] = x;
    weights(first).forEach((w, i) => t.cells[results[i].seed]?.set(w)); // of values alone there is none
    t.run();
    return guards.every(([cell, v]) => t.cells[cell][0] === v);
  }

  // Each entry keeps what is measured of the function, and what rules make of it, while all other entries stay.
  function forget(of = all) {
    for (const entry of of) [entry.slopes, entry.samples, entry.rows, entry.was] = [new Map(), new Map(), {}, now(entry)];
  }

  // The value of `key` in a map, made once; a drag does not fill it for ever.
  function kept(map, key, make) {
    if (map.size > 2000) map.clear();
    if (!map.has(key)) map.set(key, make());
    return map.get(key);
  }

  // What is measured of the function at an input, whatever the rule.
  const slopeAt = (entry, x, first, place) => kept(entry.slopes, `${x} ${first} ${place}`, () => measuredAt(entry, x, first, place));
  function measuredAt(entry, x, first, place) {
    const { adjoint, type } = entry.input;
    const of = (t) => (adjoint === undefined ? 0 : t.cells[adjoint][entry.k]), w = weights(first), unit = Math.max(1, Math.abs(x));
    const follows = at(narrow, entry, x, first, place), derived = of(narrow);
    at(wide, entry, x, first, place);
    const exact = of(wide), value = (t) => (at(values, entry, x + t, 1, place) ? results.reduce((sum, { cell }, i) => sum + values.cells[cell].reduce((s, v, k) => s + v * w[i][k], 0), 0) : NaN);
    const found = measured(value, unit, Math.abs(exact)), bend = found.low < found.high ? value(1e-4 * unit) + value(-1e-4 * unit) - 2 * value(0) : 0;
    const [room, least] = ruling.ROOM[type], told = results.map(({ name, shape }, i) => short(summary(w[i], "d", "float64", shape.join("×"))) + (results.length > 1 ? ` for ${name}` : ""));
    return { ...found, state: follows ? found.state : "edge", x, bend, exact, derived, room, least, replaced: rule.replaced, seed: upstreamsOf(told), mine: NaN, wide: NaN, doubt: 0 };
  }

  // A sample for viz/rule/rule_verdict.py; without a rule that was read, one of the function alone.
  const sample = (entry, x, first = 1, place = 0) => (mine ? kept(entry.samples, `${x} ${first} ${place}`, () => ruledAt(entry, x, first, place)) : slopeAt(entry, x, first, place));
  function ruledAt(entry, x, first, place) {
    const seen = slopeAt(entry, x, first, place), { input } = entry;
    const pick = aim === whole ? (t) => sentBy(input, t)(entry.k) : (t) => t.cells[adjointOf(input)]?.[entry.k] ?? 0;
    at(mine, entry, x, first, place);
    at(mineWide, entry, x, first, place);
    const wide = pick(mineWide), over = watched().some((c) => mine.cells[c].some(isInf) && !mineWide.cells[c].some(isInf));
    return { ...seen, over, mine: rounded(input.type, pick(mine)), wide, doubt: aim === whole ? ruling.doubt(input.rule, mineWide.cells, entry.k, 2 ** -52) : spread(wide) };
  }

  // The cells that a rule may use; where a box has one, also those of the pass that goes on.
  const watched = () => (aim !== whole ? mine.cells.map((_, c) => c) : [...Object.values(names).flatMap(({ cell }) => cell ?? []), ...whole.inputs.flatMap(({ rule }) => rule.rows.map((_, k) => rule.start + k))]);

  // What a rule sends to each entry; where a box has one, the adjoint of an input when the pass is over.
  const sentBy = ({ rule: { value } }, t) => (k) => t.cells[value.cell][value.shape.length ? k : 0];
  const adjointOf = ({ box }) => steps.find(([n]) => n === box)?.[2]; // none where no gradient goes

  // How much rounding in the rules of a box may change a gradient that goes on from there: as much as them, in proportion.
  function spread(wide) {
    let most = 0;
    for (const { rule, shape } of aim.inputs) for (let k = shape.reduce((a, b) => a * b, 1) - 1; k >= 0; k--) {
      const off = ruling.doubt(rule, mineWide.cells, k, 2 ** -52);
      if (off > 0) most = Math.max(most, off / Math.abs(sentBy({ rule }, mineWide)(k)));
    }
    return most < Infinity ? most * Math.abs(wide) : Infinity;
  }

  // The numbers along a range, and whether the function has a value at one.
  const along = ([low, high]) => Array.from({ length: ruling.SAMPLES }, (_, i) => low + ((high - low) * i) / (ruling.SAMPLES - 1));
  const valued = (entry, x) => at(values, entry, rounded(entry.input.type, x)) && results.every(({ cell }) => values.cells[cell].every(isFinite));

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

  // Samples for other upstream gradients, each with the one that the rule does not use: of several results each alone. They
  // are here, at every 30th of `rows`, and where all inputs have other values.
  const seeds = [1, ...(results.length > 1 ? results.map((_, k) => results.map((_, i) => +(i === k))) : [2, -1])];
  const seeded = (entry, rows = []) => [now(entry), ...rows.filter((_, k) => k % 30 === 0).map(({ x }) => x)].flatMap((x) => seeds.slice(1).map((_, k) => other(entry, x, k + 1)));
  function other(entry, x, k, place = 0) {
    const rules = aim === whole ? [entry.input.rule] : aim.inputs.map(({ rule }) => rule), unused = (name) => (rules.some(({ used }) => used.includes(name)) ? "" : name);
    const row = sample(entry, x, seeds[k], place), there = all.map((one, n) => (one === entry ? row.x : movedTo(one, n, place)));
    const said = place ? ruling.placed(all.map(({ name }) => name), there, all.indexOf(entry)) : `${entry.name} = ${short(row.x)}`;
    const { upstream } = results[results.length > 1 && k ? k - 1 : 0];
    return { ...row, name: entry.name, place: said, forgets: k ? unused(aim === whole ? upstream : "upstream") : "" };
  }
  // Those there for other upstream gradients leave out entries for which the rules are wrong anyway.
  const elsewhere = () => [1, 2].flatMap((place) => whole.inputs.flatMap((input) => {
    const own = entries.filter((entry) => entry.input === input), put = (entry, k) => other(entry, movedTo(entry, all.indexOf(entry), place), k, place);
    return [...new Set([own[0], own[own.length - 1]])].map((entry) => {
      const row = put(entry, 0), off = ["nan", "inf", "wrong"].includes(ruling.word_of(row));
      return [row, off ? [] : seeds.slice(1).map((_, k) => put(entry, k + 1))];
    });
  }));

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
    // The names of the language for results and upstream gradients, each with the result of a pair.
    get results() { return aim === whole ? results : [{ name: aim.output, upstream: "upstream" }]; },
    // The rules are those of box `n`, or of the whole function for -1. Returns whether the box can have rules.
    aimed(n) {
      const box = n < 0 ? whole : drag.summing?.has(n) ? null : boxRule(lane, n, run.types);
      if (!box) return false;
      aim = box;
      if (aim !== whole) for (const input of aim.inputs) Object.assign(input, textOf(lane, aim, input, (text) => {
        const rule = new ruling.Rule(text, aim.names, drag.code.length);
        return !rule.error && !ruling.misfit(rule, input.name, input.shape);
      }));
      return true;
    },
    // Each input gets its rule, and `wrong` with why it is refused, "" if it is not.
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
      for (const entry of all) [entry.samples, entry.rows] = [new Map(), {}];
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
    changed() {
      const moved = all.filter((entry) => !Object.is(entry.was, now(entry)));
      forget(all.filter((entry) => moved.some((other) => other !== entry)));
      for (const entry of moved) entry.was = now(entry);
    },
    // The range of the strip.
    span(entry) {
      const x = now(entry);
      let range = ruling.span(x, entry.input.type);
      if (valued(entry, x)) for (let n = 0; n < ruling.NARROWED; n++) range = ruling.narrowed(...range, x, along(range).filter((at) => valued(entry, at)));
      return range;
    },
    looked(entry, [low, high]) {
      const { input } = entry, bad = results.flatMap(({ cell }) => [...run.cells[cell]]), value = bad.find(isNan) ?? bad.find(isInf);
      const put = (x) => sample(entry, rounded(input.type, x)), here = sample(entry, now(entry));
      const rows = (entry.rows[`${low} ${high}`] ??= along([low, high]).map(put)); // the same object for the same rows
      const others = entries.filter((e) => e !== entry).map((e) => ({ ...sample(e, now(e)), name: e.name, seeds: mine && seeded(e) }));
      const away = mine ? elsewhere() : [], far = ruling.outside(low, high).map((x) => ({ ...put(x), place: `${entry.name} = ${short(rounded(input.type, x))}` }));
      const found = mine && ruling.judged(entry.name, here, rows, {
        far: [...far, ...away.map(([row]) => row)], value: value === undefined ? "" : short(value), derived: here.derived, seeds: seeded(entry, rows), away: away.flatMap(([, rows]) => rows), others, transposed: transposed(input), array: input.name, alone: !others.length,
        why: (row) => reasonAt(entry, row),
      });
      return { here, rows, found };
    },
    // What arrives at each input with the rules at the numbers of the picture, next to what the derived pass sends.
    ends() {
      at(mine, entries[0], now(entries[0]));
      return whole.inputs.map(({ box, name, cell, shape, type, sent: derived, rule }) => {
        const said = (f) => summary(Array.from(run.cells[cell], (_, k) => rounded(type, f(k))), type, drag.ops[box][1], shape.join("×"));
        const sent = said(aim === whole ? sentBy({ rule }, mine) : (k) => mine.cells[adjointOf({ box })]?.[k] ?? 0);
        return { node: box, name, sent, derived: said((k) => run.cells[derived]?.[k] ?? 0), rule: rule?.text };
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

const shapeIn = ({ ops }, n) => (ops[n][2] ? ops[n][2].split("×").map(Number) : []);

// Upstream gradients in words, as viz/rule/tried.py says them.
const upstreamsOf = (told) => (told.length === 1 ? `an upstream gradient of ${told[0]}` : `upstream gradients of ${told.slice(0, -1).join(", ")} and ${told[told.length - 1]}`);

// The results of a function with the cells of their upstream gradients. Several are added up in the picture, where each gets
// what arrives at the sum; `drag` is the pass in which each has its own, and `summing` are the boxes that add up.
function separated({ drag }, rows, { types, cells }) {
  const [out] = drag.steps[0], of = (node, [name, upstream], seed) => ({ name, upstream, seed, cell: drag.nodes[node], shape: shapeIn(drag, node), type: types[drag.nodes[node]] });
  if (!(rows[0][2] >= 0)) return { results: [of(out, rows[0], drag.seed)], drag };
  const code = [...drag.code], sent = new Map(), summing = new Set([out]);
  const results = rows.map((row) => {
    const [node] = drag.edges[row[2]], cell = drag.nodes[node];
    sent.set(row[2], code.push(["in", types[cell], Array(cells[cell].length).fill(1)]) - 1);
    return of(node, row, code.length - 1);
  });
  for (const n of summing) drag.edges.forEach(([src, dst], e) => { if (dst === n && !sent.has(e)) summing.add(src); });
  const pass = rerouted(drag, code, sent);
  return { results, drag: { ...drag, code: pass.code, steps: [...pass.steps, ...drag.steps.filter((s) => s[1])], summing } };
}
