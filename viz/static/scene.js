// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const { abs, floor, log10, max, min, trunc } = Math;
const COUNTED = 80;
const SWEEPS = 12;
const BEFORE = "<<";
const AFTER = ">>";
class Place {
constructor(key, column) {
this.key = key;
this.column = column;
this.index = 0;
this.row = 0.0;
this.offset = 0.0;
this.pull = 0.0;
this.units = 0.0;
this.gaps = 0.0;
this.above = 0.16;
this.below = 0.16;
this.waypoint = false;
this.seen = false;
this.sources = [];
this.targets = [];
}
}
class Wire {
constructor(src, dst) {
this.src = src;
this.dst = dst;
this.edges = [];
this.via = [];
}
}
class Grid {
constructor(columns, places, wires) {
this.columns = columns;
this.places = places;
this.wires = wires;
this.crossings = 0;
this.top = 0.0;
this.low = 0.0;
this.units = 0.0;
this.gaps = 0.0;
}
}
function ranks(keys, wires) {
let at, entering, key, last, rank, ready, waiting;
entering = Object.fromEntries(keys.map((key) => [key, []]));
waiting = Object.fromEntries(keys.map((key) => [key, 0]));
for (const wire of wires) {
entering[wire.dst].push(wire.src);
waiting[wire.src] += 1;
}
last = (keys[(keys.length - 1)] === ">");
rank = Object.fromEntries(keys.map((key) => [key, ((last && (key !== ">")) ? 1 : 0)]));
ready = keys.filter((key) => (waiting[key] === 0));
at = 0;
while ((at < ready.length)) {
key = ready[at];
at += 1;
for (const src of entering[key]) {
rank[src] = max(rank[src], (rank[key] + 1));
waiting[src] -= 1;
if ((waiting[src] === 0)) {
ready.push(src);
}
}
}
if ((keys[0] === "<")) {
rank["<"] = (max(...keys.filter((key) => (key !== "<")).map((key) => rank[key])) + 1);
}
return rank;
}
function grid_of(keys, wires) {
let columns, every, grid, here, last, places, rank, there, way;
rank = ranks(keys, wires);
last = max(...keys.map((key) => rank[key]));
places = Object.fromEntries(keys.map((key) => [key, new Place(key, (last - rank[key]))]));
every = keys.map((key) => places[key]);
for (const wire of wires) {
[here, there] = [places[wire.src], places[wire.dst]];
for (let column = (here.column + 1); column < there.column; column++) {
way = new Place("", column);
way.waypoint = true;
here.targets.push(way);
way.sources.push(here);
wire.via.push(way);
every.push(way);
here = way;
}
here.targets.push(there);
there.sources.push(here);
}
columns = [...Array((last + 1)).keys()].map((_) => []);
every.sort((a, b) => from_the_end(a) - from_the_end(b));
for (const place of every) {
if (!place.seen) {
gather(place, columns);
}
}
grid = new Grid(columns, places, wires);
sort(grid);
return grid;
}
function from_the_end(place) {
return -place.column;
}
function gather(start, columns) {
let place, stack;
stack = [start];
while ((stack.length > 0)) {
place = stack.pop();
if (place.seen) {
continue;
}
place.seen = true;
columns[place.column].push(place);
for (const other of place.targets.slice().reverse()) {
stack.push(other);
}
for (const other of place.sources.slice().reverse()) {
stack.push(other);
}
}
}
function sort(grid) {
let beside, best, count, forward, kept;
number(grid.columns);
best = crossings(grid.columns);
kept = grid.columns.map((column) => column.slice(0));
for (let sweep = 0; sweep < SWEEPS; sweep++) {
if ((best === 0)) {
break;
}
forward = ((sweep % 2) === 0);
for (const column of (forward ? grid.columns : grid.columns.slice().reverse())) {
for (const place of column) {
beside = (forward ? place.sources : place.targets);
place.pull = place.index;
if ((beside.length > 0)) {
place.pull = (beside.map((other) => other.index).reduce((a, b) => a + b, 0) / beside.length);
}
}
column.sort((a, b) => by_pull(a) - by_pull(b));
renumber(column);
}
count = crossings(grid.columns);
if ((count < best)) {
best = count;
kept = grid.columns.map((column) => column.slice(0));
}
}
grid.columns = kept;
grid.crossings = best;
number(kept);
}
function by_pull(place) {
return place.pull;
}
function number(columns) {
for (const column of columns) {
renumber(column);
}
}
function renumber(column) {
for (const [i, place] of [...column.entries()]) {
place.index = i;
}
}
function crossings(columns) {
let count, ends, starts;
count = 0;
for (const column of columns) {
starts = [];
ends = [];
for (const place of column) {
for (const other of place.targets) {
starts.push(place.index);
ends.push(other.index);
}
}
if ((starts.length <= COUNTED)) {
for (let i = 0; i < starts.length; i++) {
for (let j = 0; j < i; j++) {
if ((((starts[i] - starts[j]) * (ends[i] - ends[j])) < 0)) {
count += 1;
}
}
}
}
}
return count;
}
const ROUNDS = 40;
const SETTLED = 34;
const BETWEEN = 0.22;
const BESIDE = 0.12;
class Pool {
constructor(weight, shift, place) {
this.weight = weight;
this.shift = shift;
this.places = [place];
}
}
function set_rows(grid) {
let level;
for (const column of grid.columns) {
stack(column);
}
for (let turn = 0; turn < ROUNDS; turn++) {
for (const column of (((turn % 2) === 1) ? grid.columns : grid.columns.slice().reverse())) {
settle(column, turn);
}
}
level = chains(grid);
for (let _ = 0; _ < 3; _++) {
for (const chain of level) {
straighten(chain, grid.columns);
}
}
grid.top = min(...grid.columns.map((column) => min(...column.map((place) => (place.row - place.above)))));
grid.low = max(...grid.columns.map((column) => max(...column.map((place) => (place.row + place.below)))));
}
function stack(column) {
let apart, at, before;
at = 0.0;
for (const [i, place] of [...column.entries()]) {
if ((i > 0)) {
before = column[(i - 1)];
apart = ((place.waypoint || before.waypoint) ? BESIDE : BETWEEN);
at += ((before.below + place.above) + apart);
}
place.offset = at;
}
for (const place of column) {
place.row = (place.offset - (at / 2));
}
}
function settle(column, turn) {
let first, last, much, pool, pools, second, total, weight;
pools = [];
for (const place of column) {
weight = 0.0;
total = 0.0;
first = (((turn % 2) === 1) ? place.sources : place.targets);
second = (((turn % 2) === 1) ? place.targets : place.sources);
for (const other of first) {
much = pull_of(place, other);
weight += much;
total += (much * other.row);
}
for (const other of second) {
much = (pull_of(place, other) * ((turn < SETTLED) ? 0.35 : 1.0));
weight += much;
total += (much * other.row);
}
if ((weight === 0)) {
weight = 0.01;
total = (place.row * 0.01);
}
pools.push(new Pool(weight, ((total / weight) - place.offset), place));
while (((pools.length > 1) && (pools[(pools.length - 2)].shift > pools[(pools.length - 1)].shift))) {
last = pools.pop();
pool = pools[(pools.length - 1)];
pool.shift = (((pool.shift * pool.weight) + (last.shift * last.weight)) / (pool.weight + last.weight));
pool.weight += last.weight;
for (const moved of last.places) {
pool.places.push(moved);
}
}
}
for (const pool of pools) {
for (const place of pool.places) {
place.row = (pool.shift + place.offset);
}
}
}
function pull_of(place, other) {
if ((place.waypoint && other.waypoint)) {
return 30.0;
}
return ((place.waypoint || other.waypoint) ? 2.0 : 1.0);
}
function chains(grid) {
let chain, groups;
groups = [];
for (const column of grid.columns) {
for (const place of column) {
if (!sole_link(place.sources, place)) {
chain = [place];
while (sole_link(chain[(chain.length - 1)].targets, chain[(chain.length - 1)])) {
chain.push(chain[(chain.length - 1)].targets[0]);
}
if ((chain.length > 1)) {
groups.push(chain);
}
}
}
}
for (const wire of grid.wires) {
if ((wire.via.length > 1)) {
groups.push(wire.via);
}
}
return groups;
}
function sole_link(ends, place) {
if (((ends.length !== 1) || place.waypoint || ends[0].waypoint)) {
return false;
}
return (((ends[0].column < place.column) ? ends[0].targets : ends[0].sources).length === 1);
}
function straighten(chain, columns) {
let after, before, column, high, low, row, total;
low = -1000000000.0;
high = 1000000000.0;
total = 0.0;
for (const place of chain) {
column = columns[place.column];
total += place.row;
if ((place.index > 0)) {
before = column[(place.index - 1)];
low = max(low, ((before.row + place.offset) - before.offset));
}
if (((place.index + 1) < column.length)) {
after = column[(place.index + 1)];
high = min(high, ((after.row + place.offset) - after.offset));
}
}
if ((low <= high)) {
row = max(low, min(high, (total / chain.length)));
for (const place of chain) {
place.row = row;
}
}
}
const PHONE = 560.0;
const TRACK = 8.0;
const SIDE = 6.0;
const TRACKS = 9;
const SIDES = 5;
const EDGE = 6.0;
const RIM = 24.0;
const UNDER = 10.0;
const TURNS = 112.0;
const TAB = 0.56;
class Tile {
constructor(key, span, high, above) {
this.key = key;
this.span = span;
this.above = above;
this.line = 0;
this.slot = 0;
this.x = 0.0;
this.y = 0.0;
this.w = 0.0;
this.h = high;
this.leaving = [];
this.arriving = [];
}
}
class TileRow {
constructor(begin, right, columns) {
this.begin = begin;
this.right = right;
this.columns = columns;
this.cells = [];
this.base = 0.0;
this.lanes = [];
}
framed() {
return (this.cells.filter((cell) => (cell.span > 1)).length > 0);
}
}
class Rim {
constructor(key, x, w, strip) {
this.key = key;
this.x = x;
this.y = 0.0;
this.w = w;
this.h = 0.0;
this.strip = strip;
}
}
class Way {
constructor(src, dst) {
this.src = src;
this.dst = dst;
this.edges = [];
this.near = ((src.line === dst.line) && ((src.slot + src.span) === dst.slot));
this.lane = 0;
this.first = 0;
this.side = 0;
this.out = 0.0;
this.into = 0.0;
this.turn = 0;
this.bend = 0;
this.points = [];
}
}
function reach(way) {
return (abs((way.dst.x - way.src.x)) + (10000.0 * (way.dst.line - way.src.line)));
}
function set_ports(ways, high, leaving) {
let far, near, offset, step;
near = 0;
far = 0;
for (const way of ways) {
step = min(11.0, (((high / 2) - 6) / ways.length));
if (way.near) {
near += 1;
} else {
far += 1;
}
offset = (way.near ? ((near - 1) * step) : (-far * step));
if (leaving) {
way.out = offset;
way.turn = min(far, 3);
} else {
way.into = offset;
way.bend = min(far, 3);
}
}
}
function lane_for(lanes, low, high, most) {
let at;
at = 0;
while ((at < lanes.length)) {
if ((lanes[at].filter((run) => ((run[0] < high) && (low < run[1]))).length === 0)) {
break;
}
at += 1;
}
if ((at === most)) {
at = 0;
for (let i = 1; i < most; i++) {
if ((lanes[i].length < lanes[at].length)) {
at = i;
}
}
} else {
if ((at === lanes.length)) {
lanes.push([]);
}
}
lanes[at].push([low, high]);
return at;
}
class ReadingOrder {
constructor(graph, opened, turns, wide, zoom) {
let begin, right, small;
this.graph = graph;
this.opened = opened;
this.turns = turns;
this.zoom = zoom;
small = (wide < PHONE);
this.small = small;
this.cell = ((small ? 94.0 : (graph.arrays ? 114.0 : 108.0)) * zoom);
this.gap = ((small ? 20.0 : 32.0) * zoom);
this.row = ((graph.arrays ? 96.0 : 58.0) * zoom);
this.cells = {};
this.home = {};
this.rows = [];
this.rims = [];
this.order = [];
this.ways = [];
this.waiting = [];
[begin, right] = [((0.6 * this.gap) + (2 * zoom)), (((wide * zoom) - (0.78 * this.gap)) - (2 * zoom))];
this.fill("", begin, right);
this.break_line(begin, right);
this.connect();
this.set_columns();
this.set_lanes();
this.set_rows();
for (const key of Object.keys(this.cells)) {
set_ports(this.cells[key].leaving, this.cells[key].h, true);
set_ports(this.cells[key].arriving, this.cells[key].h, false);
}
for (const way of this.ways) {
way.points = this.points_of(way);
}
}
fill(key, begin, right) {
let frame, now, shown, turns;
frame = this.graph.frames[key];
turns = frame.turns;
shown = frame;
if ((turns.length > 0)) {
now = (this.turns[key] ?? 0);
shown = this.graph.frames[turns[now]];
for (let i = 0; i < turns.length; i++) {
if ((i !== now)) {
for (const n of this.graph.frames[turns[i]].nodes) {
this.home[("n" + n)] = (key + ((i < now) ? BEFORE : AFTER));
}
}
}
if ((now > 0)) {
this.put((key + BEFORE), 1, 20.0, 0.0);
}
}
for (const item of shown.items) {
if (((item[0] === "n") && !this.is_input(item))) {
this.inputs_of([trunc(item.slice(1))], shown);
this.put_node(item);
} else {
if (((item[0] !== "n") && ((this.opened[this.graph.frames[item].as] ?? null) == null))) {
this.inputs_of(this.graph.frames[item].nodes, shown);
for (const n of this.graph.frames[item].nodes) {
this.home[("n" + n)] = item;
}
this.put(item, 2, 76.0, 0.0);
} else {
if ((item[0] !== "n")) {
this.inputs_of(this.graph.frames[item].nodes, shown);
this.open_frame(item, begin, right);
}
}
}
}
for (const item of shown.items) {
if (((item[0] === "n") && ((this.home[item] ?? null) == null))) {
this.put_node(item);
}
}
if (((turns.length > 0) && ((this.turns[key] ?? 0) < (turns.length - 1)))) {
this.put((key + AFTER), 1, 20.0, 0.0);
}
}
open_frame(key, begin, right) {
let pad, rim, strip;
pad = ((this.small ? 4.0 : 9.0) * this.zoom);
this.break_line(begin, right);
strip = ((this.graph.frames[key].turns.length > 0) ? TURNS : 0.0);
rim = new Rim(key, begin, (right - begin), (strip * this.zoom));
this.rims.push(rim);
this.order.push(["open", rim]);
this.fill(key, (begin + pad), (right - pad));
this.break_line((begin + pad), (right - pad));
this.order.push(["close", rim]);
}
is_input(item) {
return ["leaf", "var", "const"].includes(this.graph.nodes[trunc(item.slice(1))].kind);
}
inputs_of(nodes, frame) {
let src;
for (const n of nodes) {
for (const e of this.graph.nodes[n].enters) {
src = ("n" + this.graph.edges[e].src);
if ((this.is_input(src) && ((this.home[src] ?? null) == null) && frame.items.includes(src))) {
this.put_node(src);
}
}
}
}
put_node(key) {
let node;
node = this.graph.nodes[trunc(key.slice(1))];
this.home[key] = key;
this.put(key, 1, ((node.shape !== "") ? 88.0 : 58.0), ((node.pills.length * TAB) * this.row));
}
put(key, span, high, above) {
let cell;
cell = new Tile(key, span, (high * this.zoom), above);
this.cells[key] = cell;
this.waiting.push(cell);
}
break_line(begin, right) {
let at, count, most, row, units;
units = 0;
for (const cell of this.waiting) {
units += cell.span;
}
if ((units === 0)) {
return;
}
most = max(1, trunc((((right - begin) + this.gap) / (this.cell + this.gap))));
for (const cell of this.waiting) {
cell.span = min(cell.span, most);
}
count = floor(((units + most) - 1) / most);
most = max(floor(((units + count) - 1) / count), max(...this.waiting.map((cell) => cell.span)));
at = most;
for (const cell of this.waiting) {
if (((at + cell.span) > most)) {
this.rows.push(new TileRow(begin, right, most));
this.order.push(["row", this.rows[(this.rows.length - 1)]]);
at = 0;
}
row = this.rows[(this.rows.length - 1)];
cell.line = (this.rows.length - 1);
cell.slot = at;
row.cells.push(cell);
at += cell.span;
}
this.waiting = [];
}
connect() {
let dst, edge, here, joined, key, src, there, way;
joined = {};
for (const node of this.graph.nodes) {
for (const e of node.enters) {
edge = this.graph.edges[e];
src = (this.home[("n" + edge.src)] ?? "");
dst = (this.home[("n" + edge.dst)] ?? "");
if (((src === "") || (dst === "") || (src === dst))) {
continue;
}
[here, there] = [(this.cells[src] ?? null), (this.cells[dst] ?? null)];
if (((here == null) || (there == null) || !this.before(here, there))) {
continue;
}
key = ((src + " ") + dst);
way = (joined[key] ?? null);
if (((way == null) || ((src[0] === "n") && (dst[0] === "n")))) {
way = new Way(here, there);
joined[key] = way;
here.leaving.push(way);
there.arriving.push(way);
this.ways.push(way);
}
way.edges.push(e);
}
}
}
before(here, there) {
return ((here.line < there.line) || ((here.line === there.line) && (here.slot < there.slot)));
}
set_columns() {
let margin, shared, shift, step;
margin = [];
for (const way of this.ways) {
if ((way.dst.line > (way.src.line + 1))) {
way.side = lane_for(margin, Number(way.src.line), Number(way.dst.line), SIDES);
}
}
shift = ((margin.length * SIDE) * this.zoom);
shared = min(...this.rows.map((row) => this.step(row, shift)));
for (const row of this.rows) {
step = (((shared - this.gap) > (0.85 * this.cell)) ? shared : this.step(row, shift));
for (const cell of row.cells) {
cell.x = ((row.begin + shift) + (cell.slot * step));
cell.w = ((cell.span * step) - this.gap);
}
}
for (const rim of this.rims) {
rim.x += shift;
rim.w -= shift;
}
}
step(row, shift) {
return min(((((row.right - row.begin) - shift) + this.gap) / max(row.columns, 1)), ((1.35 * this.cell) + this.gap));
}
set_lanes() {
let come, far, high, low;
far = this.ways.filter((way) => !way.near);
far.sort((a, b) => reach(a) - reach(b));
for (const way of far) {
come = (way.src.x + way.src.w);
if ((way.dst.line > (way.src.line + 1))) {
way.first = lane_for(this.rows[(way.src.line + 1)].lanes, 0.0, (come + this.gap), TRACKS);
come = 0.0;
}
[low, high] = [min(come, way.dst.x), max(come, way.dst.x)];
way.lane = lane_for(this.rows[way.dst.line].lanes, low, high, TRACKS);
}
}
set_rows() {
let above, at, below, row;
at = (8.0 * this.zoom);
for (const entry of this.order) {
if ((entry[0] === "open")) {
entry[1].y = at;
at += (RIM * this.zoom);
} else {
if ((entry[0] === "close")) {
at += (entry[1].strip + (UNDER * this.zoom));
entry[1].h = (at - entry[1].y);
at += (UNDER * this.zoom);
} else {
row = entry[1];
row.base = (at + (((row.lanes.length * TRACK) + 4) * this.zoom));
above = max(...row.cells.map((cell) => (cell.above + (cell.h / 2))));
below = max(...row.cells.map((cell) => (cell.h / 2)));
for (const cell of row.cells) {
cell.y = ((row.base + above) - (cell.h / 2));
}
at = (((row.base + above) + below) + ((14.0 + (row.framed() ? 9.0 : 0.0)) * this.zoom));
}
}
}
this.bottom = at;
}
points_of(way) {
let above, arrive, below, end, here, into, leave, out, right, side, start, there;
[here, there] = [way.src, way.dst];
leave = ((here.y + (here.h / 2)) + way.out);
arrive = ((there.y + (there.h / 2)) + way.into);
right = (here.x + here.w);
if (way.near) {
return [[right, leave], [there.x, arrive]];
}
out = (right + (this.gap * (0.3 + (0.14 * way.turn))));
into = (there.x - (this.gap * (0.12 + (0.14 * way.bend))));
above = this.above(this.rows[there.line], way.lane);
start = [[right, leave], [out, leave]];
end = [[into, above], [into, arrive], [there.x, arrive]];
if ((there.line <= (here.line + 1))) {
return [...start, [out, above], ...end];
}
below = this.above(this.rows[(here.line + 1)], way.first);
side = ((EDGE + (way.side * SIDE)) * this.zoom);
return [...start, [out, below], [side, below], [side, above], ...end];
}
above(row, lane) {
return (row.base - ((3 + (lane * TRACK)) * this.zoom));
}
}
const STRIP = 1.5;
const PILL = 0.56;
const PILLS = [PILL, 0.75, 0.95, PILL];
const LONGEST = 88.0;
const LEAST_BOX = 50.0;
const LEAST_ROW = 20.0;
const ROOMY = 62.0;
const FEW = 14;
const NAMED = 84.0;
class Gauge {
constructor(want, least, most, widest) {
this.want = want;
this.least = least;
this.most = most;
this.widest = widest;
}
}
const RIGHT = new Gauge(72.0, 15.0, 150.0, 120.0);
const DOWN = new Gauge(30.0, 15.0, 60.0, 30.0);
function shared(length, grid, across, zoom) {
let box, gap, gaps, gauge, most, rest;
gauge = (across ? RIGHT : DOWN);
gaps = max(grid.gaps, 0.001);
rest = ((length - (grid.units * gauge.want)) - (grid.gaps * gauge.least));
if ((rest <= 0)) {
box = ((length - (grid.gaps * gauge.least)) / grid.units);
if ((box > gauge.least)) {
return [box, gauge.least];
}
return [((length * 0.5) / grid.units), ((length * 0.5) / gaps)];
}
most = (gauge.most * min(2.0, zoom));
box = (gauge.want + ((rest * 0.5) / grid.units));
gap = (gauge.least + ((rest * 0.5) / gaps));
if ((box > most)) {
gap += (((box - most) * grid.units) / gaps);
box = most;
}
return [box, min(gap, (gauge.widest * max(1.0, zoom)))];
}
class Fit {
constructor(graph, across, open_frames, turns, orders, padding, pill) {
this.graph = graph;
this.across = across;
this.open = open_frames;
this.turns = turns;
this.orders = orders;
this.padding = padding;
this.pill = pill;
this.longest = [0.0, 0.0];
this.grids = {};
}
frame(key) {
return this.graph.frames[key];
}
is_open(key) {
return ((this.open[this.frame(key).as] ?? null) != null);
}
shown(key) {
let frame;
frame = this.frame(key);
if ((frame.turns.length > 0)) {
return this.frame(frame.turns[(this.turns[key] ?? 0)]);
}
return frame;
}
grid(key) {
let grid, name, order;
grid = (this.grids[key] ?? null);
if ((grid != null)) {
return grid;
}
name = this.shown(key).key;
order = (this.orders[name] ?? null);
if ((order == null)) {
order = ordered(this.graph, this.shown(key));
this.orders[name] = order;
}
this.measure(order, (key === ""));
this.grids[key] = order;
return order;
}
measure(grid, whole) {
let gaps, units;
grid.units = (whole ? Number(this.padding) : 0.0);
grid.gaps = ((grid.columns.length - 1.0) + grid.units);
for (const column of grid.columns) {
units = 0.0;
gaps = 0.0;
for (const place of column) {
if (!place.waypoint) {
this.size(place);
}
units = max(units, place.units);
gaps = max(gaps, place.gaps);
}
grid.units += units;
grid.gaps += gaps;
}
grid.units = max(grid.units, 0.5);
set_rows(grid);
if ((((grid.places["<"] ?? null) != null) && ((grid.places[">"] ?? null) != null))) {
grid.places[">"].row = grid.places["<"].row;
}
}
size(place) {
let above, aside, below, inner, loop, node, port, short;
place.gaps = 0.0;
if (((place.key === "<") || (place.key === ">"))) {
set_size(place, 0.0, 0.1, 0.1);
} else {
if (((place.key === BEFORE) || (place.key === AFTER))) {
aside = (this.across ? 0.2 : 0.42);
set_size(place, (this.across ? 0.8 : 0.6), aside, aside);
} else {
if ((place.key[0] === "n")) {
node = this.graph.nodes[trunc(place.key.slice(1))];
if (((node.kind === "leaf") || (node.kind === "const"))) {
set_size(place, 0.86, 0.42, 0.42);
} else {
set_size(place, 1.0, (0.5 + (this.pill * node.pills.length)), 0.5);
}
short = (SIGNS[node.title] ?? (SHORTER[node.title] ?? node.title));
this.note_name(((node.called !== "") ? node.called : (short + node.mark)), 0);
for (const e of node.pills) {
this.note_name(this.graph.nodes[this.graph.edges[e].src].title, 1);
}
} else {
if (!this.is_open(place.key)) {
set_size(place, 1.35, 0.62, 0.62);
} else {
inner = this.grid(place.key);
loop = (this.frame(place.key).turns.length > 0);
port = port_row(inner);
place.gaps = inner.gaps;
above = (port - inner.top);
below = (inner.low - port);
if (this.across) {
set_size(place, (inner.units + 0.3), (above + 0.34), ((below + 0.16) + (loop ? STRIP : 0.0)));
} else {
set_size(place, (inner.units + (loop ? 4.6 : 1.1)), (above + 0.06), (below + 0.06));
}
}
}
}
}
}
note_name(name, i) {
let long;
long = wide(name, SMALL, (i === 1));
if ((long < LONGEST)) {
this.longest[i] = max(this.longest[i], long);
}
}
}
function set_size(place, units, above, below) {
place.units = units;
place.above = above;
place.below = below;
}
function port_row(grid) {
let port;
for (const key of ["<", ">"]) {
port = (grid.places[key] ?? null);
if ((port != null)) {
return port.row;
}
}
return ((grid.top + grid.low) / 2);
}
function ordered(graph, frame) {
let dst, here, home, keys, loop, node, ports, src, turns, wire_of, wires;
home = {};
loop = (graph.frames[frame.up] ?? null);
turns = (((loop != null) && (loop.turns.length > 0)) ? loop.holds : {});
for (const key of frame.items) {
if ((key[0] === "n")) {
home[key] = key;
} else {
for (const n of graph.frames[key].nodes) {
home[("n" + n)] = key;
}
}
}
wires = [];
wire_of = {};
ports = {};
for (const n of frame.nodes) {
here = home[("n" + n)];
for (const e of graph.nodes[n].enters) {
node = ("n" + graph.edges[e].src);
src = (home[node] ?? (((turns[node] ?? null) == null) ? "<" : BEFORE));
if ((src !== here)) {
join(wires, wire_of, src, here, e);
ports[src] = true;
}
}
for (const e of graph.nodes[n].leaves) {
node = ("n" + graph.edges[e].dst);
if (((home[node] ?? null) == null)) {
dst = (((turns[node] ?? null) == null) ? ">" : AFTER);
join(wires, wire_of, here, dst, e);
ports[dst] = true;
}
}
}
keys = frame.items.slice(0);
for (const port of [BEFORE, "<"]) {
if (((ports[port] ?? null) != null)) {
keys.splice(0, 0, port);
}
}
for (const port of [AFTER, ">"]) {
if (((ports[port] ?? null) != null)) {
keys.push(port);
}
}
return grid_of(keys, wires);
}
function join(wires, wire_of, src, dst, edge) {
let wire;
wire = (wire_of[((src + " ") + dst)] ?? null);
if ((wire == null)) {
wire = new Wire(src, dst);
wire_of[((src + " ") + dst)] = wire;
wires.push(wire);
}
wire.edges.push(edge);
}
class Spot {
constructor(x, y, w, h, port) {
this.x = x;
this.y = y;
this.w = w;
this.h = h;
this.port = port;
}
}
class Laid {
constructor(grid, entry, leave, cross) {
this.grid = grid;
this.entry = entry;
this.leave = leave;
this.cross = cross;
this.starts = [];
this.spans = [];
this.spots = {};
}
}
class Choice {
constructor(fit, wide, high, zoom) {
let across, box, grid, narrow, pill, row, rows;
grid = fit.grid("");
across = fit.across;
rows = max((grid.low - grid.top), 0.5);
box = shared((across ? wide : high), grid, across, zoom)[0];
row = ((across ? high : wide) / rows);
this.fit = fit;
this.box_wide = (across ? box : (row * 0.9));
this.box_high = (across ? min((row * 0.8), 104.0) : min(box, 46.0));
this.roomy = ((this.box_wide >= ROOMY) && (across || (this.box_high >= (ROOMY / 2))));
this.legible = ((this.box_wide >= ((across && (wide > PHONE)) ? LEAST_BOX : 64.0)) && (this.box_high >= LEAST_ROW));
this.reading = null;
this.score = ((min(this.box_wide, 150.0) / 150) + (min(this.box_high, 56.0) / 56));
narrow = (across ? box : (row * 0.8));
pill = (across ? (box * 1.04) : (row * (fit.pill - 0.06)));
this.cut = ((wide < PHONE) && (((fit.longest[0] + 4) > narrow) || ((fit.longest[1] + 6) > pill)));
}
}
function chosen(graph, window, state, orders) {
let flow, whole;
if ((window.zoom === 1)) {
return chosen_whole(graph, window, state, orders);
}
whole = chosen_whole(graph, at_zoom(window, 1.0, window.flow), state, orders);
if ((whole.reading != null)) {
whole.reading = new ReadingOrder(graph, whole.reading.opened, state.turns, window.wide, window.zoom);
return whole;
}
flow = (whole.fit.across ? "right" : "down");
return in_columns(graph, at_zoom(window, window.zoom, flow), state, orders, whole.fit.pill);
}
function at_zoom(window, zoom, flow) {
let high, wide;
[wide, high] = [window.wide, window.high];
return {"wide": wide, "high": high, "zoom": zoom, "flow": flow, "padding": window.padding};
}
function chosen_whole(graph, window, state, orders) {
let cells, columns, more, opened;
for (const pill of PILLS) {
columns = in_columns(graph, window, state, orders, pill);
if ((columns.legible && !columns.cut)) {
break;
}
}
cells = cells_in(graph, "", columns.fit.open, state.turns);
if (((window.flow !== "auto") || named(columns, cells))) {
return columns;
}
opened = forced(state);
for (const key of graph.outward) {
if ((((opened[key] ?? null) == null) && ((state.shut[key] ?? null) == null) && inside_open(key, opened))) {
more = Object.fromEntries(Object.keys(opened).map((name) => [name, true]));
more[key] = true;
if ((cells_in(graph, "", more, state.turns) <= FEW)) {
opened = more;
}
}
}
columns.reading = new ReadingOrder(graph, opened, state.turns, window.wide, 1.0);
return columns;
}
function named(choice, cells) {
return (choice.legible && !choice.cut && ((cells <= FEW) || (choice.box_wide >= NAMED)));
}
function cells_in(graph, key, opened, turns) {
let count, frame;
frame = graph.frames[key];
if ((frame.turns.length > 0)) {
frame = graph.frames[frame.turns[(turns[key] ?? 0)]];
}
count = 0;
for (const item of frame.items) {
if (((item[0] === "n") || ((opened[graph.frames[item].as] ?? null) == null))) {
count += 1;
} else {
count += cells_in(graph, item, opened, turns);
}
}
return count;
}
function forced(state) {
let opened, path;
opened = {};
for (const key of state.opened) {
path = "";
for (const part of key.split("/").slice(1)) {
path += ("/" + part);
if ((part !== "t")) {
opened[path] = true;
}
}
}
return opened;
}
function inside_open(key, opened) {
let around;
around = key.slice(0, key.lastIndexOf("/"));
if (around.endsWith("/t")) {
around = around.slice(0, (around.length - 2));
}
return ((around === "") || ((opened[around] ?? null) != null));
}
function in_columns(graph, window, state, orders, pill) {
let best, fit, flow, high, more, now, opened, other, wide;
wide = ((window.wide * window.zoom) - 18);
high = ((window.high * window.zoom) - 16);
flow = window.flow;
best = null;
for (const across of [true, false]) {
if ((flow === (across ? "down" : "right"))) {
continue;
}
opened = forced(state);
fit = new Fit(graph, across, opened, state.turns, orders, window.padding, pill);
now = new Choice(fit, wide, high, window.zoom);
for (const key of graph.outward) {
if ((((opened[key] ?? null) != null) || ((state.shut[key] ?? null) != null))) {
continue;
}
if (!(now.legible && now.roomy)) {
continue;
}
if (!inside_open(key, opened)) {
continue;
}
more = Object.fromEntries(Object.keys(opened).map((name) => [name, true]));
more[key] = true;
fit = new Fit(graph, across, more, state.turns, orders, window.padding, pill);
other = new Choice(fit, wide, high, window.zoom);
if ((other.roomy && named(other, cells_in(graph, "", more, state.turns)))) {
now = other;
opened = more;
}
}
if ((across === (wide > 560))) {
now.score += 0.5;
}
if (((best == null) || better(now, best))) {
best = now;
}
}
return new Choice(new Fit(graph, best.fit.across, best.fit.open, state.turns, orders, window.padding, pill), wide, high, window.zoom);
}
function better(one, other) {
if ((one.legible !== other.legible)) {
return one.legible;
}
return (one.score > (other.score + 0.12));
}
const ADVANCES = [32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84];
const BOLD = 1.15;
const NORMAL = 12;
const SMALL = 11;
const SHORTER = {"transpose": "transp.", "concatenate": "concat", "expand_dims": "expand", "logsumexp": "lse", "subtract": "subtr.", "multiply": "mult.", "greater_equal": "≥", "less_equal": "≤", "greater": ">", "less": "<", "broadcast_to": "broadc."};
const SIGNS = {"multiply": "×", "add": "+", "subtract": "−", "divide": "÷", "matmul": "@", "negative": "−", "square": "²", "sqrt": "√", "power": "^", "sum": "Σ"};
function wide(text, size, bold) {
let code, total;
total = 0;
for (const char of text) {
code = char.codePointAt(0);
if (((code === 8205) || (code === 65039))) {
total += 0;
} else {
if ((code >= 126976)) {
total += 140;
} else {
if ((code >= 8192)) {
total += 100;
} else {
if ((code >= 127)) {
total += ((code === 772) ? 0 : ((code === 215) ? 84 : 72));
} else {
total += ADVANCES[max(0, (code - 32))];
}
}
}
}
}
return (((total * size) / 100) * (bold ? BOLD : 1.0));
}
function fitting(forms, room, size, bold) {
for (const form of forms) {
if (((form !== "") && (wide(form, size, bold) <= room))) {
return form;
}
}
return "";
}
function joined(last, following) {
let codes;
codes = [last.codePointAt(0), following.codePointAt(0)];
return ((codes[0] === 8205) || (codes[1] === 8205) || (codes[1] === 65039));
}
function clipped(text, room, size, bold) {
let beginning, letters, n;
if ((wide(text, size, bold) <= room)) {
return text;
}
letters = [];
for (const char of text) {
letters.push(char);
}
n = (letters.length - 1);
while ((n > 2)) {
beginning = (letters.slice(0, n).join("") + "…");
if ((!joined(letters[(n - 1)], letters[n]) && (wide(beginning, size, bold) <= room))) {
return beginning;
}
n -= 1;
}
return "";
}
function escaped(text) {
let escaped_text;
escaped_text = "";
for (const char of text) {
if ((char === "&")) {
escaped_text += "&amp;";
} else {
if ((char === "<")) {
escaped_text += "&lt;";
} else {
if ((char === ">")) {
escaped_text += "&gt;";
} else {
if ((char === "\"")) {
escaped_text += "&quot;";
} else {
if ((char === "'")) {
escaped_text += "&#39;";
} else {
if (((char.codePointAt(0) < 32) || (char.codePointAt(0) === 127))) {
escaped_text += "�";
} else {
escaped_text += char;
}
}
}
}
}
}
}
return escaped_text;
}
function svg_tag(name, pairs, end) {
let tag, value;
tag = ("<" + name);
for (const pair of pairs) {
if ((pair[1] !== "")) {
value = pair[1].replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
tag += ((((" " + pair[0]) + "='") + value.replaceAll("'", "&#39;").replaceAll("\"", "&quot;")) + "'");
}
}
return (tag + end);
}
function path_svg(look, path) {
return svg_tag("path", [["class", look], ["d", path]], "/>");
}
function places(x) {
let halves, text;
halves = trunc(((abs(x) * 2) + 0.5));
text = (String(floor(halves / 2)) + (((halves % 2) === 1) ? ".5" : ""));
return (((x < 0) && (halves > 0)) ? ("-" + text) : text);
}
function quarters(x, more) {
let fourths, halves, text;
halves = trunc(((abs(x) * 2) + 0.5));
fourths = (trunc((more * 4)) + ((x < 0) ? (-2 * halves) : (2 * halves)));
text = (String(floor(abs(fourths) / 4)) + ["", ".25", ".5", ".75"][(abs(fourths) % 4)]);
return ((fourths < 0) ? ("-" + text) : text);
}
function digits(size) {
return rounded(size, 3, 3);
}
function figure(x) {
if (!(abs(x) < Infinity)) {
return ((x !== x) ? "nan" : ((x > 0) ? "inf" : "-inf"));
}
return (((x < 0) ? "-" : "") + rounded(abs(x), 3, 4));
}
function rounded(size, most, power_of_10) {
let decimals, power, tenths, text, whole;
if ((size < 1e-320)) {
return ((size > 0) ? "under 1e-320" : "0");
}
power = floor((log10(size) + 1e-09));
if (((power < -3) || (power > power_of_10))) {
tenths = trunc((((size / (10.0 ** power)) * 10) + 0.5));
if ((tenths > 99)) {
return ("1e" + (power + 1));
}
return (((String(floor(tenths / 10)) + (((tenths % 10) > 0) ? ("." + (tenths % 10)) : "")) + "e") + String(power));
}
decimals = max(0, ((most - 1) - power));
whole = trunc(((size * (10 ** decimals)) + 0.5));
text = String(whole);
while ((text.length <= decimals)) {
text = ("0" + text);
}
if ((decimals === 0)) {
return text;
}
text = ((text.slice(0, (text.length - decimals)) + ".") + text.slice((text.length - decimals)));
while ((text[(text.length - 1)] === "0")) {
text = text.slice(0, (text.length - 1));
}
return ((text[(text.length - 1)] === ".") ? text.slice(0, (text.length - 1)) : text);
}
const DECADES = 12;
const THIN = 1.0;
const THICK = 6.5;
const TINTS = 4;
function size_of(text) {
let largest;
if (((text === "") || (text === "none"))) {
return -1.0;
}
if ((text.includes("nan") || text.includes("≠"))) {
return NaN;
}
if (text.includes("inf")) {
return Infinity;
}
largest = -1.0;
for (const part of text.replaceAll("…", " ").replaceAll("[", " ").replaceAll("]", " ").replaceAll(",", " ").split(" ")) {
if (((part !== "") && "-.0123456789".includes(part[0]))) {
largest = max(largest, abs(Number(part)));
}
}
return largest;
}
function wrong_of(text) {
return (text.includes("nan") ? "nan" : (text.includes("inf") ? "inf" : (text.includes("≠") ? "≠" : "")));
}
function is_bad(size) {
return !(size < Infinity);
}
function scale_of(sizes) {
let high, low, top;
low = 0.0;
high = 0.0;
for (const size of sizes) {
if (((size > 0) && !is_bad(size))) {
low = min(low, log10(size));
high = max(high, log10(size));
}
}
top = -floor((0.01 - high));
return [max((top - DECADES), min(floor(low), (top - 3))), top];
}
function share_of(size, scale) {
if (!(size > 0)) {
return 0.0;
}
return max(0.0, min(1.0, ((log10(size) - scale[0]) / (scale[1] - scale[0]))));
}
function width_of(size, scale) {
if (is_bad(size)) {
return 3.0;
}
return ((size <= 0) ? THIN : (THIN + ((THICK - THIN) * share_of(size, scale))));
}
function look_of(size, scale) {
if (is_bad(size)) {
return "bad";
}
if ((size < 0)) {
return "no";
}
return ((size === 0) ? "zero" : ("b" + trunc(((share_of(size, scale) * TINTS) + 0.5))));
}
const HEAVY = ["nm", "gv", "lv", "vbad", "tagt"];
const CELL = 9.0;
class Sheet {
constructor(wide) {
this.wide = wide;
this.back = [];
this.lines = [];
this.boxes = [];
this.over = [];
this.taken = [];
this.dots = [];
this.rims = [];
this.paired = false;
}
svg() {
return (((this.back.join("") + this.lines.join("")) + this.boxes.join("")) + this.over.join(""));
}
take(x, y, w, h) {
this.taken.push([x, y, w, h]);
}
text(x, y, words, look, size, anchor) {
let left, w;
w = wide(words, size, HEAVY.includes(look.split(" ")[0]));
left = ((anchor === "r") ? (x - w) : ((anchor === "c") ? (x - (w / 2)) : x));
this.take(left, (y - (size * 0.8)), w, size);
return text_svg(x, y, words, look, size, anchor);
}
word(x, y, words, look, size, anchor) {
let left, top, w;
w = wide(words, size, HEAVY.includes(look.split(" ")[0]));
left = ((anchor === "r") ? (x - w) : ((anchor === "c") ? (x - (w / 2)) : x));
top = (y - (size * 0.8));
if (((left < 2) || ((left + w) > (this.wide - 2)) || !this.free(left, top, w, size))) {
return false;
}
this.take(left, top, w, size);
this.over.push(text_svg(x, y, words, look, size, anchor));
return true;
}
free(left, top, w, h) {
let near;
for (const dot of this.dots) {
near = (dot[2] + 1);
if (((dot[0] > (left - near)) && (dot[0] < ((left + w) + near)) && (dot[1] > (top - near)) && (dot[1] < ((top + h) + near)))) {
return false;
}
}
for (const box of this.taken) {
if (((box[0] < (left + w)) && (left < (box[0] + box[2])) && (box[1] < (top + h)) && (top < (box[1] + box[3])))) {
return false;
}
}
return true;
}
}
function text_svg(x, y, words, look, size, anchor) {
let classes;
classes = ((look + ((size === SMALL) ? " sm" : "")) + ((anchor !== "") ? (" " + anchor) : ""));
return ((svg_tag("text", [["class", classes], ["x", places(x)], ["y", places(y)]], ">") + escaped(words)) + "</text>");
}
function rect_svg(look, x, y, w, h, round_by) {
let area, rounded;
[w, h] = [max(0.0, w), max(0.0, h)];
rounded = ["rx", ((round_by > 0) ? places(round_by) : "")];
area = [["x", places(x)], ["y", places(y)], ["width", places(w)], ["height", places(h)]];
return svg_tag("rect", [["class", look], area[0], area[1], area[2], area[3], rounded], "/>");
}
class Heat {
constructor(shades, columns, x, y, room, high, zoom) {
let cell, crosses, half, left, look, path, pen, place, rows, side, tints, top;
rows = ((columns > 0) ? floor(((shades.length + columns) - 1) / columns) : 0);
if (((columns === 1) && (rows > 4))) {
columns = rows;
rows = 1;
}
this.wide = 0.0;
this.svg = "";
if ((rows === 0)) {
return;
}
cell = min((high / rows), (room / columns), (CELL * min(2.2, zoom)));
cell = (trunc((cell * 2)) / 2);
if ((cell < 2)) {
return;
}
this.wide = (cell * columns);
top = (y + ((high - (cell * rows)) / 2));
this.svg = rect_svg("hf", (x - 1), (top - 1), ((cell * columns) + 1.5), ((cell * rows) + 1.5), 0);
tints = "";
for (const sign of ["a", "b", "c", "d", "1", "2", "3", "4"]) {
path = "";
for (let i = 0; i < shades.length; i++) {
if ((shades[i] === sign)) {
path += `M${(i % columns)} ${floor(i / columns)}z`;
}
}
if ((path !== "")) {
tints += path_svg(("q" + sign), path);
}
}
if ((tints !== "")) {
half = ((cell - 0.5) / 2);
place = `translate(${quarters(x, half)} ${quarters(top, half)})scale(${places(cell)})`;
pen = trunc(((1000 - (500 / cell)) + 0.5));
look = [["class", "qs"], ["transform", place], ["stroke-width", `.${pen}`]];
this.svg += ((svg_tag("g", look, ">") + tints) + "</g>");
}
crosses = "";
side = places((cell - 0.5));
for (let i = 0; i < shades.length; i++) {
if ((shades[i] === "x")) {
left = places((x + ((i % columns) * cell)));
crosses += `M${left} ${places((top + (floor(i / columns) * cell)))}l${side} ${side}m0-${side}l-${side} ${side}`;
}
}
if ((crosses !== "")) {
this.svg += path_svg("qx", crosses);
}
}
}
const ROW = 15.0;
const BAR = "foot";
class BoxState {
constructor(node, state) {
let key;
key = ("n" + node.id);
this.key = key;
this.value = (state.value[key] ?? node.value);
this.cells = (state.shades[key] ?? node.cells);
this.gradient = (state.gradient[key] ?? "");
this.gradient_cells = (state.cells[key] ?? "");
this.size = size_of(this.gradient);
this.bad = is_bad(this.size);
this.scalar = (node.shape === "");
this.word = wrong_of(this.value);
this.sign = state.sign;
}
}
function classes_of(node, box, state) {
let look;
look = ("n " + node.kind);
if (node.ghost) {
look += " ghost";
}
if (((node.uses === 0) && ["leaf", "var"].includes(node.kind) && !node.output)) {
look += " unused";
}
if ((box.bad && !node.ghost)) {
look += " isbad";
}
if ((state.active === box.key)) {
look += " active";
}
if ((state.picked === box.key)) {
look += " picked";
}
if (((state.marked[box.key] ?? null) != null)) {
look += " way";
}
return look;
}
function draw_box(sheet, node, state, scale, room, across, zoom) {
let box, corner, h, inset, leaf, pad, rows, svg, thick, w, x, y;
box = new BoxState(node, state);
[x, y, w, h] = [room[0], room[1], room[2], room[3]];
leaf = ["leaf", "var", "const"].includes(node.kind);
svg = svg_tag("g", [["class", classes_of(node, box, state)], ["data-n", String(node.id)]], ">");
if (node.output) {
svg += rect_svg("rim", (x - 3), (y - 3), (w + 6), (h + 6), 7);
}
corner = (leaf ? min((h / 2), 13) : 4.0);
inset = max(2.0, (corner * 0.6));
svg += rect_svg("b", x, y, w, h, corner);
thick = max(2.0, min(width_of(box.size, scale), (h / 6)));
if (((box.gradient !== "") && ((box.size >= 0) || box.bad))) {
svg += rect_svg(`${BAR} ${look_of(box.size, scale)}`, (x + inset), (((y + h) - 1) - thick), (w - (2 * inset)), thick, 1);
}
sheet.take(x, y, w, h);
pad = ((leaf && (h < 30)) ? 9.0 : 7.0);
rows = max(trunc((((h - 3) - max(4.0, thick)) / ROW)), ((h >= 18) ? 1 : 0));
if (((!across && (h < 40) && (w > 150)) || (across && (rows < 2) && (w > 184)))) {
svg += in_one_line(sheet, node, box, (x + pad), y, (w - (2 * pad)), h, zoom);
} else {
svg += in_rows(sheet, node, box, (x + pad), y, (w - (2 * pad)), h, rows, zoom);
}
sheet.boxes.push(((svg + tag_svg(sheet, box.word, x, y, w)) + "</g>"));
}
function tag_svg(sheet, word, x, y, w) {
let tag, text;
if (((word === "") || (w <= 40))) {
return "";
}
tag = (wide(word, SMALL, true) + 8);
sheet.take((((x + w) - tag) + 4), (y - 9), tag, 15);
text = sheet.text((((x + w) - (tag / 2)) + 4), (y + 2), word, "tagt", SMALL, "c");
return (rect_svg("tag", (((x + w) - tag) + 4), (y - 9), tag, 15, 3) + text);
}
function head_of(node, room) {
let forms, mark, shorter, text, title, words;
[title, words] = [node.title, node.words];
if ((node.called !== "")) {
forms = [node.called];
shorter = [clipped(node.called, (room + 5), SMALL, true)];
} else {
mark = node.mark;
forms = [titled(title, words, mark), (title + mark)];
shorter = [(SHORTER[title] ?? ""), (SIGNS[title] ?? "")].filter((some) => (some !== "")).map((some) => (some + mark));
shorter = [titled((SIGNS[title] ?? ""), words, mark), ...shorter, clipped((title + mark), (room + 5), SMALL, true)];
}
for (const look of ["nm", "ti"]) {
text = fitting(forms, (room + ((look === "nm") ? 5 : 8)), NORMAL, (look === "nm"));
if ((text !== "")) {
return [text, look, NORMAL];
}
text = fitting(forms, (room + ((look === "nm") ? 6 : 10)), SMALL, (look === "nm"));
if ((text !== "")) {
return [text, look, SMALL];
}
}
text = fitting(shorter, (room + 5), SMALL, true);
return [text, "nm", SMALL];
}
function titled(op, words, mark) {
if (((op === "") || (words.length === 0))) {
return ((op !== "") ? (op + mark) : "");
}
if (words[0].endsWith("…")) {
return words[0].replaceAll("…", (((SIGNS[op] ?? op) + mark) + " …"));
}
return (((op + mark) + " ") + words.join(", "));
}
function gradient_words(box) {
let long, short, text;
if ((box.gradient === "")) {
return [];
}
text = ((box.scalar || box.bad) ? box.gradient : digits(box.size));
short = ((box.bad || (box.size < 0)) ? text : (((text[0] === "-") ? "-" : "") + rounded(box.size, 2, 3)));
long = (box.sign + text);
if (box.scalar) {
return [long, text, (box.sign + short), short];
}
if (((box.gradient[0] === "[") && (box.word === ""))) {
return [(box.sign + box.gradient), box.gradient, long, (box.sign + short), text, short];
}
return [long, (box.sign + short), text, short];
}
function side_words(node) {
let both, shape, short, title, words;
[title, words, shape] = [node.title, node.words, node.shape];
if ((node.called === "")) {
return [shape];
}
short = titled((SIGNS[title] ?? (SHORTER[title] ?? title)), words, "");
both = ((shape !== "") ? ((title + " ") + shape) : "");
return [both, titled(title, words, ""), ((shape !== "") ? ((short + " ") + shape) : ""), title, short, shape];
}
function gradient_look(box) {
return (box.bad ? "gv badt" : "gv");
}
function in_one_line(sheet, node, box, x, y, w, h, zoom) {
let base, gradient, half, head, left, right, svg, text, value;
if ((h < 13)) {
return "";
}
base = ((y + (h / 2)) + 3);
right = (x + w);
head = head_of(node, (w / 2));
svg = ((head[0] !== "") ? sheet.text(x, base, head[0], head[1], head[2], "") : "");
left = ((x + wide(head[0], head[2], (head[1] === "nm"))) + 8);
text = fitting(gradient_words(box), (right - left), NORMAL, true);
if ((text !== "")) {
svg += sheet.text(right, base, text, gradient_look(box), NORMAL, "r");
right -= (wide(text, NORMAL, true) + 8);
}
text = fitting(side_words(node), ((right - left) - 70), SMALL, false);
if ((text !== "")) {
svg += sheet.text(left, base, text, "mu", SMALL, "");
left += (wide(text, SMALL, false) + 8);
}
if ((node.shape !== "")) {
half = min(54.0, (((right - left) - 8) / 2));
value = new Heat(box.cells, node.row, (right - half), (y + 3), half, (h - 8), zoom);
gradient = new Heat(box.gradient_cells, node.row, (right - half), (y + 3), half, (h - 8), zoom);
if (((value.wide > 0) && (gradient.wide > 0))) {
svg += new Heat(box.cells, node.row, (((right - gradient.wide) - value.wide) - 8), (y + 3), half, (h - 8), zoom).svg;
gradient = new Heat(box.gradient_cells, node.row, (right - gradient.wide), (y + 3), half, (h - 8), zoom);
svg += ((svg_tag("g", [["class", "ga"]], ">") + gradient.svg) + "</g>");
}
} else {
text = fitting([("= " + box.value), box.value], (right - left), NORMAL, false);
if ((text !== "")) {
svg += sheet.text(right, base, text, value_look(node, box), NORMAL, "r");
}
}
return svg;
}
function value_look(node, box) {
return ((box.word !== "") ? "vbad" : ((node.kind === "leaf") ? "ed" : "v"));
}
function in_rows(sheet, node, box, x, y, w, h, rows, zoom) {
let apart, base, beside, down, gradient, head, level, long, raised, room, second, size, svg, text, value;
svg = "";
base = ((rows >= 2) ? (y + min(16, ((h / 2) - 6))) : ((y + (h / 2)) + ((h > 22) ? 2 : 4)));
head = head_of(node, w);
long = wide(head[0], head[2], (head[1] === "nm"));
beside = ((w - long) - 8);
value = ((node.shape === "") ? fitting([("= " + box.value), box.value], (w + 3), NORMAL, false) : "");
room = ((rows >= 2) ? (w + 3) : beside);
size = NORMAL;
gradient = fitting(gradient_words(box), room, size, true);
if ((gradient === "")) {
size = SMALL;
gradient = fitting(gradient_words(box), room, size, true);
}
level = (((wide(value, NORMAL, false) + wide(gradient, NORMAL, true)) + 8) <= w);
raised = (((rows === 2) && !level) ? fitting([("= " + box.value), box.value], beside, NORMAL, false) : "");
raised = (((value !== "") && (gradient !== "")) ? raised : "");
second = "";
if (((head[0] !== "") && (rows >= 1))) {
if (((rows === 1) && (gradient !== ""))) {
svg += sheet.text(x, base, head[0], head[1], head[2], "");
svg += sheet.text((x + w), base, gradient, gradient_look(box), size, "r");
} else {
if (((long > w) || ((rows === 1) && (beside < 30)))) {
svg += sheet.text((x + (w / 2)), base, head[0], head[1], head[2], "c");
} else {
if ((raised !== "")) {
svg += sheet.text(x, base, head[0], head[1], head[2], "");
svg += sheet.text((x + w), base, raised, value_look(node, box), NORMAL, "r");
} else {
svg += sheet.text(x, base, head[0], head[1], head[2], "");
text = fitting([side_words(node)[0]], beside, SMALL, false);
if (((text === "") && (h >= 76))) {
second = fitting(side_words(node), (w + 4), SMALL, false);
if ((second !== "")) {
base += 13;
svg += sheet.text(x, base, second, "mu", SMALL, "");
}
}
if (((text === "") && (second === ""))) {
text = fitting(side_words(node), beside, SMALL, false);
}
if ((text !== "")) {
svg += sheet.text((x + w), base, text, "mu", SMALL, "r");
}
}
}
}
}
if (((rows >= 3) && (node.shape !== ""))) {
return (svg + images(sheet, node, box, x, (y + ((second !== "") ? 34 : 21)), w, ((y + h) - 10), zoom));
}
if (((rows === 2) && (gradient === ""))) {
svg += new Heat(box.cells, node.row, x, (base + 5), w, (((y + h) - base) - 11), zoom).svg;
}
if (((rows >= 2) && (value !== "") && ((rows >= 3) || level || (gradient === "")))) {
svg += sheet.text(x, (base + ROW), value, value_look(node, box), NORMAL, "");
}
if (((rows >= 2) && (gradient !== ""))) {
apart = ((rows === 2) && level && (value !== ""));
down = (base + ((rows >= 3) ? (2 * ROW) : ROW));
svg += sheet.text((apart ? (x + w) : x), down, gradient, gradient_look(box), size, (apart ? "r" : ""));
}
return svg;
}
function images(sheet, node, box, x, top, w, foot, zoom) {
let beside, gradient, half, high, left, number, size, svg, text, value;
svg = "";
half = ((w - 8) / 2);
high = ((foot - 10) - top);
if ((high > 3)) {
value = new Heat(box.cells, node.row, x, top, half, high, zoom);
gradient = new Heat(box.gradient_cells, node.row, ((x + half) + 8), top, half, high, zoom);
svg += (((value.svg + svg_tag("g", [["class", "ga"]], ">")) + gradient.svg) + "</g>");
sheet.paired = (sheet.paired || ((value.wide > 0) && (gradient.wide > 0)));
}
size = ((box.word !== "") ? box.value : digits(size_of(box.value)));
beside = fitting(gradient_words(box), ((w - wide(size, SMALL, false)) - 6), SMALL, true);
text = ((beside !== "") ? beside : fitting(gradient_words(box), (w + 4), SMALL, true));
if ((text !== "")) {
svg += sheet.text(((x + w) + 2), foot, text, gradient_look(box), SMALL, "r");
}
left = ((w - wide(text, SMALL, true)) - 6);
number = fitting(((box.value.slice(0, 1) === "[") ? [box.value, size] : [size]), left, SMALL, false);
if (((number !== "") && ((text !== "") || (box.gradient === "")))) {
svg += sheet.text(x, foot, number, ((box.word !== "") ? "vbad" : "mu"), SMALL, "");
}
return svg;
}
function draw_pill(sheet, node, edge, state, scale, room, zoom) {
let base, box, cells, forms, h, half, heavy, image, inner, look, message, name, several, shown, size, svg, text, value, w, whole, x, y;
box = new BoxState(node, state);
[x, y, w, h] = [room[0], room[1], room[2], room[3]];
message = (state.sent[("e" + edge.id)] ?? "");
size = size_of(message);
whole = (((message.slice(0, 1) === "[") && !state.forward) ? message : "");
if (((message !== "") && (node.shape !== "") && !is_bad(size))) {
message = digits(size);
}
look = (classes_of(node, box, state) + " pill");
look += (edge.ghost ? " ghost" : (is_bad(size) ? " isbad" : ""));
svg = svg_tag("g", [["class", look], ["data-n", String(node.id)], ["data-e", String(edge.id)]], ">");
svg += rect_svg("b", x, y, w, h, min((h / 2), 13));
sheet.take(x, y, w, h);
inner = (w - 16);
name = node.title;
several = ((node.uses > 1) && !state.forward);
shown = (state.forward ? box.gradient : message);
forms = (several ? [((message.slice(0, 1) === "-") ? message : ("+" + message)), message] : [(box.sign + shown), shown]);
forms.splice(0, 0, whole);
if ((shown === "")) {
forms = ((edge.none && ((state.gradient[("n" + edge.dst)] ?? "") !== "")) ? ["None"] : []);
}
heavy = (is_bad(size) ? "gv badt" : "gv");
if (((h >= 34) && ((node.shape === "") || (wide(name, NORMAL, true) > inner)))) {
value = ((node.shape === "") ? (" " + box.value) : "");
svg += named_pill(sheet, [(name + value), name], (x + (w / 2)), (y + 15), inner);
text = fitting(forms, (inner + 4), NORMAL, true);
svg += ((text !== "") ? sheet.text((x + (w / 2)), (y + 30), text, heavy, NORMAL, "c") : "");
} else {
if ((h >= 34)) {
svg += sheet.text((x + 8), (y + 14), name, "nm", NORMAL, "");
text = fitting(forms, ((inner - wide(name, NORMAL, true)) - 2), SMALL, true);
svg += ((text !== "") ? sheet.text(((x + w) - 7), (y + 14), text, heavy, SMALL, "r") : "");
half = ((inner - 6) / 2);
svg += new Heat(box.cells, node.row, (x + 8), (y + 19), half, (h - 24), zoom).svg;
cells = (several ? "" : box.gradient_cells);
image = new Heat(cells, node.row, ((x + 14) + half), (y + 19), half, (h - 24), zoom);
svg += ((svg_tag("g", [["class", "ga"]], ">") + image.svg) + "</g>");
} else {
base = ((y + (h / 2)) + 4);
value = (((node.shape === "") && (name !== box.value)) ? (" " + box.value) : "");
for (const head of [(name + value), name]) {
text = fitting(forms, ((inner - wide(head, NORMAL, true)) - 6), SMALL, true);
if ((text !== "")) {
svg += sheet.text((x + 8), base, head, "nm", NORMAL, "");
sheet.boxes.push(((svg + sheet.text(((x + w) - 8), base, text, heavy, SMALL, "r")) + "</g>"));
return;
}
}
svg += named_pill(sheet, [(name + value), name], (x + (w / 2)), base, inner);
}
}
sheet.boxes.push((svg + "</g>"));
}
function named_pill(sheet, forms, x, base, inner) {
let name, text;
text = fitting(forms, (inner + 6), NORMAL, true);
if ((text !== "")) {
return sheet.text(x, base, text, "nm", NORMAL, "c");
}
name = forms[(forms.length - 1)];
text = clipped(name, (inner + 10), SMALL, true);
text = ((text !== "") ? text : fitting([(name.slice(0, 2) + "…"), (name.slice(0, 1) + "…")], (inner + 10), SMALL, true));
return ((text !== "") ? sheet.text(x, base, text, "nm", SMALL, "c") : "");
}
class Stroke {
constructor(edge, points, near, low, labelled, headed) {
this.headed = headed;
this.edge = edge;
this.points = points;
this.near = near;
this.low = low;
this.labelled = labelled;
}
}
function draw_line(sheet, line, state, scale, across) {
let extra, half, head, key, long, look, message, path, points, size, slant, tip, wide_by;
points = line.points;
key = ("e" + line.edge.id);
message = (state.sent[key] ?? "");
size = size_of(message);
for (let i = 1; i < points.length; i++) {
note_piece(sheet, points[(i - 1)], points[i], width_of(size, scale), across);
}
path = (((points.length > 2) && (points[1][0] === points[2][0])) ? angled(points) : flowing(points, across));
look = ((message !== "") ? look_of(size, scale) : "no");
extra = (line.edge.ghost ? " gh" : "");
extra += (((state.now[key] ?? null) != null) ? " now" : "");
extra += (line.edge.cut ? " cut" : "");
extra += (((state.marked[key] ?? null) != null) ? " way" : "");
wide_by = width_of(size, scale);
sheet.lines.push(stroke_svg((("e " + look) + extra), path, wide_by, line.edge));
if ((state.forward || ((look !== "no") && line.headed))) {
tip = (state.forward ? points[(points.length - 1)] : points[0]);
half = ((look === "no") ? 4.0 : max(4.0, ((wide_by * 0.9) + 2.6)));
long = ((look === "no") ? 7.0 : (1.5 * half));
slant = spot([(state.forward ? -long : long), -half], across);
head = (((((("M" + spot(tip, across)) + "l") + slant) + (across ? "v" : "h")) + places((2 * half))) + "z");
sheet.lines.push(path_svg(((look === "no") ? "h no" : (("h " + look) + extra)), head));
}
}
function flowing(points, across) {
let a, b, half, path;
path = ("M" + spot(points[0], across));
for (let i = 1; i < points.length; i++) {
[a, b] = [points[(i - 1)], points[i]];
if ((abs((a[1] - b[1])) < 0.5)) {
if ((((i + 1) === points.length) || (abs((points[(i + 1)][1] - b[1])) >= 0.5))) {
path += ("L" + spot(b, across));
}
} else {
half = ((a[0] + b[0]) / 2);
path += ((((("C" + spot([half, a[1]], across)) + " ") + spot([half, b[1]], across)) + " ") + spot(b, across));
}
}
return path;
}
function angled(points) {
let a, b, path;
path = ("M" + spot(points[0], true));
for (let i = 1; i < points.length; i++) {
[a, b] = [points[(i - 1)], points[i]];
path += (((i % 2) === 1) ? ("h" + places((b[0] - a[0]))) : ("v" + places((b[1] - a[1]))));
}
return path;
}
function stroke_svg(look, path, thick, edge) {
let stroke;
stroke = ["stroke-width", places(thick)];
return svg_tag("path", [["class", look], ["d", path], stroke, ["data-e", String(edge.id)]], "/>");
}
function spot(point, across) {
return (across ? ((places(point[0]) + " ") + places(point[1])) : ((places(point[1]) + " ") + places(point[0])));
}
function note_piece(sheet, a, b, thick, across) {
let along, aside, count, half, r, t;
if ((across && (a[0] === b[0]))) {
sheet.take((a[0] - (thick / 2)), min(a[1], b[1]), thick, abs((b[1] - a[1])));
return;
}
if ((abs((a[1] - b[1])) < 0.5)) {
if (across) {
sheet.take(min(a[0], b[0]), (a[1] - (thick / 2)), abs((b[0] - a[0])), thick);
} else {
sheet.take((a[1] - (thick / 2)), a[0], thick, (b[0] - a[0]));
}
return;
}
count = (trunc(min(200.0, ((abs((b[0] - a[0])) + abs((b[1] - a[1]))) / 4))) + 1);
half = ((a[0] + b[0]) / 2);
for (let i = 0; i < (count + 1); i++) {
t = (i / count);
r = (1 - t);
along = (((((r * r) * r) * a[0]) + (((3 * r) * t) * half)) + (((t * t) * t) * b[0]));
aside = (((((r * r) * r) + (((3 * r) * r) * t)) * a[1]) + (((((3 * r) * t) * t) + ((t * t) * t)) * b[1]));
sheet.dots.push((across ? [along, aside, (thick / 2)] : [aside, along, (thick / 2)]));
}
}
function words_of(edge, state) {
let message, slope;
message = (state.sent[("e" + edge.id)] ?? "");
if ((!edge.scalar && !is_bad(size_of(message)))) {
message = "";
}
if ((state.forward && (message === ""))) {
return ["", ""];
}
if (edge.none) {
return (((state.gradient[("n" + edge.dst)] ?? "") === "") ? ["", ""] : ["None", "no gradient"]);
}
if (edge.cut) {
return ["", "gradient stops"];
}
slope = (state.slopes[("e" + edge.id)] ?? edge.slope);
return [message, (edge.rule ? "by the rule" : ((slope === "× 1") ? "" : slope))];
}
function room_for(edge, state) {
let words;
words = words_of(edge, state);
return max(wide(words[0], NORMAL, true), wide(words[1], SMALL, false));
}
function longest_level(points) {
let a, b, best;
best = [points[0], points[0]];
for (let i = 1; i < points.length; i++) {
[a, b] = [points[(i - 1)], points[i]];
if (((abs((a[1] - b[1])) < 0.5) && ((b[0] - a[0]) > (best[1][0] - best[0][0])))) {
best = [a, b];
}
}
return best;
}
function draw_words(sheet, line, state, across) {
let before, heavy, last, lift, long, number, room, slope, words, written, x, y;
if (!line.labelled) {
return;
}
words = words_of(line.edge, state);
[number, slope] = [words[0], words[1]];
heavy = (is_bad(size_of(number)) ? "lv badt" : "lv");
last = line.points[(line.points.length - 1)];
before = line.points[(line.points.length - 2)];
if (!across) {
if (((number !== "") && ((last[0] - before[0]) >= 16))) {
written = false;
for (const y of [(((last[0] + before[0]) / 2) + 4), (last[0] - 4)]) {
written = (written || sheet.word((last[1] + 7), y, number, heavy, NORMAL, ""));
written = (written || sheet.word((last[1] - 7), y, number, heavy, NORMAL, "r"));
}
}
return;
}
[x, y, room] = [(last[0] - 7), last[1], ((last[0] - before[0]) - 4)];
lift = ((state.forward && (number !== "") && (line.near >= 24)) ? 4.0 : 0.0);
if ((number.includes("≠") && (wide(number, NORMAL, true) > room))) {
number = ("≠ " + number.split("≠ ")[1]);
}
written = (number === "");
if ((!written && (wide(number, NORMAL, true) <= room))) {
written = sheet.word(x, ((line.low && (line.near < 24)) ? (y + 15) : ((y - 6) - lift)), number, heavy, NORMAL, "r");
}
if (!written) {
long = longest_level(line.points);
if ((((long[0][0] + wide(number, NORMAL, true)) + 8) <= long[1][0])) {
sheet.word((long[1][0] - 4), (long[1][1] - 6), number, heavy, NORMAL, "r");
}
}
if (((slope !== "") && (line.near >= 24) && (wide(slope, SMALL, false) <= room))) {
sheet.word(x, ((y + 15) + lift), slope, "sl", SMALL, "r");
}
}
function sizes_in(nodes, graph, state) {
let shown, values;
if (state.forward) {
shown = nodes.filter((n) => ((state.hidden[("n" + n)] ?? null) == null));
values = nodes.map((n) => (state.value[("n" + n)] ?? graph.nodes[n].value));
return [...Array(nodes.length).keys()].map((i) => (shown.includes(nodes[i]) ? size_of(values[i]) : -1.0));
}
return nodes.map((n) => size_of((state.gradient[("n" + n)] ?? "")));
}
function ops_in(frame, graph) {
return frame.nodes.filter((n) => !["leaf", "const"].includes(graph.nodes[n].kind));
}
function largest_of(sizes) {
let largest;
largest = -1.0;
for (const size of sizes) {
if (is_bad(size)) {
return size;
}
largest = max(largest, size);
}
return largest;
}
function bars(sizes, scale, x, y, w, h, current) {
let count, first, look, looks, paths, shown, side, size, step, tall;
count = sizes.length;
shown = min(count, trunc((w / 1.6)));
step = (w / max(shown, 1));
paths = {};
looks = [];
for (let i = 0; i < shown; i++) {
first = floor((i * count) / shown);
size = largest_of(sizes.slice(first, max((first + 1), floor(((i + 1) * count) / shown))));
look = look_of(size, scale);
tall = (is_bad(size) ? h : ((size <= 0) ? 1.0 : (1.5 + (share_of(size, scale) * (h - 1.5)))));
if (((current >= 0) && (i === floor((current * shown) / count)))) {
look = "cur";
}
if (((paths[look] ?? null) == null)) {
looks.push(look);
paths[look] = "";
}
side = places(max(1.0, (step - ((step > 3) ? 1.0 : 0.0))));
paths[look] += `M${places((x + (i * step)))} ${places(((y + h) - tall))}h${side}v${places(tall)}h-${side}z`;
}
return looks.map((look) => path_svg(("sp " + look), paths[look])).join("");
}
function wrong_in(frame, graph, state) {
let edge, node, texts;
texts = "";
for (const n of ops_in(frame, graph)) {
node = graph.nodes[n];
if (node.ghost) {
continue;
}
texts += (state.gradient[("n" + n)] ?? "");
for (const entering of [node.enters, node.pills]) {
for (const at of entering) {
edge = graph.edges[at];
texts += (edge.ghost ? "" : (state.sent[("e" + edge.id)] ?? ""));
}
}
}
return wrong_of(texts);
}
function wrong_values(frame, graph, state) {
let key, texts;
texts = "";
for (const n of ops_in(frame, graph)) {
key = ("n" + n);
if (((state.hidden[key] ?? null) == null)) {
texts += (state.value[key] ?? graph.nodes[n].value);
}
}
return wrong_of(texts);
}
function frame_group(frame, opened, state, extra) {
let look;
look = (opened ? "f open" : "f");
look += extra;
if (((state.active !== "") && ((frame.holds[state.active] ?? null) != null))) {
look += " lit";
}
return svg_tag("g", [["class", look], ["data-f", frame.as]], ">");
}
function draw_closed(sheet, frame, graph, state, scale, room) {
let base, behind, foot, h, last, long, look, name, node, side, size, sizes, svg, text, top, value, w, x, y;
[x, y, w, h] = [room[0], room[1], room[2], room[3]];
sizes = sizes_in(ops_in(frame, graph), graph, state);
look = ((wrong_in(frame, graph, state) !== "") ? " isbad" : "");
behind = `M${places((x + 8))} ${places((y - 3))}h${places((w - 5))}v${places((h - 5))}`;
svg = ((frame_group(frame, false, state, look) + path_svg("fs", behind)) + rect_svg("fb", x, y, w, h, 6));
name = clipped(frame.name, (w - 12), NORMAL, true);
size = NORMAL;
if ((name === "")) {
name = clipped(frame.name, (w - 6), SMALL, true);
size = SMALL;
}
if (((name !== "") && (h > 15))) {
svg += sheet.text((x + 6), (y + 13), name, "nm fn", size, "");
}
foot = ((h > 52) ? 18.0 : 4.0);
top = 20.0;
text = ((h > 40) ? passed_words(frame, sizes, state, (w - 10), (h <= 52)) : "");
if ((text !== "")) {
base = ((h > 52) ? (h - 6) : 28.0);
side = ((h > 52) ? "" : "r");
look = (is_bad(largest_of(sizes)) ? "gv badt" : "gv");
svg += sheet.text(((side === "") ? (x + 6) : ((x + w) - 6)), (y + base), text, look, SMALL, side);
top = ((h > 52) ? top : 32.0);
}
last = ("n" + frame.last);
if (((h > 15) && (frame.last >= 0) && ((state.hidden[last] ?? null) == null))) {
node = graph.nodes[frame.last];
value = ((node.shape === "") ? ("= " + (state.value[last] ?? node.value)) : node.shape);
look = ((node.shape !== "") ? "mu" : ((wrong_of(value) === "") ? "v" : "vbad"));
long = (wide(value, NORMAL, false) + 20);
if (((wide(name, size, true) + long) <= w)) {
svg += sheet.text(((x + w) - 6), (y + 13), value, look, NORMAL, "r");
} else {
if ((((h > 66) || (top > 20)) && ((long + ((h <= 52) ? wide(text, SMALL, true) : 0.0)) <= w))) {
svg += sheet.text((x + 6), (y + 28), value, look, NORMAL, "");
top = ((h > 66) ? max(top, 34.0) : top);
}
}
}
if ((h > 30)) {
svg += bars(sizes, scale, (x + 7), (y + top), (w - 14), ((h - top) - foot), -1);
}
sheet.take(x, y, w, h);
sheet.boxes.push(((svg + tag_svg(sheet, wrong_values(frame, graph, state), x, y, w)) + "</g>"));
}
function passed_words(frame, sizes, state, room, only_one) {
let both, entering, leaving, one, sign;
entering = (state.gradient[("n" + frame.last)] ?? "");
if (((entering === "") || (sizes.length === 0))) {
return "";
}
leaving = (state.gradient[("n" + frame.first)] ?? "");
both = ((((leaving !== "") ? shortest(leaving) : "…") + (state.forward ? " → " : " ← ")) + shortest(entering));
sign = state.sign;
one = [(sign + shortest(entering)), shortest(entering)];
return fitting((only_one ? one : [(sign + both), both, ...one]), room, SMALL, true);
}
function shortest(text) {
let size;
size = size_of(text);
if (is_bad(size)) {
return wrong_of(text);
}
return digits(size);
}
function draw_rim(sheet, frame, state, room, name) {
let svg;
svg = frame_group(frame, true, state, ((frame.turns.length > 0) ? " loop" : ""));
sheet.rims.push([sheet.back.length, room, name]);
sheet.back.push((svg + rect_svg("fb", room[0], room[1], room[2], room[3], 7)));
}
function draw_names(sheet) {
let at, long, room, text;
for (const rim of sheet.rims) {
[at, room] = [rim[0], rim[1]];
text = clipped(rim[2], (room[2] - 14), NORMAL, true);
long = wide(text, NORMAL, true);
for (const left of [(room[0] + 8), (((room[0] + room[2]) - 8) - long)]) {
if (((text !== "") && sheet.free(left, ((room[1] + 14) - (NORMAL * 0.8)), long, NORMAL))) {
sheet.back[at] += sheet.text(left, (room[1] + 14), text, "nm fn", NORMAL, "");
text = "";
}
}
sheet.back[at] += "</g>";
}
}
function draw_strip(sheet, frame, graph, state, room, now) {
let at, carried, count, dtype, finite, first, ground, h, head, high, key, label, last, least, left, line, long, low, marks, name, own, pairs, part, sizes, svg, text, values, w, word, words, x, y, zeros;
count = frame.turns.length;
sizes = sizes_in(frame.carry, graph, state);
finite = sizes.filter((size) => ((size > 0) && !is_bad(size)));
low = ((finite.length > 0) ? min(floor(log10(min(...finite))), -1) : -1);
high = ((finite.length > 0) ? max(0, -floor((0.01 - log10(max(...finite))))) : 0);
own = [Number(low), Number(high)];
[x, w, y, h] = [(room[0] + 52), (room[2] - 66), (room[1] + 18), (room[3] - 42)];
if (((w < 60) || (h < 10))) {
return;
}
svg = "";
marks = [high, floor((high + low) / 2), low];
for (let i = 0; i < 3; i++) {
if (((i > 0) && (marks[i] === marks[(i - 1)]))) {
continue;
}
line = ((y + h) - ((h * (marks[i] - low)) / (high - low)));
svg += path_svg("ax", `M${places((x - 3))} ${places(line)}H${places((x + w))}`);
svg += sheet.text((x - 6), (line + 4), ((marks[i] === 0) ? "1" : ("1e" + marks[i])), "mu", SMALL, "r");
}
word = frame.word;
head = ((state.forward ? "|value|" : "|ḡ|") + ` of each ${word}`);
head = fitting([(head + ", on a log scale"), (head + ", log scale"), head], (room[2] - 14), SMALL, true);
svg += sheet.text((room[0] + 9), (y - 7), head, (state.forward ? "mu" : "gv"), SMALL, "");
zeros = 0;
while (((zeros < (count - 1)) && (sizes[zeros] === 0))) {
zeros += 1;
}
part = ((zeros * w) / count);
if ((part > (w / 2))) {
part = max((w * 0.16), min((w / 2), 210.0), (w - (24 * (count - zeros))));
svg += path_svg("ax", `M${places((x + part))} ${places(y)}V${places((y + h))}`);
}
if ((zeros > 0)) {
svg += bars(sizes.slice(0, zeros), own, x, y, part, h, ((now < zeros) ? now : -1));
dtype = frame.dtype;
least = ((dtype === "float64") ? 1e-300 : ((dtype === "float16") ? 1e-05 : 1e-35));
words = [`gradient 0: too small for ${dtype}`, "gradient 0"];
if ((sizes[zeros] > least)) {
words = ["gradient 0"];
}
text = fitting(words, (part - 8), SMALL, false);
if (((text !== "") && !state.forward)) {
svg += sheet.text((x + (part / 2)), ((y + h) - 7), text, "sl", SMALL, "c");
}
}
svg += bars(sizes.slice(zeros), own, (x + part), y, (w - part), h, (now - zeros));
at = (((now + 0.5) * part) / max(zeros, 1));
if ((now >= zeros)) {
at = (part + ((((now - zeros) + 0.5) * (w - part)) / (count - zeros)));
}
at += x;
svg += path_svg("mark", `M${places(at)} ${places((y - 2))}V${places(((y + h) + 3))}`);
svg += path_svg("markt", `M${places(at)} ${places(((y + h) + 1))}l4 6h-8z`);
name = graph.frames[frame.turns[now]].name;
label = name;
if (is_bad(sizes[now])) {
carried = frame.carry[now];
key = ("n" + carried);
values = (state.value[key] ?? graph.nodes[carried].value);
label += (": " + (state.forward ? values : (state.gradient[key] ?? "")));
} else {
if ((sizes[now] >= 0)) {
label += (": " + digits(sizes[now]));
}
}
long = wide(label, NORMAL, true);
left = max(min(x, (((room[0] + room[2]) - 8) - long)), min(((x + w) - long), (at - (long / 2))));
svg += sheet.text(left, ((y + h) + 19), label, (state.forward ? "nm" : "lv"), NORMAL, "");
[first, last] = [graph.frames[frame.turns[0]].name, graph.frames[frame.turns[(count - 1)]].name];
if ((left > ((x + wide(first, SMALL, false)) + 12))) {
svg += sheet.text(x, ((y + h) + 16), first, "mu", SMALL, "");
}
if (((left + long) < (((x + w) - wide(last, SMALL, false)) - 12))) {
svg += sheet.text((x + w), ((y + h) + 16), last, "mu", SMALL, "r");
}
pairs = [["class", "hit"], ["data-strip", frame.key], ["data-zeros", String(zeros)], ["data-part", places(part)]];
for (const pair of [["x", places(x)], ["y", places((y - 4))], ["width", places(w)], ["height", places((h + 24))]]) {
pairs.push(pair);
}
ground = rect_svg("sb", (room[0] + 2), (room[1] + 2), (room[2] - 4), (room[3] - 4), 0);
sheet.boxes.push(((ground + svg) + svg_tag("rect", pairs, "/>")));
}
const FINE = 3.0;
class Scene {
constructor(graph) {
this.graph = graph;
this.orders = {};
this.opened = {};
this.last = "";
this.across = true;
this.boxes = {};
this.bottom = 0.0;
}
draw(window, state) {
let choice;
choice = this.choice(window, state);
this.fit = choice.fit;
this.state = state;
this.zoom = window.zoom;
this.scale = window.scale;
this.across = ((choice.reading != null) || choice.fit.across);
this.sheet = new Sheet(window.wide);
this.boxes = {};
this.lines = [];
this.sums = [];
this.closed = [];
this.bottom = 0.0;
if ((choice.reading != null)) {
this.opened = choice.reading.opened;
this.in_order(choice.reading, window.x, window.y);
} else {
this.opened = choice.fit.open;
this.in_columns(window);
}
for (const line of this.lines) {
draw_line(this.sheet, line, state, this.scale, this.across);
}
draw_names(this.sheet);
for (const line of this.lines) {
draw_words(this.sheet, line, state, this.across);
}
this.captions();
this.bottom += 10;
return this.sheet.svg();
}
in_columns(window) {
let along, aside, begin, cross, grid, high, length, row, wide;
grid = this.fit.grid("");
wide = ((window.wide - 18) * this.zoom);
high = ((window.high - ((this.graph.arrays && this.across) ? 33 : 16)) * this.zoom);
[along, aside] = (this.across ? [wide, high] : [high, wide]);
row = (aside / max((grid.low - grid.top), 0.5));
if (this.across) {
row = min(row, ((this.graph.arrays ? 130.0 : 92.0) * max(1.0, this.zoom)));
} else {
row = min(row, (((window.wide < 500) ? 250.0 : 330.0) * max(1.0, this.zoom)));
}
this.row = row;
[this.box, this.gap] = shared(along, grid, this.across, this.zoom);
length = this.length(grid);
begin = (this.across ? (9 + window.x) : (8 + window.y));
begin += ((this.across || (this.zoom > 1)) ? max(0.0, ((along - length) / 2)) : 0.0);
cross = ((this.across ? (12 + window.y) : (9 + window.x)) - (grid.top * row));
if (!this.across) {
cross += max(0.0, ((aside - ((grid.low - grid.top) * row)) / 2));
}
this.group("", begin, (begin - (this.gap * 0.6)), (begin + length), cross);
}
in_order(reading, x, y) {
let cell, dst, edge, hidden, last, points, spot, src;
this.row = reading.row;
for (const rim of reading.rims) {
this.rim(rim.key, new Spot((rim.x + x), (rim.y + y), rim.w, rim.h, 0.0), rim.strip);
}
for (const key of Object.keys(reading.cells)) {
cell = reading.cells[key];
spot = new Spot((cell.x + x), (cell.y + y), cell.w, cell.h, ((cell.y + y) + (cell.h / 2)));
last = key.slice((key.length - 2));
if ((key[0] === "n")) {
this.node(trunc(key.slice(1)), spot);
} else {
if ([BEFORE, AFTER].includes(last)) {
this.other_turn(key.slice(0, (key.length - 2)), last, spot);
} else {
this.closed_frame(key, spot);
}
}
}
hidden = this.state.hidden;
for (const way of reading.ways) {
[src, dst] = [way.src.key, way.dst.key];
if ((((hidden[src] ?? null) == null) && ((hidden[dst] ?? null) == null))) {
edge = this.graph.edges[this.largest(way.edges)];
points = way.points.map((point) => [(point[0] + x), (point[1] + y)]);
this.lines.push(new Stroke(edge, points, 99.0, false, false, true));
}
}
this.bottom = (reading.bottom + y);
}
choice(window, state) {
let key, names;
names = this.graph.outward.map((key) => String((state.turns[key] ?? 0))).join(",");
key = `${window.wide} ${window.high} ${window.zoom} ${window.flow} ${window.padding}`;
key += (((((" " + state.opened.join(",")) + " ") + Object.keys(state.shut).join(",")) + " ") + names);
if ((key !== this.last)) {
this.last = key;
this.kept = chosen(this.graph, window, state, this.orders);
}
return this.kept;
}
length(part) {
return ((part.units * this.box) + (part.gaps * this.gap));
}
group(key, begin, entry, leave, cross) {
let at, gaps, laid, spot, units;
laid = new Laid(this.fit.grid(key), entry, leave, cross);
at = begin;
for (const column of laid.grid.columns) {
units = max(...column.map((place) => place.units));
gaps = max(...column.map((place) => place.gaps));
laid.starts.push(at);
laid.spans.push(((units * this.box) + (gaps * this.gap)));
at += (laid.spans[(laid.spans.length - 1)] + this.gap);
}
for (const column of laid.grid.columns) {
for (const place of column) {
if (!place.waypoint) {
spot = this.spot(place, laid);
laid.spots[place.key] = spot;
this.bottom = max(this.bottom, (spot.y + spot.h));
} else {
if (this.across) {
this.bottom = max(this.bottom, ((cross + (place.row * this.row)) + 4));
}
}
}
}
for (const wire of laid.grid.wires) {
this.wire(wire, laid);
}
for (const column of laid.grid.columns) {
for (const place of column) {
if (((place.key === "") || (place.key === "<") || (place.key === ">"))) {
continue;
}
spot = laid.spots[place.key];
if ((place.key[0] === "n")) {
this.node(trunc(place.key.slice(1)), spot);
} else {
if (((place.key === BEFORE) || (place.key === AFTER))) {
this.other_turn(key, place.key, spot);
} else {
this.frame(place, spot);
}
}
}
}
}
spot(place, laid) {
let along, long, middle, most, node, port, row, tall, top, zoom;
row = this.row;
middle = (laid.starts[place.column] + (laid.spans[place.column] / 2));
port = (laid.cross + (place.row * row));
if (((place.key === "<") || (place.key === ">"))) {
along = ((place.key === "<") ? laid.entry : laid.leave);
return (this.across ? new Spot(along, port, 0.0, 0.0, port) : new Spot(port, along, 0.0, 0.0, port));
}
zoom = min(2.0, max(1.0, this.zoom));
long = this.length(place);
top = port;
if ((place.key[0] === "n")) {
node = this.graph.nodes[trunc(place.key.slice(1))];
long = min(long, ((this.across ? 150.0 : 60.0) * zoom));
most = (this.across ? ((node.shape !== "") ? 104.0 : 64.0) : 290.0);
tall = min((row * 0.8), (most * zoom));
if ((!this.across && (node.kind === "leaf"))) {
tall = min(tall, 230.0);
}
} else {
if (((place.key === BEFORE) || (place.key === AFTER))) {
long = (this.across ? min(long, 60.0) : 16.0);
tall = (this.across ? 16.0 : min(60.0, (row * 0.8)));
} else {
if (!this.fit.is_open(place.key)) {
long = min(long, ((this.across ? 190.0 : 54.0) * zoom));
tall = min((((place.above + place.below) * row) * 0.9), ((this.across ? 124.0 : 300.0) * zoom));
} else {
tall = ((place.above + place.below) * row);
top = (laid.cross + ((place.row + ((place.below - place.above) / 2)) * row));
}
}
}
if (this.across) {
return new Spot((middle - (long / 2)), (top - (tall / 2)), long, tall, port);
}
return new Spot((top - (tall / 2)), (middle - (long / 2)), tall, long, port);
}
wire(wire, laid) {
let apart, arrives, before, count, dst, edge, edges, end, ends, entering, first, gathered, headed, hidden, last, leaves, level, off, op, points, room, spans, src, starts, what, y;
[src, dst] = [laid.spots[wire.src], laid.spots[wire.dst]];
[first, last] = [laid.grid.places[wire.src].column, laid.grid.places[wire.dst].column];
[starts, spans] = [laid.starts, laid.spans];
hidden = this.state.hidden;
if ((((hidden[wire.src] ?? null) != null) || ((hidden[wire.dst] ?? null) != null))) {
return;
}
op = (wire.dst[0] === "n");
headed = ((wire.src[0] === "n") || (wire.src === BEFORE) || ((wire.src !== "<") && !this.fit.is_open(wire.src)));
entering = (op ? this.arguments(laid.grid, wire.dst) : []);
apart = 99.0;
if ((entering.length > 1)) {
apart = min(36.0, (((this.across ? dst.h : dst.w) * 0.6) / (entering.length - 1)));
}
gathered = (op && (wire.edges.length > 1) && (apart < FINE));
edges = ((op && !gathered) ? wire.edges : [this.largest(wire.edges)]);
for (const e of edges) {
edge = this.graph.edges[e];
ends = (gathered ? wire.edges : [e]);
off = 0.0;
for (let i = 0; i < entering.length; i++) {
if (ends.includes(entering[i])) {
off += (((i - ((entering.length - 1) / 2)) * apart) / ends.length);
}
}
leaves = (this.across ? (src.x + src.w) : (src.y + src.h));
arrives = (this.across ? dst.x : dst.y);
points = [[leaves, src.port]];
if (((starts[first] + spans[first]) > (leaves + 1))) {
points.push([(starts[first] + spans[first]), src.port]);
}
for (const way of wire.via) {
y = (laid.cross + (way.row * this.row));
points.push([starts[way.column], y]);
points.push([(starts[way.column] + spans[way.column]), y]);
}
before = points[(points.length - 1)][0];
level = starts[last];
room = ((op && this.across && !gathered) ? (room_for(edge, this.state) + 12) : 0.0);
if (((room > 16) && (room < ((arrives - before) * 0.85)))) {
level = min(level, (arrives - room));
}
if (((level > before) && (level < (arrives - 1)))) {
points.push([level, (dst.port + off)]);
}
points.push([arrives, (dst.port + off)]);
this.lines.push(new Stroke(edge, points, apart, (off > 0), (op && !gathered), headed));
if (gathered) {
[count, what] = [String(wire.edges.length), (this.state.forward ? " values" : " messages")];
end = (this.across ? [(arrives - 7), ((dst.port + off) + 16)] : [((dst.port + off) + 7), (arrives - 8)]);
this.sums.push([end[0], end[1], (count + what), ("× " + count), (this.across ? "r" : "")]);
}
}
}
arguments(grid, key) {
let at, edges, last, rows;
rows = [];
edges = [];
for (const wire of grid.wires) {
if ((wire.dst === key)) {
last = ((wire.via.length > 0) ? wire.via[(wire.via.length - 1)] : grid.places[wire.src]);
for (const e of wire.edges) {
at = edges.length;
while (((at > 0) && (rows[(at - 1)] > (last.row + 1e-09)))) {
at -= 1;
}
rows.splice(at, 0, last.row);
edges.splice(at, 0, e);
}
}
}
return edges;
}
largest(edges) {
let best, most, size;
best = edges[0];
most = -2.0;
for (const e of edges) {
size = size_of((this.state.sent[("e" + this.graph.edges[e].id)] ?? ""));
if (!(size < 1e+300)) {
return e;
}
if ((size > most)) {
most = size;
best = e;
}
}
return best;
}
node(n, spot) {
let node, room, y;
node = this.graph.nodes[n];
if (((this.state.hidden[("n" + n)] ?? null) != null)) {
return;
}
y = (this.across ? (spot.port - (spot.h / 2)) : spot.y);
room = [spot.x, y, spot.w, spot.h];
this.boxes[("n" + n)] = room;
draw_box(this.sheet, node, this.state, this.scale, room, this.across, this.zoom);
for (let i = 0; i < node.pills.length; i++) {
this.pill(this.graph.edges[node.pills[i]], i, room);
}
}
pill(edge, i, box) {
let high, look, message, node, row, size, stem, stem_path, thick, wide, x, y;
node = this.graph.nodes[edge.src];
message = (this.state.sent[("e" + edge.id)] ?? "");
size = size_of(message);
row = this.row;
if (this.across) {
high = max(15.0, min((row * 0.42), ((node.shape !== "") ? 46.0 : ((((row * 0.42) >= 34) && (box[2] < 118)) ? 36.0 : 24.0))));
wide = min((box[2] * 1.04), 150.0);
stem = ((row * PILL) - high);
[x, y] = [((box[0] + (box[2] / 2)) - (wide / 2)), (box[1] - ((i + 1) * (high + stem)))];
stem_path = `M${places((x + (wide / 2)))} ${places((y + high))}v${places(stem)}`;
} else {
high = min(box[3], 40.0);
stem = max(10.0, (row * 0.06));
wide = min((row * (this.fit.pill - 0.06)), 140.0, (((box[0] - 4) / max(1, (i + 1))) - stem));
[x, y] = [(box[0] - ((i + 1) * (wide + stem))), ((box[1] + (box[3] / 2)) - (high / 2))];
stem_path = `M${places((x + wide))} ${places((y + (high / 2)))}h${places(stem)}`;
}
if ((wide < 12)) {
return;
}
look = ((message !== "") ? look_of(size, this.scale) : "no");
look += (edge.ghost ? " gh" : "");
look += (((this.state.now[("e" + edge.id)] ?? null) != null) ? " now" : "");
look += (((this.state.marked[("e" + edge.id)] ?? null) != null) ? " way" : "");
thick = width_of(size, this.scale);
if (this.across) {
this.sheet.take(((x + (wide / 2)) - (thick / 2)), (y + high), thick, stem);
} else {
this.sheet.take((x + wide), ((y + (high / 2)) - (thick / 2)), stem, thick);
}
this.sheet.lines.push(stroke_svg(("e " + look), stem_path, thick, edge));
this.boxes[("e" + edge.id)] = [x, y, wide, high];
draw_pill(this.sheet, node, edge, this.state, this.scale, [x, y, wide, high], this.zoom);
if (((edge.sum !== "") && (message !== "") && this.across)) {
this.sums.push([((x + (wide / 2)) + 6), (((y + high) + (stem / 2)) + 4), edge.sum, "Σ", ""]);
}
}
frame(place, spot) {
let begin, entry, inner, loop, strip, whole;
if (!this.fit.is_open(place.key)) {
this.closed_frame(place.key, spot);
return;
}
loop = (this.graph.frames[place.key].turns.length > 0);
strip = (loop ? (this.across ? (STRIP * this.row) : min((spot.h * 0.5), (4 * this.box))) : 0.0);
this.rim(place.key, spot, strip);
inner = this.fit.grid(place.key);
whole = (this.across ? spot.w : (spot.h - strip));
entry = (this.across ? spot.x : spot.y);
begin = ((entry + ((whole - this.length(inner)) / 2)) + (this.across ? 0.0 : 6.0));
this.group(place.key, begin, entry, (entry + whole), (spot.port - (port_row(inner) * this.row)));
}
closed_frame(key, spot) {
let room;
room = [spot.x, spot.y, spot.w, spot.h];
this.boxes[key] = room;
draw_closed(this.sheet, this.graph.frames[key], this.graph, this.state, this.scale, room);
if (((this.closed.length === 0) && (spot.h > 52))) {
this.closed = room;
}
}
rim(key, spot, strip) {
let frame, loop, name, now, room, strip_room;
frame = this.graph.frames[key];
room = [spot.x, spot.y, spot.w, spot.h];
this.boxes[key] = room;
loop = (frame.turns.length > 0);
now = (this.state.turns[key] ?? 0);
name = frame.name;
if (loop) {
name = ((this.graph.frames[frame.turns[now]].name + ", one of ") + String(frame.turns.length));
}
draw_rim(this.sheet, frame, this.state, room, name);
if (loop) {
strip_room = [spot.x, ((spot.y + spot.h) - strip), spot.w, (strip - 2)];
draw_strip(this.sheet, frame, this.graph, this.state, strip_room, now);
this.sheet.take(spot.x, ((spot.y + spot.h) - strip), spot.w, strip);
}
}
other_turn(key, port, spot) {
let base, name, text, turns, words;
turns = this.graph.frames[key].turns;
name = this.graph.frames[turns[((this.state.turns[key] ?? 0) + ((port === BEFORE) ? -1 : 1))]].name;
words = name.split(" ");
text = fitting([name, words[(words.length - 1)], "…"], spot.w, SMALL, false);
this.sheet.take(spot.x, spot.y, spot.w, spot.h);
base = ((spot.y + (spot.h / 2)) + (this.across ? 4 : ((port === BEFORE) ? 1 : 6)));
this.sheet.back.push(this.sheet.text((spot.x + (spot.w / 2)), base, text, "sl", SMALL, "c"));
}
captions() {
let foot, forms, framed, key, left, low, numbers, room, what, words, x;
for (const one of this.sums) {
if (!this.sheet.word(one[0], one[1], one[2], "sl", SMALL, one[4])) {
this.sheet.word(one[0], one[1], one[3], "sl", SMALL, one[4]);
}
}
if ((this.closed.length > 0)) {
[x, foot] = [this.closed[0], (this.closed[1] + this.closed[3])];
what = (this.state.forward ? "|value| of each op" : "|ḡ| of each op");
words = fitting([("bars: " + what), what], this.closed[2], SMALL, false);
if (((words !== "") && this.sheet.word(x, (foot + 14), words, "sl", SMALL, ""))) {
this.bottom = max(this.bottom, (foot + 17));
}
}
left = 1000000000.0;
low = 0.0;
for (const node of this.graph.nodes) {
room = (this.boxes[("n" + node.id)] ?? null);
if ((node.ghost && (room != null))) {
left = min(left, room[0]);
low = max(low, (room[1] + room[3]));
}
}
if (((low > 0) && this.sheet.word(left, (low + 15), "dashed: what the rule replaced", "sl", SMALL, ""))) {
this.bottom = max(this.bottom, (low + 18));
}
if (this.sheet.paired) {
framed = ((this.state.sign === "ḡ ") ? "the gradient" : "how far it moves");
numbers = "numbers: entries or the largest size";
key = `left the value, framed ${framed}; blue above 0, orange below; ${numbers}`;
forms = [("Images: " + key), key, `framed: ${framed}; blue above 0, orange below`];
forms.push(`framed: ${framed}`);
this.sheet.word(9, (this.bottom + 14), fitting(forms, (this.sheet.wide - 18), SMALL, false), "sl", SMALL, "");
this.bottom += 17;
}
}
}
