// The tape: runs the instructions that viz/drag/page_tape.py writes. `tape(code)` gives {cells, types, run}; an instruction
// is a list [name, arguments ...] whose arguments are the numbers of earlier instructions, or plain data. An array is
// flat and has no shape: what moves its elements is a list of places. Each instruction becomes one closure over typed
// arrays; no code is generated. `run()` returns whether all whole numbers are those of Python. What not every page needs
// is in arrays.js and rare.js.
//
// Types: f float32, d float64, e float16, b bool, i and j whole numbers of 64 and 32 bits. Results are computed in float64
// and rounded when they are stored, which is exact for + - * / and the square root; a float16 is a float32 that is rounded
// once more, and a bool is 1 for all that is not 0.

const CELLS = { f: Float32Array, d: Float64Array, e: Float64Array, b: Float64Array, i: Float64Array, j: Float64Array };
const MOST = { i: 2 ** 53, j: 2 ** 31 - 1 };
const numeric = (x) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[x] ?? x;

// The nearest whole number; halves go to the even neighbour.
function even(x) {
  const r = Math.round(x);
  return r - x === 0.5 && r % 2 ? r - 1 : r || (x < 0 || Object.is(x, -0) ? -0 : r);
}

// The nearest float16: 11 bits, exponents from -14 on.
function half(x) {
  if (!x || !isFinite(x)) return x;
  let exponent = Math.floor(Math.log2(Math.abs(x)));
  if (2 ** exponent > Math.abs(x)) exponent--;
  const unit = 2 ** (Math.max(exponent, -14) - 10), y = even(x / unit) * unit;
  return Math.abs(y) > 65504 ? Math.sign(y) * Infinity : y;
}

// Where C and JavaScript differ: 1 ** nan and (-1) ** inf are 1.
const power = (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b));

// Of two equal numbers, which may be 0 and -0, the first or the second: NumPy takes either, Math.max the larger.
const CHOICE = {
  max1: (a, b) => (a >= b || a !== a ? a : b), max2: (a, b) => (a > b || a !== a ? a : b),
  min1: (a, b) => (a <= b || a !== a ? a : b), min2: (a, b) => (a < b || a !== a ? a : b),
};
const ONE = {
  neg: (a) => -a, pos: (a) => a, sq: (a) => a * a, inv: (a) => 1 / a, rint: even,
  sign: (a) => (a > 0 ? 1 : a < 0 ? -1 : a === 0 ? 0 : a),
};
const TWO = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, pow: power,
  pows: (a, b) => (b === 0.5 ? Math.sqrt(a) : power(a, b)), max: Math.max, min: Math.min, ...CHOICE,
};
const TEST = {
  lt: (a, b) => a < b, le: (a, b) => a <= b, gt: (a, b) => a > b, ge: (a, b) => a >= b, eq: (a, b) => a === b,
  ne: (a, b) => a !== b, and: (a, b) => a !== 0 && b !== 0, or: (a, b) => a !== 0 || b !== 0,
  xor: (a, b) => (a !== 0) !== (b !== 0), not: (a) => a === 0,
  isnan: (a) => a !== a, isinf: (a) => Math.abs(a) === Infinity, isfin: (a) => isFinite(a),
};

// Functions that give more instructions of a tape, whose parts they take: see arrays.js.
const MORE = [];

// wide: floats are float64, as for a finite difference. upto: how many instructions are run.
function tape(code, { wide = false, upto = code.length } = {}) {
  const cells = [], types = [], steps = [], same = (s) => s;
  const rounding = (t) => (t === "f" || t === "e" ? Math.fround : same);
  const stored = { e: (v) => half(Math.fround(v)), b: (v) => +(v !== 0) };
  const each = (o, f) => () => { for (let i = 0; i < o.length; i++) o[i] = f(i); };

  // A new cell, and what fills it.
  function cell(t, n, filled) {
    const real = wide && (t === "f" || t === "e") ? "d" : t, out = new CELLS[real](n), step = filled?.(out);
    cells.push(out);
    types.push(real);
    const last = stored[real];
    if (step) steps.push(last ? () => { step(); out.forEach((v, i) => { out[i] = last(v); }); } : step);
    return out;
  }

  function elementwise(name, args) {
    const test = TEST[name], f = test || ONE[name] || TWO[name] || Math[name], [a, b] = args.map((k) => cells[k]);
    if (!f) throw new Error(`no instruction ${name}`);
    const n = Math.max(a.length, b ? b.length : 1), p = a.length > 1 ? 1 : 0, q = b && b.length > 1 ? 1 : 0;
    cell(test ? "b" : types[args[0]], n, (o) => (b ? each(o, (i) => f(a[i * p], b[i * q])) : each(o, (i) => f(a[i]))));
  }

  const given = (t, values) => cell(t, values.length).set(values.map(t === "e" ? (x) => half(numeric(x)) : numeric));
  const special = {
    in: given,
    is: given,
    as: (t, x) => cell(t, cells[x].length, (o) => each(o, t in MOST ? (i) => Math.trunc(cells[x][i])
      : t === "e" && !wide ? (i) => half(cells[x][i]) : (i) => cells[x][i])),
    where: (...xs) => {
      const [p, a, b] = xs.map((x) => cells[x]), at = (s, i) => s[s.length > 1 ? i : 0];
      cell(types[xs[1]], Math.max(p.length, a.length, b.length), (o) => each(o, (i) => (at(p, i) ? at(a, i) : at(b, i))));
    },
  };
  for (const more of MORE) Object.assign(special, more({ cells, types, cell, each, rounding }));
  for (const [name, ...args] of code.slice(0, upto)) special[name] ? special[name](...args) : elementwise(name, args);

  const halves = code.slice(0, upto).flatMap(([name], k) => (name === "in" && types[k] === "e" ? [cells[k]] : []));
  return {
    cells, types,
    run() {
      for (const a of halves) a.forEach((v, i) => { a[i] = half(v); });
      for (const step of steps) step();
      return cells.every((a, k) => !(types[k] in MOST) || a.every((v) => Math.abs(v) <= MOST[types[k]]));
    },
  };
}
