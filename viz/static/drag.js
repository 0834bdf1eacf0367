// Numbers that are changed where there is no kernel: tape.js computes, recomputed.js says what was computed, and every lane of
// the picture follows. A page that does not reproduce its recorded numbers says so and stays still.

const STRANGE = "The inputs cannot be changed here: this browser does not reproduce the recorded numbers.";

// `repaint` shows the stop in view again. A comparison has `labels`, and a table that follows: see verdicts.js.
// `el.put(name, v)` changes a number and returns whether the picture follows.
function dragging({ lanes, labels, verdicts, rule, el, more, say, repaint, asks, chosen }) {
  const runs = lanes.map((lane) => tape(lane.drag.code)), bar = make("div", { className: "mg-inputs", role: "group", ariaLabel: "Inputs" });
  const { note = "" } = lanes[0].drag, words = make("span", { role: "status" }), still = make("div", { className: "mg-still" }, words);
  const recorded = lanes.map((lane) => ({ stops: lane.pass, seeds: lane.seeds, cards: Object.entries(lane.cards).map(([n, c]) => [n, c.value, c.local, c.bad]) }));
  let judge = null, tried = null, typed = ""; // the rules of the second lane that a reader typed
  more.after(still); // below the fields, which stay under the pointer
  if (!reproduced()) {
    words.textContent = STRANGE;
    return;
  }
  more.append(bar);
  const reset = make("button", { type: "button", textContent: "Recorded numbers", title: "Back to the numbers that were recorded", hidden: true,
    onclick: (e) => {
      fields.all.forEach((f) => f.reset());
      changed();
      if (!e.detail) el.querySelector("input[type=range]").focus(); // the button that a key pressed is gone
    } });
  const { drag: custom, name } = lanes[1] ?? {};
  const fields = fieldsOf({ lanes, runs, hush, changed, chosen });
  bar.append(...fields.row, ...fields.grids);
  still.prepend(reset);
  lanes.forEach((lane, i) => {
    [lane.run, lane.called] = [runs[i], (n, k) => fields.called(i, n, k)];
    const nodeAt = (e) => { const g = e.target.closest("[data-n]"); return g && fields.has(i, +g.dataset.n) ? +g.dataset.n : null; };
    const enter = (e) => {
      const node = nodeAt(e);
      if (node === null) return;
      if (more.hidden) el.querySelector("[aria-label=More]").click();
      fields.enter(i, node);
      e.preventDefault();
    };
    scrub(lane.svg, (e) => { const node = nodeAt(e); return node === null ? null : fields.at(i, node); }, hush);
    lane.svg.addEventListener("dblclick", enter);
    lane.svg.addEventListener("click", (e) => {
      if (asks || e.target.closest(".ga") || !e.target.closest(".ed,.et,.pill .nm,.hf,.qs")) return;
      enter(e);
      if (e.defaultPrevented) e.stopPropagation(); // or the box would take the keys
    });
    // Enter opens the field of an input, and so does the first character of another number.
    lane.svg.addEventListener("keydown", (e) => {
      if (e.key === "Enter") return enter(e);
      if (!/^[-.\d]$/.test(e.key) || e.ctrlKey || e.metaKey || e.altKey || nodeAt(e) === null || asks) return;
      enter(e);
      document.activeElement.value = e.key;
      e.stopPropagation(); // some are keys of the player
    });
  });
  el.repainted = () => lanes.forEach((lane, i) => lane.drawn.forEach((g) => {
    if (!g.dataset.n || !fields.has(i, +g.dataset.n)) return;
    const one = fields.at(i, +g.dataset.n);
    g.classList.toggle("mg-drag", !!one);
    const number = one && g.querySelector(".ed"), [x, width] = ["x", "width"].map((side) => g.querySelector(".b").getAttribute(side));
    if (number) g.append(draw("rect", { class: "et", x, width, y: number.getAttribute("y") - 15, height: matchMedia("(pointer: coarse)").matches ? 44 : 24 })); // a target for a finger
    g.ariaDescription = one ? "Click its number, or press Enter, to type another or step it by Up and Down; or drag it sideways" : "Click its cells or press Enter to change an element";
    lane.cards[g.dataset.n].change = g.ariaDescription;
    g.querySelector("title").textContent += `. ${g.ariaDescription}.`;
  }));
  if (rule) tried = yourRule({ el, lane: lanes[0], run: runs[0], fields, rule, hush, repaint: () => tried && repaint(), alone: lanes.length > 1, typed: lanes.length > 1 && retype });
  el.aim = tried?.aim;
  el.put = (name, v) => {
    const f = fields.all.find(({ node }) => node.ariaLabel === name);
    f?.put(v);
    return !!f && !el.classList.contains("mg-strayed");
  };

  // Of a comparison the second lane is the pass with the rule that was typed, by input; what it opens with is the function's.
  function retype(texts) {
    const [, lane] = lanes, own = rule.inputs.every(([name, text]) => !text || texts[name] === text), now = own ? "" : JSON.stringify(texts);
    if (now === typed) return tried && repaint();
    const drag = own ? custom : retyped({ ...lane, drag: custom }, rule, texts, tape(custom.code).types);
    if (!drag) return repaint();
    const run = tape(drag.code);
    for (const [, cell] of drag.inputs) run.cells[cell].set(runs[1].cells[cell]);
    [typed, judge, lane.drag, lane.run, runs[1]] = [now, null, drag, run, run];
    write(el.querySelectorAll(".mg-name")[1], (lane.name = own ? name : `${name}, as typed`));
    changed();
  }

  // Whether the tapes give what Python recorded: equal words, and numbers within rounding.
  function reproduced() {
    if (!runs.every((run) => run.run())) return false;
    const largest = Math.max(1, ...runs.flatMap((run) => run.cells.map(largestOf)));
    const least = 1e-6 * Math.min(largest, 1e3), unit = (a) => 1.01 * 10 ** (Math.floor(Math.log10(Math.abs(a))) - 2); // of a third digit
    const near = (a, b, some) => a === b || (isFinite(a) && isFinite(b) && Math.abs(a - b) <= Math.max(2e-3 * Math.abs(a), some ? unit(a) : 0) + least);
    const parts = (t) => t.split(/(-?\d+(?:\.\d+)?(?:e-?\d+)?|nan|-?inf)/);
    const alike = (a, b) => {
      const p = parts(a), q = parts(b), rest = (all) => all.length > 1 && all.every((t, i) => i % 2 === 0 || Math.abs(t) <= least); // what rounding leaves of terms that cancel
      return a === b || (p.length === q.length && p.every((t, i) => t === q[i] || (i % 2 && near(+t, +q[i], /[…[]|all/.test(a))))) || (rest(p) && rest(q));
    };
    return lanes.every((lane, i) => {
      const told = recomputed(lane, runs[i]);
      slopesOf(lane, told);
      // Of the words below a line, those that are a number will follow.
      lane.factors = lane.graph.edges.filter((e) => told.local(e.id) !== null && e.slope === `× ${short(told.local(e.id))}`).map((e) => e.id);
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
    reset.hidden = !moved;
    el.classList.toggle("mg-strayed", !!other);
    el.parentElement?.querySelector(".mg-report")?.toggleAttribute("hidden", moved);
    write(words, other ? `${other}: the picture stands where it was.` : moved ? note : "");
    el.classList.toggle("mg-moved", moved || typed !== "");
    if (other) return;
    lanes.forEach((lane, i) => follow(lane, recorded[i], recomputed(lane, runs[i]), moved || (i && typed)));
    fields.adjoints();
    if (labels) judge ??= comparisonTable({ table: el.parentElement.querySelector("table"), labels, verdicts, lanes, runs });
    el.point = judge?.(); // of a comparison: the sentence about these numbers
    tried?.changed();
    repaint();
    say.style.minHeight = `${say.getBoundingClientRect().height}px`; // it never shrinks, or the picture would move under the pointer
  }

  // The numbers of which sentences are made, and the slopes by which an input wiggles, where all are numbers.
  function slopesOf(lane, told) {
    lane.told = told;
    if (lane.wiggles) lane.slopeNow = Object.fromEntries(Object.keys(lane.drag.local).map((e) => [e, told.local(e)]));
  }

  // A lane takes over what is told, or what was recorded where nothing was moved.
  function follow(lane, was, told, moved) {
    lane.pass = moved ? told.stops : was.stops;
    slopesOf(lane, told);
    lane.seeds = moved ? told.seeds : was.seeds;
    for (const [n, value] of told.values) {
      const info = lane.cards[n];
      if (!info) continue;
      info.value = full(value);
      if (info.local) info.local = told.slopes(n);
      info.bad = [];
      lane.value[`n${n}`] = short(value);
      if (isArray(value)) lane.shades[`n${n}`] = shadesOf(value);
    }
    for (const edge of lane.factors) lane.slope[`e${edge}`] = `× ${short(told.local(edge))}`;
    if (!moved) lane.value = {}, lane.shades = {}, lane.slope = {};
    if (!moved) for (const [n, value, local, bad] of was.cards) Object.assign(lane.cards[n], { value, local, bad });
  }

  // While a drag runs the sentence is not spoken; when it ends, it is.
  function hush(on) {
    el.classList.toggle("mg-scrubbing", on);
    say.ariaLive = on ? "off" : "polite";
    if (!on) say.append(...say.childNodes);
  }
}

// How fast the result changes with its inputs, and which messages add up to a gradient, at the numbers in view.
function ratesOf({ rates: facts, told: { values, steps }, graph: { edges } }) {
  if (!facts?.inputs) return "";
  const plain = (v) => (isArray(v) ? (nonfinite(v) ? NaN : v.n && Math.max(-v.min, v.max)) : v);
  const { node, name, result } = facts, value = values.get(node), sends = steps.flatMap((s) => s.sends);
  const inputs = facts.inputs.map(([name, one, n]) => [name, one, plain(steps.find((s) => s.node === n)?.g), edges.filter((e) => e.src === n && !e.ghost).map((e) => plain(sends.find((s) => s.edge === e.id)?.value))]);
  const start = isArray(value) ? "" : `${name === "the result" ? "The result is" : `${name} =`} ${figure(value)}.`;
  const words = result && (!start || isFinite(value)) && rates(start, result, inputs);
  return [words && `${words}${facts.without}.`, added_up(inputs)].filter(Boolean).join(" ");
}
