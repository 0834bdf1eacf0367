// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const measured = (() => {
const { abs, floor, log10, max, min, trunc } = Math;
const EPSILON = 2.3e-16;
function estimated(f, here, h) {
let before, bend, down, finite, lower, middle, right, total, up, upper, wide;
[up, down] = [f(h), f(-h)];
[upper, lower] = [f((h / 2)), f((-h / 2))];
[wide, middle] = [((up - down) / (2 * h)), ((upper - lower) / h)];
right = (((4 * (upper - here)) - (up - here)) / h);
before = (((4 * (here - lower)) - (here - down)) / h);
total = ((((up + down) + upper) + lower) + here);
finite = (abs(total) < Infinity);
bend = (abs(((((upper - (2 * here)) + lower) * 2) - (((up - (2 * here)) + down) / 2))) / h);
return {"value": (((4 * middle) - wide) / 3), "left": before, "right": right, "h": h, "finite": finite, "size": (finite ? max(abs(here), abs(up), abs(down), abs(upper), abs(lower)) : NaN), "moved": (finite ? max(abs((up - here)), abs((down - here))) : NaN), "gap": ((2 * abs((wide - middle))) + (3 * bend))};
}
function noise(estimate) {
return (((64 * EPSILON) * Number(estimate.size)) / Number(estimate.h));
}
function uncertain(estimate) {
return (Number(estimate.gap) + (((4 * EPSILON) * Number(estimate.size)) / Number(estimate.h)));
}
function vague(estimate, claim) {
return (uncertain(estimate) > (0.0025 * max(abs(estimate.value), claim, ((0.001 * estimate.moved) / estimate.h))));
}
function unmeasured(state, value) {
return {"state": state, "value": value, "low": NaN, "high": NaN, "error": 0.0, "rounding": 0.0};
}
function measured(f, unit, claim) {
let apart, bent, close, coarse, error, few, grown, here, high, k, low, now, rounding, size, smooth, state, step, wider;
[here, step] = [f(0.0), (0.0001 * unit)];
now = estimated(f, here, step);
few = ((now.gap < 1e-06) ? ((0.01 * now.moved) / now.h) : 0.0);
smooth = (now.gap <= (((0.001 * abs(now.value)) + noise(now)) + few));
if ((!smooth && ((now.gap * now.h) > (4e-06 * now.size)))) {
[coarse, close] = [now, estimated(f, here, (step / 256))];
apart = abs((close.right - close.left));
bent = ((apart > (0.5 * abs((coarse.right - coarse.left)))) && (apart > noise(close)));
if (!close.finite) {
return unmeasured("edge", NaN);
}
if ((bent && (close.moved > (0.4 * coarse.moved)))) {
return unmeasured("jump", coarse.value);
}
rounding = ((4e-07 * close.size) / unit);
size = max(abs(close.left), abs(close.right));
if ((bent && (size > (3 * max(abs(coarse.left), abs(coarse.right)))))) {
return unmeasured("steep", NaN);
}
if (bent) {
[low, high] = [min(close.left, close.right), max(close.left, close.right)];
return {"state": "", "value": coarse.value, "low": low, "high": high, "error": 0.0, "rounding": rounding};
}
grown = (abs((close.value - coarse.value)) > (0.1 * abs(close.value)));
if (((close.gap > (0.1 * abs(close.value))) && grown)) {
return unmeasured("steep", NaN);
}
now = close;
}
k = 1;
while (((k <= 4) && now.finite && vague(now, claim))) {
wider = estimated(f, here, (step * (4 ** k)));
if ((uncertain(wider) < uncertain(now))) {
now = wider;
}
k += 1;
}
[error, rounding] = [uncertain(now), ((4e-07 * now.size) / unit)];
if ((now.finite && vague(now, claim) && ((claim * unit) > (1e-14 * now.size)))) {
return {...unmeasured("noise", NaN), "error": error, "rounding": rounding};
}
state = (now.finite ? "" : "edge");
return {"state": state, "value": now.value, "low": now.value, "high": now.value, "error": error, "rounding": rounding};
}
return measured;
})();
