// A number as it is typed: decimal, with a point or a comma, nan or inf; undefined for what is none.
function parsed(text) {
  const word = text.trim().toLowerCase().replaceAll("−", "-").replace(",", ".");
  if (/^[+-]?inf(inity)?$/.test(word)) return word[0] === "-" ? -Infinity : Infinity;
  return word === "nan" ? NaN : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word) ? +word : undefined;
}
