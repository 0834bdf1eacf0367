// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const TOLD = 3;
const TERMS = 6;
function rates(start, result, inputs) {
let by, clause, clauses, more, moving, named, still, verb, words;
moving = [];
still = [];
for (const one of inputs) {
if ((one[2] == null)) {
continue;
}
if (is_bad(abs(one[2]))) {
return "";
}
if ((one[2] === 0)) {
still.push(one[0]);
} else {
moving.push(one);
}
}
if ((moving.length === 0)) {
return "";
}
clauses = [];
verb = "";
for (const one of moving.slice(0, TOLD)) {
clause = rate(one);
if (((clause[0] === verb) && !one[1])) {
clauses.push(((times(one) + "as fast as one of ") + one[0]));
} else {
clauses.push(((clause[0] === verb) ? clause[1] : ((clause[0] + " ") + clause[1])));
}
verb = clause[0];
}
words = listed(clauses);
more = (moving.length - TOLD);
if ((more > 0)) {
words += ((more > 1) ? `; ${more} more inputs have gradients` : "; one more input has a gradient");
}
if ((still.length > 0)) {
named = still.slice(0, TOLD);
if ((still.length > TOLD)) {
named = still.slice(0, (TOLD - 1));
named.push(`${((still.length - TOLD) + 1)} more`);
}
words += `; the gradient${((still.length > 1) ? "s" : "")} of ${listed(named)} ${((still.length > 1) ? "are" : "is")} 0`;
}
by = ((moving.length === 1) ? "By its gradient, " : "By its gradients, ");
return ((((((start !== "") ? (start + " ") : "") + by) + result) + " ") + words);
}
function rate(one) {
if (!one[1]) {
return ["changes up to", ((times(one) + "as fast as an entry of ") + one[0])];
}
if ((one[2] < 0)) {
return ["falls", (((times(one) + "as fast as ") + one[0]) + " grows")];
}
return ["grows", ((times(one) + "as fast as ") + one[0])];
}
function times(one) {
let much, size;
size = abs(one[2]);
much = figure(size);
if ((size === 1)) {
return "";
}
return ((much === "1") ? "about " : (much + " times "));
}
function listed(parts) {
if ((parts.length < 2)) {
return parts[0];
}
return ((parts.slice(0, (parts.length - 1)).join(", ") + " and ") + parts[(parts.length - 1)]);
}
function added_up(inputs) {
let best, count, exact, often, rounded_sum, same, sent, size, term, terms, whole;
best = ["", false, null, []];
for (const one of inputs) {
if ((one[1] && (one[3].length > best[3].length))) {
best = one;
}
}
sent = best[3].filter((message) => (message != null));
[count, whole] = [sent.length, best[2]];
if (((count < 2) || (inputs.length > TOLD) || (whole == null))) {
return "";
}
[exact, size, rounded_sum, terms] = [0.0, 0.0, 0.0, ""];
for (let i = 0; i < count; i++) {
term = figure(sent[i]);
exact += sent[i];
size += abs(sent[i]);
rounded_sum += ((abs(sent[i]) < 1e-320) ? 0.0 : Number(term));
if (((i < (TERMS - 1)) || (count === TERMS))) {
terms += ((i === 0) ? term : ((term[0] === "-") ? (" - " + term.slice(1)) : (" + " + term)));
}
}
if (((size === 0) || !(abs((exact - whole)) <= (0.002 * abs(exact))))) {
return "";
}
same = ((count > TERMS) ? " + … = " : ((figure(rounded_sum) === figure(whole)) ? " = " : " ≈ "));
often = ((count < best[3].length) ? `gets ${count} messages` : `is used ${count} times`);
return `${best[0]} ${often}, so its gradient is a sum: ${terms}${same}${figure(whole)}.`;
}
