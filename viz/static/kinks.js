// Whether a gradient is right at a kink: along every direction its slope lies between those of the function on both
// sides. The same as viz/model/kinks.py, which says why.

const scalar = (a, b) => a.reduce((s, v, k) => s + v * b[k], 0);
const largest = (a) => Math.max(...a.map(Math.abs));
const spread = (count, k) => Array.from({ length: count }, (_, i) => Math.sin(1 + 12.9898 * k + 78.233 * (i + 1) * Math.sqrt(k + 1)));

// The slopes on the left and on the right along a direction, and their uncertainty.
function sidesAlong(f, here, d, unit) {
  let best = [NaN, NaN, Infinity];
  for (const step of [1e-4, 1e-6]) {
    let error = 0;
    const slopes = [-step * unit, step * unit].map((side) => {
      const values = [1, 0.5, 0.25].map((part) => f(d.map((v) => side * part * v)));
      const [far, middle, near] = values.map((v, k) => (v - here) / (side * [1, 0.5, 0.25][k])), slope = (8 * near - 6 * middle + far) / 3;
      error = Math.max(error, Math.abs(slope - (2 * near - middle)) + (32 * 2.3e-16 * largest([here, ...values])) / Math.abs(side));
      return slope;
    });
    if (!(error >= best[2])) best = [...slopes, error];
    if (best[2] <= 1e-6 * largest(best.slice(0, 2))) break;
  }
  return best;
}

// The mean of the gradients beside the kink that is nearest to a gradient.
function nearestMean(gradient, beside, size) {
  const weights = beside.map((_, k) => +!k), mean = () => gradient.map((_, i) => beside.reduce((s, g, k) => s + weights[k] * g[i], 0));
  for (let turn = 0; turn < 200; turn++) {
    const now = mean(), away = gradient.map((v, i) => v - now[i]), scores = beside.map((g) => scalar(g, away));
    const best = scores.indexOf(Math.max(...scores)), least = scores.indexOf(Math.min(...scores.filter((_, k) => weights[k] > 0)));
    const step = gradient.map((_, i) => beside[best][i] - beside[least][i]), gain = scalar(step, away);
    if (!(gain > 1e-9 * size * size)) break;
    const part = Math.min(weights[least], gain / scalar(step, step));
    weights[best] += part;
    weights[least] -= part;
  }
  return mean();
}

// The direction along which a gradient is outside of the slopes at a kink, as { direction, got, low, high, wrong }; null if there is none.
function crossing(f, gradient, unit, room) {
  const count = gradient.length, here = f(gradient.map(() => 0)), axes = gradient.map((_, i) => gradient.map((_, j) => +(i === j)));
  const gradientAt = (place) => axes.map((axis) => {
    const h = 1e-8 * unit, at = (side) => f(place.map((v, i) => 1e-5 * unit * v + side * h * axis[i]));
    return (at(1) - at(-1)) / (2 * h);
  });
  const beside = [1, 2].map((k) => gradientAt(spread(count, k))), size = () => largest([gradient, ...beside].flat());
  const scaled = (d) => d.map((v) => v / largest(d)), isMean = () => largest(nearestMean(gradient, beside, size()).map((v, i) => v - gradient[i])) <= 1e-4 * size();
  function* directions() {
    yield axes.map(() => 1);
    if (count === 1) return;
    yield* axes;
    yield axes.map((_, i) => (i % 2 ? -1 : 1));
    if (count <= 6) for (let i = 0; i < count; i++) for (let j = i + 1; j < count; j++) for (const s of [1, -1]) yield axes[i].map((v, k) => v + s * axes[j][k]);
    for (let k = 2; k < 8; k++) yield spread(count, k);
    if (gradient.some(Boolean)) yield scaled(gradient);
    for (let k = 0; k < Math.min(24, 2 + Math.floor(120 / count)); k++) {
      const mean = nearestMean(gradient, beside, size()), away = gradient.map((v, i) => v - mean[i]);
      if (largest(away) <= 1e-4 * size()) return;
      const d = scaled(away), far = Math.max(...beside.map((g) => scalar(g, d)));
      yield d;
      const noise = spread(count, 12 + k), both = [1, -1].map((side) => gradientAt(d.map((v, i) => side * v + 0.03 * noise[i])));
      if (Math.max(...both.map((g) => scalar(g, d))) <= far + 1e-6 * size()) return;
      beside.push(...both);
    }
  }
  const bends = new Set(), outside = [];
  let unmeasured = null;
  for (const d of directions()) {
    const [left, right, error] = sidesAlong(f, here, d, unit), low = Math.min(left, right), high = Math.max(left, right), got = scalar(gradient, d);
    const slack = room * Math.max(Math.abs(low), Math.abs(high), scalar(gradient.map(Math.abs), d.map(Math.abs))) + error + 3e-11;
    const found = { direction: d, got, low, high, wrong: true };
    if (!(error <= 1e-2 * size() + 3e-11)) unmeasured = { ...found, wrong: false };
    else if (!(got >= low - slack && got <= high + slack)) outside.push([found, slack]);
    if (high - low > slack) bends.add(right > left);
  }
  for (const [found, slack] of outside) {
    const along = beside.map((g) => scalar(g, found.direction)), alike = Math.max(...along) - Math.min(...along) <= slack;
    if (bends.size < 2 || found.direction.filter(Boolean).length === 1 || alike) return found;
  }
  if (!outside.length) return unmeasured;
  if (!isMean()) beside.push(...Array.from({ length: 64 }, (_, k) => gradientAt(spread(count, 50 + k))));
  return isMean() ? unmeasured : { ...outside[0][0], wrong: false };
}
