// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const SIGN = "δ ";
function wiggles(edges, source, rounded) {
let before, both, key, moves, term, terms, total;
both = {"moves": {}, "terms": {}};
[moves, terms] = [both.moves, both.terms];
moves[("n" + source)] = 1.0;
for (const row of edges) {
before = (moves[("n" + row[1])] ?? null);
if ((before == null)) {
continue;
}
key = ("n" + row[2]);
term = rounded(row[2], (before * row[3]));
terms[("e" + row[0])] = term;
total = (moves[key] ?? null);
moves[key] = ((total == null) ? term : rounded(row[2], (total + term)));
}
return both;
}
function moved(source, name, products, total, finite) {
let words;
if ((products.length === 0)) {
return `A tiny step of ${source} does not move ${name}, by the slopes.`;
}
words = products.join(" + ").replaceAll("+ -", "- ");
words += (" = " + total);
if (finite) {
return `By the slopes, a tiny step of ${source} moves ${name} ${words} times as far.`;
}
return `By the slopes, it cannot be said how far a tiny step of ${source} moves ${name}: ${words}.`;
}
function measured_move(source, step, name, times) {
let how;
how = `Measured with a step of ${step} up and down, ${source}`;
return ((times === "") ? `${how} does not move ${name}.` : `${how} moves ${name} ${times} times as far.`);
}
function undecided(source) {
return `Within a step of ${source} the code decides otherwise, so nothing is measured.`;
}
function steps_of(source) {
return `${source} takes a tiny step: how far does each number move, as a multiple of it?`;
}
