// Instructions of a tape that few pages need: functions, and those that set elements or add them up on the way.

// A remainder has the sign of the divisor in Python.
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
  return Math.sign(x) * (1 - tail(a));
}

// 1 - erf(x) for x from 1 up.
function tail(x) {
  let f = 0;
  for (let n = 240; n > 0; n--) f = n / 2 / (x + f);
  return Math.exp(-x * x) / ((x + f) * Math.sqrt(Math.PI));
}

function erfc(x) {
  return Math.abs(x) < 1 || x !== x ? 1 - erf(x) : x > 0 ? tail(x) : 2 - tail(-x);
}

Object.assign(ONE, { erf, erfc, exp2: (a) => Math.pow(2, a), rad: (a) => a * (Math.PI / 180), deg: (a) => a * (180 / Math.PI) });
Object.assign(TWO, {
  mod: modulo, fdiv: quotient, lae: (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
});

MORE.push(({ cells, types, cell, each }) => {
  const special = {};
  for (const name of ["put", "put+"]) special[name] = (x, v, at) => cell(types[x], cells[x].length, (o) => () => {
    o.set(cells[x]);
    at.forEach((k, i) => {
      const w = cells[v][cells[v].length > 1 ? i : 0];
      o[k] = name === "put" ? w : o[k] + w;
    });
  });
  for (const name of ["cumsum", "cumprod"]) special[name] = (x, n) => {
    const a = cells[x], f = name === "cumsum" ? TWO.add : TWO.mul, round = types[x] === "e" ? half : (s) => s;
    cell(types[x], a.length, (o) => each(o, (i) => (i % n ? round(f(o[i - 1], a[i])) : a[i])));
  };
  return special;
});
