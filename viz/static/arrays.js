// Instructions of a tape that move, join or add up the elements of arrays. viz/hosts/html.py knows which a file holds.

const FOLD = { sum: "add", adds: "add", prod: "mul", rmax: "max", rmin: "min" };

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

MORE.push(({ cells, types, cell, each, rounding }) => {
  const special = {
    rep: (x, n) => cell(types[x], n, (o) => () => o.fill(cells[x][0])),
    take: (x, at, fill) => cell(types[x], at.length, (o) => each(o, (i) => (at[i] < 0 ? numeric(fill) : cells[x][at[i]]))),
    cat: (...xs) => cell(types[xs[0]], xs.reduce((n, x) => n + cells[x].length, 0), (o) => () => {
      let n = 0;
      for (const x of xs) {
        o.set(cells[x], n);
        n += cells[x].length;
      }
    }),
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
  for (const name of Object.keys(FOLD)) special[name] = (x, n, by = FOLD[name]) => {
    const a = cells[x], f = TWO[by], round = name === "adds" && types[x] === "e" ? half : rounding(types[x]);
    cell(types[x], a.length / n, (o) => each(o, (i) => {
      if (name === "sum") return total(a, i * n, n, round) + 0;
      let s = a[i * n];
      for (let k = 1; k < n; k++) s = round(f(s, a[i * n + k]));
      return name === "adds" ? s + 0 : s;
    }));
  };
  return special;
});
