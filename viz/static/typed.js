// A number as it is typed; undefined for what is none.
function parsed(text) {
  const word = text.trim().toLowerCase().replace("−", "-").replace(",", ".");
  if (/^[+-]?inf(inity)?$/.test(word)) return word[0] === "-" ? -Infinity : Infinity;
  return word === "nan" ? NaN : word && isFinite(+word) ? +word : undefined;
}
