// Numbers in words, as minigrad/tracing/numbers.py writes them; tests/viz/drag/test_recomputed.py holds the two together.
//
// A number is a number or true or false; an array is told by its summary {dtype, shape, n, min, max, ...}.

const isNan = (v) => v !== v, isInf = (v) => v === Infinity || v === -Infinity;
const isArray = (v) => v !== null && typeof v === "object";

function summary(a, type, dtype, shape) {
  if (!shape) return type === "b" ? !!a[0] : a[0];
  const all = [...a], finite = all.filter(isFinite), k = finite.length, some = type === "b" ? all.map(Boolean) : all;
  const round = type === "f" ? Math.fround : type === "e" ? half : (v) => v, count = (test) => all.filter(test).length;
  const sum = (n) => finite.reduce((s, v) => s + v / n, 0); // of large numbers beyond the largest, their mean is not
  return {
    dtype, shape, n: all.length, sample: some.slice(0, 64),
    min: k ? Math.min(...finite) : NaN, max: k ? Math.max(...finite) : NaN, mean: k ? round(isFinite(sum(1)) ? sum(1) / k : sum(k)) : NaN,
    zeros: count((v) => v === 0), nan: count(isNan), inf: count(isInf),
  };
}

// A number as Python formats it: halves go to the even digit.
function short(v, digits = 4) {
  if (v === null || v === undefined) return "none";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (isArray(v)) return shortArray(v);
  if (isNan(v)) return "nan";
  if (isInf(v)) return v > 0 ? "inf" : "-inf";
  if (v === 0) return Object.is(v, -0) ? "-0" : "0";
  const plain = (t) => (t.includes(".") ? t.replace(/\.?0*$/, "") : t);
  const text = halved(v, digits, v.toExponential(digits - 1)), [m, e] = text.split("e");
  return +e < -4 || +e >= digits ? plain(m) + "e" + +e : plain((+text).toFixed(Math.max(0, digits - 1 - e)));
}

// The `text` of a number in so many digits; of a number in the middle between two, that with the even digit.
function halved(v, digits, text) {
  if (!v.toExponential(digits).includes("5e")) return text;
  const [long, exponent] = Math.abs(v).toExponential(60).split("e"), exact = long.replace(".", "");
  if (!/^50*$/.test(exact.slice(digits)) || exact[digits - 1] % 2) return text;
  return (v < 0 ? "-" : "") + exact[0] + "." + exact.slice(1, digits) + "e" + exponent;
}

function shortArray(v) {
  const few = `[${v.sample.map((s) => short(s, 3)).join(" ")}]`;
  if (v.n <= 4 && few.length <= 28) return few;
  if (v.nan) return `${v.nan} nan of ${v.n}`;
  if (v.inf) return `${v.inf} inf of ${v.n}`;
  return v.min === v.max ? `all ${short(v.min, 3)}` : `${short(v.min, 3)}…${short(v.max, 3)}`;
}

function full(v) {
  if (!isArray(v)) return short(v, 9);
  const counts = ["nan", "inf"].map((w) => (v[w] ? `, ${v[w]} ${w}` : "")).join(""), axes = v.shape.split("×");
  const some = v.sample.slice(0, 8).map((s) => short(s)).join(", ") + (v.n > 8 ? ", …" : "");
  const extent = `min ${short(v.min)}, max ${short(v.max)}, mean ${short(v.mean)}${counts}`;
  return `${v.dtype} array of shape (${axes.join(", ")}${axes.length > 1 ? "" : ","}): [${some}]; ${extent}`;
}

function spoken(v) {
  const text = short(v);
  if (!isArray(v)) return text;
  if (v.n <= 8 && !text.startsWith("all")) return `[${v.sample.map((s) => short(s)).join(" ")}] (${v.shape})`;
  return text.includes("…") ? `${v.shape} numbers from ${short(v.min)} to ${short(v.max)}` : `${text} (${v.shape})`;
}

// Which number is not finite: "nan" before "inf", "" if all are.
const nonfinite = (v) => (isArray(v) ? (v.nan ? "nan" : v.inf ? "inf" : "") : isNan(v) ? "nan" : isInf(v) ? "inf" : "");
const allZero = (v) => (isArray(v) ? v.zeros === v.n : +v === 0);
const firstBad = (v, word) => (isArray(v) ? v.sample.findIndex((s) => nonfinite(s) === word) : -1);
const element = (v, k) => (isArray(v) && k >= 0 && k < v.sample.length ? v.sample[k] : v);
