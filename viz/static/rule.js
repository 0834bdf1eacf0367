// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const ruling = (() => {
const { abs, floor, log10, max, min, trunc } = Math;
const TAKES = {__proto__: null, "exp": 1, "log": 1, "sqrt": 1, "tanh": 1, "sigmoid": 1, "sin": 1, "cos": 1, "abs": 1, "sign": 1, "maximum": 2, "minimum": 2, "where": 3};
const NAMED = {__proto__: null, "maximum": "max", "minimum": "min"};
const OPERATES = {__proto__: null, "+": "add", "-": "sub", "*": "mul", "/": "div", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"};
const LEVELS = [["+", "-"], ["*", "/"]];
const KEYWORDS = ["and", "or", "not", "if", "else", "lambda", "return", "for", "in", "is"];
const WIDER = "efd";
const COMPARES = ["<", "<=", ">", ">=", "==", "!="];
const PLAIN = {__proto__: null, "cell": -1, "type": "", "shape": [], "weak": null, "first": 0};
const LARGEST = 1e+300;
const TOO_LARGE = "this number is too large";
function refused(sign, a, b) {
if (COMPARES.includes(sign)) {
return "compare with a name of the function, not two numbers";
}
if ((((sign === "/") && (b === 0)) || ((sign === "**") && (a === 0) && (b < 0)))) {
return "this divides by 0";
}
if (((sign === "**") && (a < 0) && (b !== floor(b)))) {
return "a negative number has no such power";
}
if (((sign === "**") && (a !== 0) && ((b * log10(abs(a))) > 300))) {
return TOO_LARGE;
}
return "";
}
function combined(sign, a, b) {
if ((sign === "+")) {
return (a + b);
}
if ((sign === "-")) {
return (a - b);
}
if ((sign === "*")) {
return (a * b);
}
return ((sign === "/") ? (a / b) : (a ** b));
}
const PAIRS = ["**", "<=", ">=", "==", "!=", "//"];
const INSTEAD = {__proto__: null, "^": "a power is **", "=": "a comparison is ==, and the rule itself needs no =", "·": "a product is *", "×": "a product is *", "−": "a minus is -", "÷": "a quotient is /", "[": "one entry cannot be taken here", ":": "a rule is one expression, without a colon", "²": "a square is ** 2", ".": "a point stands in a number or after mg"};
const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
class Tokens {
constructor(text) {
this.text = text;
this.all = [];
this.error = "";
this.place = 0;
this.split_up();
}
fail(words, at) {
if ((this.error === "")) {
this.error = words;
this.place = at;
}
}
split_up() {
let begin, char, i, numpy, pair, sign, start, text, word;
[text, i] = [(this.text + " "), 0];
while ((i < this.text.length)) {
[char, start] = [text[i], i];
if (((char === " ") || (char === "\n") || (char === "\t"))) {
i += 1;
continue;
}
if ((DIGITS.includes(char) || ((char === ".") && DIGITS.includes(text[(i + 1)])))) {
i = this.number_end(text, i);
this.token("number", text.slice(start, i), start, i);
if ((text[i] === "_")) {
this.fail("write a number without _", i);
}
} else {
if (LETTERS.includes(char)) {
while ((LETTERS.includes(text[i]) || DIGITS.includes(text[i]))) {
i += 1;
}
word = text.slice(start, i);
if (((text[i] === ".") && ((word === "mg") || (word === "np")))) {
numpy = (word === "np");
i += 1;
begin = i;
while ((LETTERS.includes(text[i]) || DIGITS.includes(text[i]))) {
i += 1;
}
word = text.slice(begin, i);
if (numpy) {
this.fail(((((("write mg." + word) + ", or ") + word) + " alone, not np.") + word), start);
}
this.token("mg", word, start, i);
} else {
this.token("name", word, start, i);
}
} else {
pair = text.slice(start, (start + 2));
i += (PAIRS.includes(pair) ? 2 : 1);
sign = text.slice(start, i);
if ((sign === "//")) {
this.fail("a quotient is /", start);
} else {
if ((!"+-*/()<>,".includes(sign) && !PAIRS.includes(sign))) {
this.fail((INSTEAD[sign] ?? (sign + " is not a sign of a rule")), start);
}
}
this.token("sign", sign, start, i);
}
}
if ((this.error !== "")) {
return;
}
}
this.token("end", "", this.text.length, this.text.length);
}
token(kind, text, at, end) {
this.all.push({"kind": kind, "text": text, "at": at, "end": end});
}
number_end(text, begin) {
let i, k;
i = begin;
while (DIGITS.includes(text[i])) {
i += 1;
}
if ((text[i] === ".")) {
i += 1;
while (DIGITS.includes(text[i])) {
i += 1;
}
}
if (((text[i] === "e") || (text[i] === "E"))) {
k = (i + 1);
if (((text[k] === "+") || (text[k] === "-"))) {
k += 1;
}
if (((k < text.length) && DIGITS.includes(text[k]))) {
i = k;
while (DIGITS.includes(text[i])) {
i += 1;
}
}
}
return i;
}
}
class Rule {
constructor(text, names, start) {
let one, read, token;
this.text = text;
this.names = names;
this.start = start;
this.rows = [];
this.signs = [];
this.used = [];
this.pointed = [];
this.local = {};
read = new Tokens(text);
this.tokens = read.all;
this.error = read.error;
this.at = read.place;
this.i = 0;
this.value = null;
if ((this.error === "")) {
this.value = this.comparison();
}
if (((this.error === "") && (this.tokens[this.i].kind !== "end"))) {
token = this.tokens[this.i];
one = (token.text === ",");
this.fail(((token.text === ")") ? "one ) too many" : (one ? "a rule is one expression, without a comma" : ("an operator is missing before " + token.text))), token);
}
if (((this.error === "") && (this.value.type === "b"))) {
this.fail("a comparison is not a number: write where(x > 0, 1, 0)", this.tokens[0]);
}
if (((this.error === "") && (this.value.weak != null))) {
this.value = this.strong(this.value, "d");
}
}
fail(words, token) {
if ((this.error === "")) {
this.error = words;
this.at = token.at;
}
this.i = (this.tokens.length - 1);
}
sees(...signs) {
let token;
token = this.tokens[this.i];
return ((token.kind === "sign") && signs.includes(token.text));
}
missing(token) {
let after;
after = this.tokens[this.i];
if (((this.error === "") && (["number", "name", "mg"].includes(after.kind) || (after.text === "(")))) {
if (KEYWORDS.includes(after.text)) {
this.keyword(after);
} else {
if ((after.text === "(")) {
this.fail("write * before (", after);
} else {
this.fail(((("write " + token.text) + " * ") + after.text), after);
}
}
}
}
keyword(token) {
let word;
word = token.text;
if (((word === "if") || (word === "else"))) {
this.fail(("write where(condition, this, that) instead of " + word), token);
} else {
if (((word === "and") || (word === "or"))) {
this.fail(("write a product of two comparisons, or where, instead of " + word), token);
} else {
this.fail((word + " is not part of a rule: it is one expression"), token);
}
}
}
comparison() {
let token, value;
value = this.operation(0);
if (((this.error === "") && this.sees(...COMPARES))) {
token = this.next();
value = this.binary(token, value, this.operation(0));
if (((this.error === "") && this.sees(...COMPARES))) {
this.fail("one comparison at a time: write (a < b) * (b < c)", this.tokens[this.i]);
}
}
return value;
}
operation(level) {
let token, value;
if ((level === LEVELS.length)) {
return this.factor();
}
value = this.operation((level + 1));
while (((this.error === "") && this.sees(...LEVELS[level]))) {
token = this.next();
value = this.binary(token, value, this.operation((level + 1)));
}
return value;
}
factor() {
let a, base, first, token;
if (this.sees("+", "-")) {
[token, first] = [this.next(), (this.i - 1)];
a = this.factor();
if ((this.error !== "")) {
return null;
}
if ((a.type === "b")) {
this.fail("a comparison has no sign: write where(x > 0, 1, 0)", token);
return null;
}
if ((a.weak != null)) {
return this.number(((token.text === "-") ? -a.weak : a.weak), first);
}
if ((token.text === "+")) {
return a;
}
return this.row("neg", [a.cell], a.type, a.shape, "-");
}
base = this.atom();
if (((this.error === "") && this.sees("**"))) {
token = this.next();
return this.binary(token, base, this.factor());
}
return base;
}
next() {
this.i += 1;
return this.tokens[(this.i - 1)];
}
atom() {
let after, first, inner, long, token;
[token, first] = [this.tokens[this.i], this.i];
this.i += 1;
if ((token.kind === "number")) {
long = ((token.text.length > 1) && (token.text[0] === "0") && DIGITS.includes(token.text[1]));
if ((long || (abs(Number(token.text)) > LARGEST))) {
this.fail((long ? "a number has no 0 in front" : TOO_LARGE), token);
return null;
}
this.missing(token);
return this.number(Number(token.text), first);
}
if ((token.text === "(")) {
inner = this.comparison();
if (((this.error === "") && !this.sees(")"))) {
this.fail((this.sees(",") ? "a rule has no tuples" : "a ) is missing"), this.tokens[this.i]);
}
if ((this.error !== "")) {
return null;
}
this.i += 1;
after = this.tokens[this.i];
if ((((after.kind !== "end") && (after.kind !== "sign")) || (after.text === "("))) {
this.missing({"text": "(…)"});
}
return inner;
}
if (((token.kind === "name") || (token.kind === "mg"))) {
return (this.sees("(") ? this.called(token) : this.named(token));
}
if ((token.kind === "end")) {
this.i -= 1;
this.fail(((this.i > 0) ? "something is missing at the end" : "write what goes back, such as upstream * 2"), token);
} else {
if ((token.text === ")")) {
this.fail(((first === 0) ? "a ( is missing" : "something is missing before )"), token);
} else {
this.fail(("something is missing before " + token.text), token);
}
}
return null;
}
named(token) {
let entry, word;
word = token.text;
if (KEYWORDS.includes(word)) {
this.keyword(token);
return null;
}
entry = (this.names[word] ?? null);
if (((token.kind === "mg") || (entry == null))) {
if (((TAKES[word] ?? null) != null)) {
this.fail((((word + " is a function: write ") + word) + "(x)"), token);
} else {
this.fail(((("there is no " + word) + " here; the names are ") + Object.keys(this.names).join(", ")), token);
}
return null;
}
if (!this.used.includes(word)) {
this.used.push(word);
}
this.missing(token);
if ((this.error !== "")) {
return null;
}
if (((entry["text"] ?? null) == null)) {
return {...PLAIN, "cell": entry.cell, "type": entry.type, "shape": entry.shape};
}
if (((this.local[word] ?? null) == null)) {
this.compute(word, token);
}
return ((this.error !== "") ? null : this.local[word]);
}
compute(word, token) {
let needed, order, text;
needed = {};
needed[word] = true;
order = [];
for (const name of Object.keys(this.names).slice().reverse()) {
text = (this.names[name]["text"] ?? null);
if ((((needed[name] ?? null) != null) && (text != null) && ((this.local[name] ?? null) == null))) {
order.push(name);
for (const other of new Tokens(text).all) {
needed[other.text] = true;
}
}
}
for (const name of order.slice().reverse()) {
if ((this.error === "")) {
this.local[name] = this.inner(this.names[name].text, token);
}
}
}
inner(text, token) {
let at, failed, outer, pointed, read, value;
[outer, at, pointed] = [this.tokens, this.i, this.pointed.slice(0)];
read = new Tokens(text);
[this.tokens, this.i] = [read.all, 0];
value = this.comparison();
failed = ((read.error !== "") || (this.error !== "") || (this.tokens[this.i].kind !== "end"));
[this.tokens, this.i, this.pointed] = [outer, at, pointed];
if (failed) {
this.error = "";
this.fail(("the page cannot compute " + token.text), token);
}
return ((this.error === "") ? {...value, "first": (at - 1)} : null);
}
called(token) {
let cells, first, is_name, last, missing, shape, type, values, word;
word = token.text;
if (((TAKES[word] ?? null) == null)) {
is_name = ((this.names[word] ?? null) != null);
missing = ((("there is no function " + word) + " here; there are ") + Object.keys(TAKES).join(", "));
this.fail((is_name ? (("write " + word) + " * (") : missing), token);
return null;
}
this.i += 1;
first = this.i;
values = [];
if (!this.sees(")")) {
values.push(this.comparison());
while (((this.error === "") && this.sees(","))) {
this.i += 1;
values.push(this.comparison());
}
}
if (((this.error === "") && !this.sees(")"))) {
this.fail("a ) is missing", this.tokens[this.i]);
}
if ((this.error !== "")) {
return null;
}
last = this.i;
this.i += 1;
if ((values.length !== TAKES[word])) {
this.fail(`${word} takes ${TAKES[word]} argument${((TAKES[word] === 1) ? "" : "s")}, not ${values.length}`, token);
return null;
}
this.missing({"text": (word + "(…)")});
if ((this.error !== "")) {
return null;
}
if ((word === "where")) {
if ((values[0].type !== "b")) {
this.fail("where begins with a comparison, as in where(x > 0, 1, 0)", token);
return null;
}
return this.where(token, values, first, last);
}
for (const a of values) {
if ((a.type === "b")) {
this.fail("a comparison is not a number: write where(x > 0, 1, 0)", token);
return null;
}
}
type = this.common(values);
if ((type === "")) {
this.point(first, last);
type = "f";
}
shape = this.shape_of(token, values);
cells = ((this.error === "") ? values.map((a) => this.cell(a, type)) : []);
if ((this.error !== "")) {
return null;
}
if ((word === "sigmoid")) {
return this.sigmoid(cells[0], type, shape);
}
return this.row((NAMED[word] ?? word), cells, type, shape, word);
}
where(token, values, first, last) {
let both, cells, shape, type;
both = values.slice(1, 3);
if (((both[0].type === "b") || (both[1].type === "b"))) {
this.fail("where chooses between numbers: its last two arguments cannot be comparisons", token);
return null;
}
type = this.common(both);
shape = this.shape_of(token, values);
if ((this.error !== "")) {
return null;
}
if ((type === "")) {
for (let k = first; k < last; k++) {
if ((both[0].first <= k)) {
this.point(k, (k + 1));
}
}
type = "f";
}
cells = both.map((a) => this.cell(a, type));
return this.row("where", [values[0].cell, cells[0], cells[1]], type, shape, "where");
}
sigmoid(x, type, shape) {
let above, below, one, right, small, zero;
small = this.row("abs", [x], type, shape, "");
small = this.row("neg", [small.cell], type, shape, "");
small = this.row("exp", [small.cell], type, shape, "");
one = this.strong(this.number(1.0, 0), type);
zero = this.strong(this.number(0.0, 0), type);
below = this.row("add", [one.cell, small.cell], type, shape, "");
right = this.row("ge", [x, zero.cell], "b", shape, "");
above = this.row("where", [right.cell, one.cell, small.cell], type, shape, "");
return this.row("div", [above.cell, below.cell], type, shape, "sigmoid");
}
binary(token, a, b) {
let cells, number, shape, sign, tests, type;
if ((this.error !== "")) {
return null;
}
sign = token.text;
if (((a.weak != null) && (b.weak != null))) {
return this.folded(token, a, b);
}
shape = this.shape_of(token, [a, b]);
if ((this.error !== "")) {
return null;
}
tests = [a, b].filter((v) => (v.type === "b"));
if (((tests.length > 0) && (COMPARES.includes(sign) || (sign === "**") || ((tests.length === 2) && (sign !== "*"))))) {
this.fail("a comparison is not a number: write where(x > 0, 1, 0)", token);
return null;
}
type = this.common([a, b]);
if ((tests.length === 2)) {
return this.row("mul", [a.cell, b.cell], "b", shape, sign);
}
if ((type === "")) {
number = ((a.weak != null) ? a : b);
this.point(number.first, (number.first + 1));
type = "f";
}
cells = [this.cell(a, type), this.cell(b, type)];
if ((sign === "**")) {
return this.row(((b.weak != null) ? "pows" : "pow"), cells, type, shape, sign);
}
return this.row(OPERATES[sign], cells, (COMPARES.includes(sign) ? "b" : type), shape, sign);
}
folded(token, a, b) {
let value, words;
words = refused(token.text, a.weak, b.weak);
value = ((words !== "") ? 0.0 : combined(token.text, a.weak, b.weak));
if (((words !== "") || (abs(value) > LARGEST))) {
this.fail(((words !== "") ? words : TOO_LARGE), token);
return null;
}
return this.number(value, a.first);
}
number(value, first) {
return {...PLAIN, "weak": value, "first": first};
}
row(name, cells, type, shape, sign) {
this.rows.push([name, ...cells]);
this.signs.push(sign);
return {...PLAIN, "cell": ((this.start + this.rows.length) - 1), "type": type, "shape": shape};
}
strong(a, type) {
this.rows.push(["is", type, [a.weak]]);
this.signs.push("");
return {...PLAIN, "cell": ((this.start + this.rows.length) - 1), "type": type};
}
cell(a, type) {
let value;
if ((a.weak != null)) {
value = this.strong(a, type);
return trunc(value.cell);
}
if ((a.type !== type)) {
this.rows.push(["as", type, a.cell]);
this.signs.push("");
return ((this.start + this.rows.length) - 1);
}
return trunc(a.cell);
}
common(some) {
let best;
best = "";
for (const a of some) {
if (((a.weak == null) && (a.type !== "b") && ((best === "") || (WIDER.indexOf(a.type) > WIDER.indexOf(best))))) {
best = a.type;
}
}
return best;
}
shape_of(token, some) {
let shape, sizes;
shape = [];
for (const a of some) {
if (((this.error === "") && (a.shape.length > 0))) {
if (((shape.length > 0) && (shape.map((n) => String(n)).join(", ") !== a.shape.map((n) => String(n)).join(", ")))) {
sizes = ((shape.map((n) => String(n)).join("×") + " and ") + a.shape.map((n) => String(n)).join("×"));
this.fail((("arrays of " + sizes) + " meet here, and the page computes with arrays of one shape"), token);
}
shape = a.shape;
}
}
return shape;
}
point(first, last) {
for (let k = first; k < last; k++) {
if ((this.tokens[k].kind === "number")) {
this.pointed.push(k);
}
}
}
python() {
let at, copied, token, word;
[copied, at] = ["", 0];
for (let k = 0; k < this.tokens.length; k++) {
token = this.tokens[k];
copied += this.text.slice(at, token.at);
word = this.text.slice(token.at, token.end);
if (((token.kind === "name") && ((this.names[word] ?? null) == null))) {
copied += "mg.";
}
copied += word;
if ((this.pointed.includes(k) && !word.includes(".") && !word.includes("e") && !word.includes("E"))) {
copied += ".0";
}
at = token.end;
}
return copied;
}
}
function functions() {
return Object.keys(TAKES).join(", ");
}
function misfit(rule, name, shape) {
let got, want;
got = rule.value.shape.map((n) => String(n)).join("×");
want = shape.map((n) => String(n)).join("×");
if ((got === want)) {
return "";
}
if ((got === "")) {
return `the rule gives one number, and ${name} has ${want}: add 0 * ${name}`;
}
if ((want === "")) {
return `the rule gives ${got} numbers, and ${name} is one: its gradient is a sum, which is written in Python`;
}
return `the rule gives ${got} numbers, and ${name} has ${want}`;
}
function reason(rule, cells, entry) {
let numbers, row, shown, sign;
for (let k = 0; k < rule.rows.length; k++) {
sign = rule.signs[k];
if (((sign === "") || (entry_of(cells[(rule.start + k)], entry) === entry_of(cells[(rule.start + k)], entry)))) {
continue;
}
row = rule.rows[k];
numbers = row.slice(1, row.length).map((c) => entry_of(cells[c], entry));
if (((sign === "sigmoid") || (numbers.filter((v) => (v !== v)).length > 0))) {
continue;
}
shown = numbers.map((v) => short(v));
if (((sign === "-") && (shown.length === 1))) {
continue;
}
return ((((OPERATES[sign] ?? null) != null) || (sign === "**")) ? `${shown[0]} ${sign} ${shown[1]} is nan` : `${sign}(${shown.join(", ")}) is nan`);
}
return "";
}
function doubt(rule, cells, entry, eps) {
let a, b, both, error, errors, most, name, p, q, row, v;
errors = [...Array(rule.start).keys()].map((c) => ((c > 0) ? (eps * abs(entry_of(cells[c], entry))) : 0.0));
for (let k = 0; k < rule.rows.length; k++) {
[row, name] = [rule.rows[k], rule.rows[k][0]];
v = entry_of(cells[(rule.start + k)], entry);
error = 0.0;
if ((name === "as")) {
error = errors[row[2]];
} else {
if ((name !== "is")) {
p = ((row.length > 2) ? row[(row.length - 2)] : row[1]);
q = row[(row.length - 1)];
[a, b] = [abs(entry_of(cells[p], entry)), abs(entry_of(cells[q], entry))];
both = (errors[p] + errors[q]);
error = ((row.length === 3) ? both : errors[p]);
if ((name === "mul")) {
error = ((a * errors[q]) + (b * errors[p]));
} else {
if ((name === "div")) {
error = ((b > 0) ? ((errors[p] + (abs(v) * errors[q])) / b) : Infinity);
} else {
if ((name === "exp")) {
error = (abs(v) * errors[p]);
} else {
if (((name === "log") || (name === "sqrt"))) {
error = (((v !== 0) && (a > 0)) ? (errors[p] / ((name === "log") ? a : (2 * abs(v)))) : Infinity);
} else {
if (((name === "pow") || (name === "pows"))) {
error = ((a > 0) ? (abs(v) * (((b * errors[p]) / a) + ((abs(log10(a)) * 2.31) * errors[q]))) : Infinity);
if (((a === 0) && (entry_of(cells[q], entry) >= 1))) {
error = errors[p];
}
} else {
if ((name === "where")) {
error = ((entry_of(cells[row[1]], entry) !== 0) ? errors[p] : errors[q]);
}
}
}
}
}
}
}
}
errors.push((error + (eps * abs(v))));
}
most = errors[rule.value.cell];
return ((most === most) ? most : Infinity);
}
function entry_of(cell, entry) {
return Number(cell[((entry < cell.length) ? entry : 0)]);
}
const AGREE = 0.002;
const ROOM = {__proto__: null, "f": [0.002, 1.2e-38], "d": [0.002, 2.3e-308], "e": [0.02, 6.2e-05]};
const SHARP = 1e-05;
const LEAST = 3e-11;
function right_slopes(row) {
let own_rule, size;
if (((row.state !== "") || (row.value !== row.value))) {
return null;
}
if ((row.low < row.high)) {
return {"low": row.low, "high": row.high, "slack": (row.error + LEAST)};
}
size = abs(row.exact);
own_rule = (row.replaced && (row.error <= ((SHARP * abs(row.value)) + LEAST)));
if ((own_rule || (size !== size) || (size === Infinity))) {
return {"low": row.value, "high": row.value, "slack": (row.error + LEAST)};
}
if ((abs((row.exact - row.value)) > (((AGREE * size) + row.error) + LEAST))) {
return null;
}
if (((row.error > ((AGREE * size) + LEAST)) && (row.error > (0.1 * size)))) {
return null;
}
if (((size > 0) && (size <= row.error))) {
return {"low": row.exact, "high": row.exact, "slack": row.error};
}
return {"low": row.exact, "high": row.exact, "slack": 0.0};
}
function beyond(v, slope, row) {
let dust, room;
dust = ((largest(slope) <= LEAST) ? row.rounding : 0.0);
room = ((((row.room * largest(slope)) + slope.slack) + row.least) + dust);
return !((v >= (slope.low - room)) && (v <= (slope.high + room)));
}
function word_of(row) {
let finite, high, low, sharp, slope, unclear, wide;
slope = right_slopes(row);
if ((slope == null)) {
return "unknown";
}
finite = (abs(row.mine) < Infinity);
if ((!finite && ((largest(slope) * row.least) > 1))) {
return "unknown";
}
if ((row.mine !== row.mine)) {
return "nan";
}
if (!finite) {
return "inf";
}
[low, high, wide] = [slope.low, slope.high, row.wide];
if (beyond(row.mine, slope, row)) {
unclear = ((row.doubt < Infinity) && (min(abs((wide - low)), abs((wide - high))) <= (4 * row.doubt)));
return (!beyond(wide, slope, row) ? "rounded" : (unclear ? "blurred" : "wrong"));
}
if (((wide !== wide) || (abs(wide) === Infinity))) {
return "";
}
if ((low < high)) {
sharp = ((((SHARP * largest(slope)) + LEAST) + (4 * row.doubt)) + (0.1 * row.rounding));
return (((wide < (low - sharp)) || (wide > (high + sharp))) ? "wrong" : "");
}
sharp = (((SHARP * abs(low)) + LEAST) + (4 * row.doubt));
return (((abs((wide - low)) > sharp) && (abs((wide - row.value)) > (sharp + row.error))) ? "wrong" : "");
}
function largest(slope) {
return max(abs(slope.low), abs(slope.high));
}
const SAMPLES = 121;
const NARROWED = 4;
const REACH = 20.0;
const FAR = [50.0, 100.0, 1000.0, 10000.0];
const SAID = {__proto__: null, "nan": "wrong at {at}: nan instead of {want}{why}{and_so}", "inf": "wrong at {at}: {got} instead of {want}{and_so}", "sign": "the sign is wrong: {got} instead of {want} at {at}, and at {n} of the {all} samples", "transposed": "transposed: the gradient of {name} has these numbers with rows and columns exchanged", "wrong": "wrong at {at}: {got} instead of {want}{and_so}", "corner wrong": "wrong at {at}: {got}, where the slope is {left} to the left and {right} to the right: any number between is a fair answer{and_so}", "forgets": "it forgets {upstream}: for {seed} it gives {got} instead of {want}{where}", "upstream": "wrong for {seed}: {got} instead of {want} at {at}", "others": "wrong for {at}: {got} instead of {want}", "rounded": "lost to {how} at {at}: {got} instead of {want}, and right in float64{and_so}", "rounded others": "lost to {how} for {at}: {got} instead of {want}, and right in float64", "blurred": "not sure at {at}: {got} instead of {want}, perhaps by rounding", "corner": "fair at {at}, where the slope is {left} to the left and {right} to the right: any number between is a fair answer{alone}, and this is {got}{only}", "right here": "right at {at}: {got}{derived}{only}", "right": "right at all {n} samples{sure} from {low} to {high}{only}", "most right": "right at {n} of the {all} samples{and_so}{only}", "far": "but not everywhere: {got} instead of {want} at {at}", "unknown here": "the slope is not sure at {at}", "unknown": "the slope is not sure at any sample", "value": "the value itself is {value} at {at}, which no gradient rule repairs"};
function span(x, dtype) {
let digits, edge, far, unit;
far = ((abs(x) < 1e+30) ? max(REACH, (1.2 * abs(x))) : REACH);
digits = floor(log10(far));
unit = ((10.0 ** digits) / 2);
edge = (unit * floor(((far / unit) + 0.999)));
if (((dtype === "e") && (edge > 65504))) {
edge = 65504.0;
}
return [-edge, edge];
}
function narrowed(low, high, x, inside) {
let first, last, step, unit;
if (((4 * inside.length) >= SAMPLES)) {
return [low, high];
}
step = ((high - low) / (SAMPLES - 1));
[first, last] = [(min(...[x, ...inside]) - step), (max(...[x, ...inside]) + step)];
unit = ((10.0 ** floor(log10((last - first)))) / 10);
return [max(low, (unit * floor((first / unit)))), min(high, (-unit * floor((-last / unit))))];
}
function outside(low, high) {
return [...FAR, ...FAR.map((far) => -far)].filter((x) => ((x < low) || (x > high)));
}
function moved(x, n, place) {
let part, start;
if ((place === 0)) {
return x;
}
start = ((abs(x) < Infinity) ? x : 0.0);
part = (((place === 1) ? 0.7 : -0.45) * (1 + (0.31 * ((3 * n) % 4))));
return (start + (part * max(1.0, abs(start))));
}
function placed(names, values, k) {
let each, first;
each = [...Array(names.length).keys()].filter((i) => (i !== k)).map((i) => ((names[i] + " = ") + short(values[i])));
first = ((names[k] + " = ") + short(values[k]));
return ((each.length > 3) ? (first + ", with other inputs too") : [first, ...each].join(", "));
}
function fill(kind, holes) {
let words;
words = SAID[kind];
for (const hole of Object.keys(holes)) {
words = words.replaceAll((("{" + hole) + "}"), holes[hole]);
}
return words;
}
function apart(got, want) {
for (const digits of [4, 6, 9, 17]) {
if ((short(got, digits) !== short(want, digits))) {
return [short(got, digits), short(want, digits)];
}
}
return [short(got, 17), short(want, 17)];
}
function holes_of(row, at) {
let before, end, high, low, mine, pair, size, slope;
slope = right_slopes(row);
if ((slope.low < slope.high)) {
size = (LEAST * largest(slope));
[low, high] = [slope.low, slope.high].map((v) => short(((abs(v) < size) ? 0.0 : v)));
before = ((row.bend > 0) ? low : high);
mine = row.mine;
end = ((mine < slope.low) ? slope.low : slope.high);
return {"got": ((((mine - slope.low) * (mine - slope.high)) > 0) ? apart(mine, end)[0] : short(mine)), "want": ((low === high) ? low : ((low + " to ") + high)), "at": at, "left": before, "right": ((before === low) ? high : low)};
}
pair = apart(row.mine, slope.low);
return {"got": pair[0], "want": pair[1], "at": at};
}
function far_off(row) {
let off, slope;
slope = right_slopes(row);
off = abs((row.mine - slope.low));
return ((off === off) ? (off / (abs(slope.low) + LEAST)) : Infinity);
}
function worst_of(some) {
let best;
best = some[0];
for (const row of some) {
if (((far_off(row) > far_off(best)) || ((far_off(row) === far_off(best)) && (abs(row.x) < abs(best.x))))) {
best = row;
}
}
return best;
}
function turned_word(row) {
return word_of({...row, "mine": -row.mine, "wide": -row.wide});
}
function lost_to(row) {
return (row.over ? "overflow or rounding" : "rounding");
}
function judged(name, here, rows, more) {
let and_so, at, bent, corner, count, far, flipped, good, holes, how, kind, limit, lost, missed, more_at, nan_derived, now, off, only, order, other, others_off, parts, range_holes, repaired, rest, row, seeds, sign, some, sure, text, turned, unsure, where, why, words, worse, worst, wrong_there;
parts = [];
at = ((name + " = ") + short(here.x));
words = rows.map((row) => word_of(row));
sure = rows.filter((row) => (right_slopes(row) != null));
now = word_of(here);
off = words.filter((word) => ["wrong", "rounded"].includes(word)).length;
turned = sure.filter((row) => ((abs(right_slopes(row).low) > LEAST) || (word_of(row) === "wrong"))).map((row) => turned_word(row));
flipped = turned.filter((word) => (word === ""));
lost = turned.filter((word) => ["rounded", "blurred"].includes(word));
sign = ((now === "wrong") && (turned_word(here) === "") && (flipped.length > 2) && ((flipped.length + lost.length) === turned.length));
bent = ((right_slopes(here) != null) && (right_slopes(here).low < right_slopes(here).high));
for (const kind of ["nan", "inf", "wrong", "rounded", "blurred"]) {
some = rows.filter((row) => (word_of(row) === kind));
if ((["wrong", "rounded", "blurred"].includes(kind) && (sign || more.transposed))) {
continue;
}
if (((now !== kind) && ((some.length === 0) || (kind === "blurred")))) {
continue;
}
worst = ((now === kind) ? here : worst_of(some));
holes = holes_of(worst, ((now === kind) ? at : ((name + " = ") + short(worst.x))));
holes.why = "";
holes.and_so = "";
holes.how = lost_to(worst);
if ((kind === "nan")) {
why = more.why(worst);
holes.why = ((why !== "") ? (", because " + why) : "");
}
more_at = some.filter((row) => (row.x !== worst.x)).map((row) => row.x);
rest = more_at.length;
if ((rest === 1)) {
holes.and_so = ((("; also at " + name) + " = ") + short(more_at[0]));
}
if ((rest > 1)) {
far = ((short(min(...more_at)) + " to ") + short(max(...more_at)));
count = (String(rest) + ((some.length > rest) ? " more" : ""));
holes.and_so = ((((("; also at " + count) + " of the ") + String(rows.length)) + " samples, from ") + far);
}
if (((rest > 0) && (rest === rows.filter((row) => (row.x !== worst.x)).length))) {
holes.and_so = (("; also at all " + rows.length) + " samples");
}
corner = ((kind === "wrong") && (right_slopes(worst).low < right_slopes(worst).high));
parts.push([(corner ? "corner wrong" : kind), fill((corner ? "corner wrong" : kind), holes)]);
}
if (sign) {
parts.push(["sign", fill("sign", {...holes_of(here, at), "n": String(off), "all": String(rows.length)})]);
}
if (more.transposed) {
parts.push(["transposed", fill("transposed", {"name": more.array})]);
}
others_off = more.others.filter((row) => !["", "unknown", "blurred"].includes(word_of(row)));
worse = others_off.filter((row) => (word_of(row) !== "rounded"));
if (((others_off.length > 0) && !more.transposed)) {
how = ((worse.length > 0) ? "others" : "rounded others");
other = ((worse.length > 0) ? worse[0] : others_off[0]);
parts.push([how, fill(how, {...holes_of(other, other.name), "how": lost_to(other)})]);
}
wrong_there = (parts.filter((part) => ["nan", "inf", "wrong", "corner wrong"].includes(part[0])).length > 0);
seeds = more.seeds.filter((row) => ((row.x === here.x) || !wrong_there));
seeds = ((["wrong", "nan"].includes(now) || sign) ? [] : seeds.filter((row) => (word_of(row) === "wrong")));
for (const other of (more.transposed ? [] : more.others)) {
if (!["nan", "inf", "wrong"].includes(word_of(other))) {
seeds = [...seeds, ...other.seeds.filter((row) => (word_of(row) === "wrong"))];
}
}
if (((seeds.length === 0) && !["wrong", "nan"].includes(now) && !sign && !more.transposed)) {
seeds = more.away.filter((row) => (word_of(row) === "wrong"));
}
missed = seeds.filter((row) => ((row.forgets !== "") && (largest(right_slopes(row)) > LEAST)));
if ((seeds.length > 0)) {
row = ((missed.length > 0) ? missed[0] : seeds[0]);
how = ((missed.length > 0) ? "forgets" : "upstream");
where = (((row.name === name) && (row.x === here.x)) ? "" : (" at " + row.place));
holes = {...holes_of(row, row.place), "seed": row.seed, "upstream": row.forgets, "where": where};
parts.push([how, fill(how, holes)]);
}
only = ((seeds.length > 0) ? (" for " + here.seed) : "");
order = Object.keys(SAID);
parts.sort((a, b) => ((part) => order.indexOf(part[0]))(a) - ((part) => order.indexOf(part[0]))(b));
kind = ((parts.length > 0) ? parts[0][0] : "");
good = words.filter((word) => (word === "")).length;
unsure = words.filter((word) => ["unknown", "blurred"].includes(word)).length;
and_so = ((more.transposed && (off > 0)) ? ((", wrong at " + off) + " of them") : "");
and_so += ((unsure > 0) ? ((", not sure at " + unsure) + " of them") : "");
if ((now === "unknown")) {
parts.push(["unknown here", fill("unknown here", {"at": at})]);
} else {
if (((now === "") && bent)) {
holes = {...holes_of(here, at), "alone": (more.alone ? "" : ((" for " + name) + " alone")), "only": only};
parts.push(["corner", fill("corner", holes)]);
} else {
if (((now === "") && !more.transposed)) {
nan_derived = (", where the derived rule gives " + short(more.derived));
repaired = ((abs(more.derived) < Infinity) ? "" : nan_derived);
holes = {"got": short(here.mine), "at": at, "derived": repaired, "only": only};
parts.push(["right here", fill("right here", holes)]);
}
}
}
if ((sure.length === 0)) {
parts.push(["unknown", SAID.unknown]);
} else {
if ((good === sure.length)) {
limit = ((good === rows.length) ? "" : (" where the slope is sure, of " + rows.length));
range_holes = {"low": short(rows[0].x), "high": short(rows[(rows.length - 1)].x)};
parts.push(["right", fill("right", {...range_holes, "n": String(good), "sure": limit, "only": only})]);
for (const row of more.far.filter((row) => ["nan", "inf", "wrong"].includes(word_of(row)))) {
if (((kind === "") && ((largest(right_slopes(row)) * Number(row.least)) < 1))) {
kind = "far";
parts.push([kind, fill(kind, holes_of(row, row.place))]);
}
}
} else {
if (((good > 0) || (and_so !== ""))) {
holes = {"n": String(good), "all": String(rows.length), "and_so": and_so, "only": only};
parts.push(["most right", fill("most right", holes)]);
}
}
}
if ((more.value !== "")) {
parts.push(["value", fill("value", {"value": more.value, "at": at})]);
}
text = (parts.map((part) => part[1]).join("; ") + ".");
if ((kind === "")) {
kind = ((parts[0][0] === "right here") ? "right" : parts[0][0]);
}
return {"kind": kind, "words": (text.slice(0, 1).toUpperCase() + text.slice(1))};
}
return { Rule, NARROWED, ROOM, SAMPLES, doubt, functions, judged, misfit, moved, narrowed, outside, placed, reason, right_slopes, span, word_of };
})();
