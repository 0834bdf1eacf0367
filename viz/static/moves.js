// How far each number moves with one element of an input, measured with a step up and a step down in float64: of arrays,
// whose slopes are not numbers.
function measuredWiggle(lane) {
  const { drag, cards, run, called } = lane, guards = drag.guards || [], source = (lane.source ??= lane.measured), k = lane.element ?? 0;
  const nodes = lane.graph.nodes.filter(({ id }) => cards[id] && drag.nodes[id] !== undefined);
  const wide = lane.wide ??= tape(drag.code, { wide: true, upto: Math.max(...Object.values(drag.nodes), ...guards.map(([cell]) => cell)) + 1 });
  const [, moving] = drag.inputs.find(([n]) => n === source), x = run.cells[moving][k], step = 1e-4 * Math.max(1, Math.abs(x));
  const at = (v) => {
    for (const [, cell] of drag.inputs) wide.cells[cell].set(run.cells[cell]);
    wide.cells[moving][k] = v;
    wide.run();
    return guards.every(([cell, was]) => wide.cells[cell][0] === was) ? nodes.map(({ id }) => Float64Array.from(wide.cells[drag.nodes[id]])) : null;
  };
  const up = at(x + step), down = at(x - step), by = nodes.map((_, i) => (up && down ? up[i].map((v, j) => (v - down[i][j]) / (2 * step)) : null));
  const most = Math.max(0, ...by.flatMap((all) => (all ? [...all].filter(isFinite).map(Math.abs) : [])));
  const told = new Map(nodes.map(({ id }, i) => [id, by[i] && summary(by[i].map((v) => (Math.abs(v) < 1e-9 * most ? 0 : v)), "d", "float64", drag.ops[id][2] ?? "")]));
  const some = nodes.filter(({ id }) => told.get(id) !== null && !allZero(told.get(id))), all = (text) => Object.fromEntries(some.map(({ id }) => [`n${id}`, text(told.get(id))]));
  const times = (v) => (!isArray(v) || nonfinite(v) && v.n > 8 ? short(v) : v.n <= 8 ? `[${v.sample.map((s) => short(s)).join(" ")}]` : [...new Set([short(v.min), short(v.max)])].join(" to "));
  const who = called(source, k);
  return {
    moves: all((v) => short(v)), sent: {}, cells: Object.fromEntries(some.flatMap(({ id }) => (isArray(told.get(id)) ? [[`n${id}`, shadesOf(told.get(id))]] : []))),
    bad: ({ id }) => wrong_of(short(told.get(id) ?? 0)) !== "",
    words({ id }) {
      const v = told.get(id), { name } = cards[id];
      if (id === source) return steps_of(who);
      if (v === undefined) return `${name} is not computed in the page.`;
      if (v === null) return undecided(who);
      return measured_move(who, short(step), !allZero(v) && isArray(v) ? `the entries of ${name}` : name, allZero(v) ? "" : times(v));
    },
  };
}
