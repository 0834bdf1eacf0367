// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const PLOT = 112.0;
const HIGH = 78.0;
const PAD = 8.0;
const HEAD = 24.0;
const FOOT = 40.0;
const LONG = 150.0;
const LOW = 92.0;
const APART = 20.0;
const NARROW = 256.0;
const BROAD = 360.0;
const LANE = 34.0;
const THICKEST = 30.0;
const STEPS = 16;
class Stretched {
constructor(data, at, back, room) {
this.data = data;
this.at = at;
this.back = back;
this.down = (room > 0);
this.least = max(NARROW, min(room, BROAD));
this.rooms = [];
this.lanes = [];
this.labels = [];
this.wide = 0.0;
this.high = 0.0;
this.place();
}
place() {
let along, cross, crosses, gap, h, long, longs, most, own, ranks, start, w;
along = PAD;
gap = (this.down ? LOW : LONG);
ranks = [];
longs = [];
crosses = [];
most = 0.0;
for (const column of this.data.columns) {
long = 0.0;
cross = 0.0;
for (const place of column) {
[w, h] = this.size(place);
long = max(long, (this.down ? h : w));
cross += ((this.down ? w : h) + APART);
}
ranks.push(along);
longs.push(long);
crosses.push([(cross - APART)]);
most = max(most, (cross - APART));
along += (long + gap);
}
this.rooms = this.data.cards.map((card) => [0.0, 0.0, 0.0, 0.0]);
this.lanes = [...Array(this.data.lanes).keys()].map((lane) => [0.0, 0.0, 0.0]);
for (let c = 0; c < this.data.columns.length; c++) {
cross = (PAD + (((this.down ? max(most, (this.least - (2 * PAD))) : most) - crosses[c][0]) / 2));
for (const place of this.data.columns[c]) {
[w, h] = this.size(place);
own = (this.down ? h : w);
start = (ranks[c] + ((longs[c] - own) / 2));
if ((place >= 0)) {
this.rooms[place] = (this.down ? [cross, start, w, h] : [start, cross, w, h]);
cross += ((this.down ? w : h) + APART);
} else {
this.lanes[(-place - 1)] = [(cross + (LANE / 2)), ranks[c], (ranks[c] + longs[c])];
cross += (LANE + APART);
}
}
}
along += (PAD - gap);
this.wide = (this.down ? max((most + (2 * PAD)), this.least) : along);
this.high = (this.down ? along : (most + (2 * PAD)));
}
size(place) {
let plots;
if ((place < 0)) {
return [LANE, LANE];
}
plots = this.data.cards[place].plots.length;
if ((plots === 0)) {
return [PLOT, (HEAD + FOOT)];
}
return [((plots * (PLOT + PAD)) + PAD), ((HEAD + HIGH) + FOOT)];
}
svg() {
let pieces;
pieces = this.data.arrows.map((arrow) => this.ribbon(arrow));
for (let i = 0; i < this.data.cards.length; i++) {
pieces.push(this.card(this.data.cards[i], this.rooms[i]));
}
this.labels = [];
for (let i = 0; i < this.data.arrows.length; i++) {
pieces.push(this.label(i));
}
return pieces.join("");
}
ends(arrow) {
let a, across, b, cross, end, middle, spread, start, way;
a = this.rooms[arrow.from];
b = this.rooms[arrow.to];
across = ((arrow.at - ((arrow.of - 1) / 2)) * 20);
spread = (((arrow.plot - ((this.data.cards[arrow.to].plots.length - 1) / 2)) * HIGH) / 2);
middle = ((PAD + (arrow.plot * (PLOT + PAD))) + (PLOT / 2));
way = [(this.down ? [(a[0] + (a[2] / 2)), (a[1] + a[3])] : [(a[0] + a[2]), (a[1] + (a[3] / 2))])];
for (const lane of arrow.lanes) {
[cross, start, end] = this.lanes[lane];
way.push((this.down ? [cross, start] : [start, cross]));
way.push((this.down ? [cross, end] : [end, cross]));
}
way.push((this.down ? [((b[0] + middle) + across), b[1]] : [b[0], ((((b[1] + HEAD) + (HIGH / 2)) + across) + spread)]));
return way;
}
ribbon(arrow) {
let begin, end, finite, first, half, last, left, look, right, stretches, t, u, way, x, x0, x1, y, y0, y1;
way = this.ends(arrow);
[first, last] = this.sizes(arrow);
finite = ((first < 1e+300) && (last < 1e+300));
begin = (finite ? this.thickness(first) : 1.0);
end = (finite ? this.thickness(last) : 1.0);
left = [];
right = [];
stretches = (way.length - 1);
for (let s = 0; s < stretches; s++) {
[x0, y0] = way[s];
[x1, y1] = way[(s + 1)];
for (let i = 0; i < (STEPS + 1); i++) {
t = (i / STEPS);
u = ((t * t) * (3 - (2 * t)));
x = (x0 + ((x1 - x0) * (this.down ? u : t)));
y = (y0 + ((y1 - y0) * (this.down ? t : u)));
half = ((begin + (((end - begin) * (s + t)) / stretches)) / 2);
left.push((this.down ? this.point((x - half), y) : this.point(x, (y - half))));
right.push((this.down ? this.point((x + half), y) : this.point(x, (y + half))));
}
}
right.reverse();
look = (("rib" + (this.back ? " back" : "")) + (finite ? "" : " isbad"));
return path_svg(look, `M${left.join("L")}L${right.join("L")}z`);
}
sizes(arrow) {
let move;
if (this.back) {
return [arrow.message, this.data.cards[arrow.to].g];
}
move = this.data.cards[arrow.from].moves[this.at];
return [move, (move * arrow.slope)];
}
thickness(size) {
let most;
most = (this.back ? this.data.messages : this.data.reach);
return ((most > 0) ? max(1.4, min(THICKEST, ((THICKEST * abs(size)) / most))) : 1.4);
}
label(number) {
let arrow, first, forms, half, inside, look, low, product, start, t, w, way, x, x0, x1, y0, y1;
arrow = this.data.arrows[number];
way = this.ends(arrow);
[x0, y0] = way[(way.length - 2)];
[x1, y1] = way[(way.length - 1)];
product = (this.back ? arrow.back : arrow.forth[this.at]);
forms = [product, arrow.factor];
look = (this.back ? "gv over" : "nv over");
if (!this.down) {
return text_svg((x1 - 6), (y1 - 5), fitting(forms, (LONG - 8), SMALL, true), look, SMALL, "r");
}
low = (y0 + ((y1 - y0) * 0.8));
half = ((this.thickness(this.sizes(arrow)[1]) / 2) + 6);
first = (((arrow.at === 0) && (arrow.of > 1)) || ((((x1 + half) + wide(product, SMALL, true)) + 4) > this.wide));
for (const clear of [true, false]) {
for (const words of forms) {
w = wide(words, SMALL, true);
for (const line of [low, (low - 14), (low - 28), (low - 42)]) {
t = (((line - 4) - y0) / (y1 - y0));
x = (x0 + ((((x1 - x0) * t) * t) * (3 - (2 * t))));
for (const left of [first, !first]) {
start = (left ? ((x - half) - w) : (x + half));
inside = ((start >= 2) && ((start + w) <= (this.wide - 2)));
if ((inside && this.free(start, line, w, number, clear))) {
this.labels.push([start, line, (start + w)]);
return text_svg((left ? (x - half) : (x + half)), line, words, look, SMALL, (left ? "r" : ""));
}
}
}
}
}
return "";
}
free(start, line, w, number, clear) {
let t, way, x;
for (const [left, y, right] of this.labels) {
if (((start < (right + 4)) && (left < ((start + w) + 4)) && (abs((y - line)) < (SMALL + 2)))) {
return false;
}
}
for (let i = 0; i < (clear ? this.data.arrows.length : 0); i++) {
way = this.ends(this.data.arrows[i]);
for (let s = 0; s < (way.length - 1); s++) {
t = (((line - 4) - way[s][1]) / (way[(s + 1)][1] - way[s][1]));
x = (way[s][0] + ((((way[(s + 1)][0] - way[s][0]) * t) * t) * (3 - (2 * t))));
if (((t >= 0) && (t <= 1) && ((start - 4) < x) && (x < ((start + w) + 4)) && (i !== number))) {
return false;
}
}
}
return true;
}
card(card, room) {
let h, look, low, piece, value, w, x, y;
[x, y, w, h] = room;
look = ("n " + card.kind);
piece = (svg_tag("g", [["class", look]], ">") + rect_svg("b", x, y, w, h, ((card.kind === "leaf") ? 14 : 4)));
piece += text_svg((x + 8), (y + 16), card.title, "nm", (SMALL + 1), "");
if ((card.called !== "")) {
piece += text_svg(((x + w) - 8), (y + 16), card.called, "mu", SMALL, "r");
}
for (let i = 0; i < card.plots.length; i++) {
piece += this.plot(card.plots[i], ((x + PAD) + (i * (PLOT + PAD))), (y + HEAD));
}
low = ((y + h) - FOOT);
value = (this.back ? card.value : card.values[this.at]);
piece += text_svg((x + 8), (low + 16), value, "sm", SMALL, "");
if (this.back) {
piece += text_svg((x + 8), (low + 32), card.gradient, "gv sm", SMALL, "");
} else {
piece += text_svg((x + 8), (low + 32), card.stretch[this.at], "nv sm", SMALL, "");
}
return (piece + "</g>");
}
plot(plot, x, y) {
let corner, here, piece, there;
piece = rect_svg("plot", x, y, PLOT, HIGH, 0);
if ((plot.curve.length === 0)) {
return (piece + text_svg((x + (PLOT / 2)), ((y + (HIGH / 2)) + 4), plot.bad, "badt", SMALL, "c"));
}
piece += path_svg("curve", ("M" + plot.curve.map((p) => this.inside(p, x, y)).join("L")));
if ((plot.tangent.length > 0)) {
piece += path_svg("tan", ("M" + plot.tangent.map((p) => this.inside(p, x, y)).join("L")));
}
here = plot.at;
there = plot.moved[this.at];
if (((there.length > 0) && !this.back)) {
corner = [there[0], here[1]];
piece += path_svg("in", `M${this.inside(here, x, y)}L${this.inside(corner, x, y)}`);
piece += path_svg("out", `M${this.inside(corner, x, y)}L${this.inside(there, x, y)}`);
piece += this.dot(there, x, y, "dot moved");
}
return (piece + this.dot(here, x, y, "dot"));
}
inside(p, x, y) {
return this.point((x + (p[0] * PLOT)), (y + ((1 - p[1]) * HIGH)));
}
dot(p, x, y, look) {
let at;
at = [["cx", places((x + (p[0] * PLOT)))], ["cy", places((y + ((1 - p[1]) * HIGH)))]];
return svg_tag("circle", [["class", look], at[0], at[1], ["r", "3.2"]], "/>");
}
point(x, y) {
return ((places(x) + " ") + places(y));
}
}
