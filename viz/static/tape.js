// The tape: runs the instructions that viz/drag/tape.py writes. `tape(code)` gives {cells, types, run}; an instruction
// is a list [name, arguments ...] whose arguments are the numbers of earlier instructions, or plain data. An array is
// flat and has no shape: what moves its elements is a list of places. Each instruction becomes one closure over typed
// arrays; no code is generated. `run()` returns whether all whole numbers are those of Python.
//
// Types: f float32, d float64, e float16, b bool, i and j whole numbers of 64 and 32 bits. Results are computed in float64
// and rounded when they are stored, which is exact for + - * / and the square root; a float16 is a float32 that is rounded
// once more, and a bool is 1 for all that is not 0.

const CELLS = { f: Float32Array, d: Float64Array, e: Float64Array, b: Float64Array, i: Float64Array, j: Float64Array };
const MOST = { i: 2 ** 53, j: 2 ** 31 - 1 };
const numeric = (x) => (x === "nan" ? NaN : x === "inf" ? Infinity : x === "-inf" ? -Infinity : x);

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

// Where C and JavaScript differ: 1 ** nan and (-1) ** inf are 1, and a remainder has the sign of the divisor.
const power = (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b));

function modulo(a, b) {
  const r = a % b;
  if (r) return r < 0 !== b < 0 ? r + b : r;
  return r === 0 ? (b < 0 ? -0 : 0) : r;
}

function quotient(a, b) {
  const r = a % b;
  if (!b || r !== r) return b ? NaN : a / b;
  const q = (a - r) / b - (r && r < 0 !== b < 0 ? 1 : 0), down = Math.floor(q);
  if (q) return q - down > 0.5 ? down + 1 : down;
  return Object.is(a / b, -0) || a / b < 0 ? -0 : 0;
}

// The error function by its series near 0 and its continued fraction further out, to all digits.
function erf(x) {
  const a = Math.abs(x), q = a * a;
  if (!(a < 6)) return x !== x ? x : Math.sign(x);
  if (a < 2.5) {
    let term = x, sum = x;
    for (let n = 1; n < 60; n++) {
      term *= -q / n;
      sum += term / (2 * n + 1);
    }
    return (sum * 2) / Math.sqrt(Math.PI);
  }
  let f = 0;
  for (let n = 60; n > 0; n--) f = n / 2 / (a + f);
  return Math.sign(x) * (1 - Math.exp(-q) / ((a + f) * Math.sqrt(Math.PI)));
}

const ONE = {
  neg: (a) => -a, pos: (a) => a, sq: (a) => a * a, inv: (a) => 1 / a, exp2: (a) => Math.pow(2, a), rint: even, erf,
  sign: (a) => (a > 0 ? 1 : a < 0 ? -1 : a === 0 ? 0 : a), rad: (a) => a * (Math.PI / 180), deg: (a) => a * (180 / Math.PI),
};
for (const name of ["abs", "sqrt", "cbrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos",
  "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc"]) ONE[name] = (a) => Math[name](a);
const TWO = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, pow: power, mod: modulo,
  pows: (a, b) => (b === 0.5 ? Math.sqrt(a) : power(a, b)),
  fdiv: quotient, atan2: Math.atan2, hypot: Math.hypot, max: Math.max, min: Math.min,
  lae: (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
};
const TEST = {
  lt: (a, b) => a < b, le: (a, b) => a <= b, gt: (a, b) => a > b, ge: (a, b) => a >= b, eq: (a, b) => a === b,
  ne: (a, b) => a !== b, and: (a, b) => a !== 0 && b !== 0, or: (a, b) => a !== 0 || b !== 0,
  xor: (a, b) => (a !== 0) !== (b !== 0), not: (a) => a === 0,
  isnan: (a) => a !== a, isinf: (a) => Math.abs(a) === Infinity, isfin: (a) => isFinite(a),
};
const FOLD = { sum: TWO.add, adds: TWO.add, prod: TWO.mul, rmax: Math.max, rmin: Math.min };

