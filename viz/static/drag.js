// Numbers that are changed where there is no kernel: tape.js computes, tell.js says what was computed, and every lane of
// the picture follows. A page that does not reproduce its recorded numbers says so and stays still.

const STRANGE = "The inputs cannot be changed here: this browser does not reproduce the recorded numbers.";

// `repaint` shows the stop in view again. A comparison has `labels`, and a table that follows: see judge.js.
// `el.put(name, v)` changes a number and returns whether the picture follows.
function dragging({ lanes, labels, el, say, nan, repaint }) {
  const runs = lanes.map((lane) => tape(lane.drag.code)), bar = make("div", { className: "mg-inputs", role: "group", ariaLabel: "Inputs" });
  // The note keeps its room where it is not shown, or the picture would move under the pointer.
  const { note = "" } = lanes[0].drag, words = make("span", { textContent: note, style: "visibility:hidden" });
  const still = make("span", { className: "mg-still", role: "status" }, words);
  const recorded = lanes.map((lane) => ({ stops: lane.stops, seeds: lane.seeds, cards: Object.entries(lane.cards).map(([n, c]) => [n, c.value, c.local, c.bad]) }));
  let judge = null;
  say.before(bar);
  if (!reproduced()) {
    still.textContent = STRANGE;
    bar.append(still);
    return;
  }
  const reset = make("button", { type: "button", textContent: "Recorded numbers", title: "Back to the numbers that were recorded",
    disabled: true, onclick: () => { fields.all.forEach((f) => f.reset()); changed(); } });
  let unfold;
  const fields = fieldsOf({ lanes, runs, hush, changed, wanted: () => unfold() });
  bar.append(...fields.row, reset, still, ...fields.grids);
  unfold = foldable(bar, el.querySelector(".mg-bar"), el.querySelector(".mg-stage"), fields.row.length);
  el.put = (name, v) => {
    const f = fields.all.find(({ node }) => node.ariaLabel === name);
    f?.put(v);
    return !!f && !el.classList.contains("mg-strayed");
  };

  // Whether the tapes give what Python recorded: equal words, and numbers within rounding.
  function reproduced() {
    if (!runs.every((run) => run.run())) return false;
    const largest = Math.max(1, ...runs.flatMap((run) => run.cells.map(largestOf)));
    const near = (a, b) => a === b || (isFinite(a) && isFinite(b) && Math.abs(a - b) <= 2e-3 * Math.abs(a) + 1e-6 * Math.min(largest, 1e3));
    const parts = (t) => t.split(/(-?\d+(?:\.\d+)?(?:e-?\d+)?|nan|-?inf)/);
    const alike = (a, b) => {
      const p = parts(a), q = parts(b);
      return a === b || (p.length === q.length && p.every((t, i) => t === q[i] || (i % 2 && near(+t, +q[i]))));
    };
    return lanes.every((lane, i) => {
      const told = retell(lane, runs[i]);
      // Of the words below a line, those that are a number will follow.
      lane.factors = Object.keys(lane.slopes).filter((e) => told.local(e) !== null && lane.slopes[e] === `× ${short(told.local(e))}`);
      return told.stops.every((s, k) => s.slice(4, 7).every((text, j) => alike(text, recorded[i].stops[k][4 + j]))) &&
        recorded[i].cards.every(([n, value]) => !told.values.has(+n) || alike(full(told.values.get(+n)), value));
    });
  }

  // Why the numbers are none of this picture: the first decision of the code that would be another one.
  function strayed() {
    const exact = runs.map((run) => run.run()).every(Boolean);
    const decided = lanes.flatMap((lane, i) => (lane.drag.guards || []).filter(([cell, v]) => runs[i].cells[cell][0] !== v))[0];
    if (decided) return `Here the code decides otherwise (${decided[2]})`;
    return exact ? "" : "Here a whole number is too large for the page, or divided by 0";
  }

  function changed() {
    const other = strayed(), moved = fields.all.some((f) => !f.same());
    fields.all.forEach((f) => f.say()); // a float16 is rounded when it is computed with
    reset.disabled = !moved;
    el.classList.toggle("mg-strayed", !!other);
    el.parentElement?.querySelector(".mg-why")?.toggleAttribute("hidden", moved);
    words.textContent = other ? `${other}: the picture stands where it was.` : note;
    words.style.visibility = moved ? "" : "hidden";
    if (other) return;
    lanes.forEach((lane, i) => follow(lane, recorded[i], retell(lane, runs[i]), moved));
    const born = lanes.flatMap((lane) => lane.stops.filter((s) => s[7] & BORN).map((s) => s[8]));
    write(nan, born.length && !born.some((words) => words.includes("nan is born")) ? "First inf" : "First nan");
    fields.adjoints();
    repaint();
    if (labels) judge ??= judging({ table: el.parentElement.querySelector("table"), labels, lanes, runs });
    judge?.();
    say.style.minHeight = `${say.offsetHeight}px`; // it never shrinks, or the picture would move under the pointer
  }

  // A lane takes over what is told, or what was recorded where nothing was moved.
  function follow(lane, was, told, moved) {
    lane.stops = moved ? told.stops : was.stops;
    lane.seeds = moved ? told.seeds : was.seeds;
    for (const [n, value] of told.values) {
      const info = lane.cards[n];
      if (!info) continue;
      info.value = full(value);
      if (info.local) info.local = told.slopes(n);
      info.bad = [];
      for (const g of lane.nodes.get(n) || []) if (!lane.groups[g.dataset.f]) redraw(g, info, value, lane.drag.dense);
    }
    for (const g of lane.boxes) if (lane.groups[g.dataset.f]) reframe(g, lane, told);
    for (const [g, [edge]] of lane.lines) {
      const text = lane.factors.includes(String(edge)) && g.querySelector(".d");
      if (text) write(text, (text.textContent.startsWith("× ") ? "× " : "×") + short(told.local(edge)));
    }
    if (!moved) for (const [n, value, local, bad] of was.cards) Object.assign(lane.cards[n], { value, local, bad });
  }

  // While a drag runs the sentence is not spoken; when it ends, it is.
  function hush(on) {
    el.classList.toggle("mg-scrubbing", on);
    say.ariaLive = on ? "off" : "polite";
    if (!on) say.append(...say.childNodes);
  }
}