// The sum of n numbers from place i on as NumPy adds them up: in eight sums at once, and by halves beyond 128.
function total(a, i, n, round) {
  let s = 0, k = 0;
  if (n > 128) {
    const m = (n >> 1) - ((n >> 1) % 8);
    return round(total(a, i, m, round) + total(a, i + m, n - m, round));
  }
  if (n >= 8) {
    const p = Array.from(a.slice(i, i + 8));
    for (k = 8; k <= n - 8; k += 8) for (let j = 0; j < 8; j++) p[j] = round(p[j] + a[i + k + j]);
    s = round(round(round(p[0] + p[1]) + round(p[2] + p[3])) + round(round(p[4] + p[5]) + round(p[6] + p[7])));
  }
  for (; k < n; k++) s = round(s + a[i + k]);
  return s;
}

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
    const test = TEST[name], f = test || ONE[name] || TWO[name], [a, b] = args.map((k) => cells[k]);
    if (!f) throw new Error(`no instruction ${name}`);
    const n = Math.max(a.length, b ? b.length : 1), p = a.length > 1 ? 1 : 0, q = b && b.length > 1 ? 1 : 0;
    cell(test ? "b" : types[args[0]], n, (o) => (b ? each(o, (i) => f(a[i * p], b[i * q])) : each(o, (i) => f(a[i]))));
  }

  const special = {
    in: (t, values) => cell(t, values.length).set(values.map(numeric)),
    is: (t, values) => cell(t, values.length).set(values.map(t === "e" ? (x) => half(numeric(x)) : numeric)),
    as: (t, x) => cell(t, cells[x].length, (o) => each(o, t in MOST ? (i) => Math.trunc(cells[x][i])
      : t === "e" && !wide ? (i) => half(cells[x][i]) : (i) => cells[x][i])),
    rep: (x, n) => cell(types[x], n, (o) => () => o.fill(cells[x][0])),
    take: (x, at, fill) => cell(types[x], at.length, (o) => each(o, (i) => (at[i] < 0 ? numeric(fill) : cells[x][at[i]]))),
    cat: (...xs) => cell(types[xs[0]], xs.reduce((n, x) => n + cells[x].length, 0), (o) => () => {
      let n = 0;
      for (const x of xs) {
        o.set(cells[x], n);
        n += cells[x].length;
      }
    }),
    put: (x, v, at) => cell(types[x], cells[x].length, (o) => () => {
      o.set(cells[x]);
      at.forEach((k, i) => { o[k] = cells[v][cells[v].length > 1 ? i : 0]; });
    }),
    "put+": (x, v, at) => cell(types[x], cells[x].length, (o) => () => {
      o.set(cells[x]);
      at.forEach((k, i) => { o[k] += cells[v][cells[v].length > 1 ? i : 0]; });
    }),
    where: (...xs) => {
      const [p, a, b] = xs.map((x) => cells[x]), at = (s, i) => s[s.length > 1 ? i : 0];
      cell(types[xs[1]], Math.max(p.length, a.length, b.length), (o) => each(o, (i) => (at(p, i) ? at(a, i) : at(b, i))));
    },
    matmul: (x, y, m, k, n) => {
      const a = cells[x], b = cells[y], many = a.length / (m * k), round = rounding(types[x]);
      cell(types[x], many * m * n, (o) => each(o, (at) => {
        const row = Math.floor(at / n), from = Math.floor(row / m) * k * n + (at % n);
        let s = 0;
        for (let l = 0; l < k; l++) s = round(s + a[row * k + l] * b[from + l * n]);
        return s;
      }));
    },
  };
  for (const name of Object.keys(FOLD)) special[name] = (x, n) => {
    const a = cells[x], f = FOLD[name], round = name === "adds" && types[x] === "e" ? half : rounding(types[x]);
    cell(types[x], a.length / n, (o) => each(o, (i) => {
      if (name === "sum") return total(a, i * n, n, round) + 0;
      let s = a[i * n];
      for (let k = 1; k < n; k++) s = round(f(s, a[i * n + k]));
      return name === "adds" ? s + 0 : s;
    }));
  };
  for (const name of ["cumsum", "cumprod"]) special[name] = (x, n) => {
    const a = cells[x], f = FOLD[name.slice(3)], round = types[x] === "e" ? half : same;
    cell(types[x], a.length, (o) => each(o, (i) => (i % n ? round(f(o[i - 1], a[i])) : a[i])));
  };
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
