// The fields of the inputs, where there is no kernel: numbers are dragged sideways, typed, or changed by arrow keys, and
// every lane of the picture follows. tape.js computes, tell.js says what was computed. A page that does not reproduce
// its recorded numbers says so and stays still.

const STRANGE = "The inputs cannot be changed here: this browser does not reproduce the recorded numbers.";

// `repaint` shows the stop in view again. A comparison has `labels`, and a table that follows: see judge.js.
function dragging({ lanes, labels, el, svg, say, nan, repaint }) {
  const runs = lanes.map((lane) => tape(lane.drag.code)), bar = make("div", { className: "mg-inputs" });
  let judge = null;
  const still = make("span", { className: "mg-still" }), fields = [], inputs = new Map();
  const recorded = lanes.map((lane) => ({ stops: lane.stops, seeds: lane.seeds, cards: Object.entries(lane.cards).map(([n, c]) => [n, c.value, c.local, c.bad]) }));
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Inputs");
  still.setAttribute("role", "status");

  if (!reproduced()) {
    still.textContent = STRANGE;
    bar.append(still);
    say.before(bar);
    return;
  }

  // An input may stand in every lane; `places` are rows [lane, node, cell].
  lanes.forEach((lane, i) => lane.drag.inputs.forEach(([node, cell]) => {
    let name = lane.cards[node]?.name ?? lane.drag.names[node];
    const axes = lane.drag.ops[node][2];
    const shape = axes ? axes.split("×").map(Number) : [];
    const values = [...runs[i].cells[cell]], known = inputs.get(name);
    if (known && !known.start.every((v, k) => Object.is(v, values[k]))) name += ` (${lane.name})`; // another of this name
    if (!inputs.has(name)) inputs.set(name, { name, shape, places: [], start: values });
    inputs.get(name).places.push([i, node, cell]);
  }));
  const reset = make("button", { type: "button", textContent: "Recorded numbers", title: "Back to the numbers that were recorded",
    disabled: true, onclick: () => { fields.forEach((f) => f.put(f.input.start[f.k], false)); changed(); } });
  inputs.forEach(show);
  bar.append(reset, still, ...[...inputs.values()].flatMap((input) => (input.grid ? [input.grid] : [])));
  still.textContent = lanes[0].drag.note || "";

  // Whether the tapes give what Python recorded: equal words, and numbers within rounding.
  function reproduced() {
    runs.forEach((run) => run.run());
    const largest = Math.max(1, ...runs.flatMap((run) => run.cells.map((c) => c.reduce((m, v) => (isFinite(v) ? Math.max(m, Math.abs(v)) : m), 0))));
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

  // The first decision of the code that would be another one.
  const decided = () => lanes.flatMap((lane, i) => (lane.drag.guards || []).filter(([cell, v]) => runs[i].cells[cell][0] !== v))[0];

  function changed() {
    runs.forEach((run) => run.run());
    fields.forEach((f) => f.node !== document.activeElement && f.say()); // a float16 is rounded when it is computed with
    const moved = fields.some((f) => !f.same()), other = decided();
    reset.disabled = !moved;
    el.classList.toggle("mg-strayed", !!other);
    el.parentElement?.querySelector(".mg-why")?.toggleAttribute("hidden", moved);
    still.textContent = other ? `Here the code decides otherwise (${other[2]}): the picture stands where it was.` : lanes[0].drag.note || "";
    if (other) return;
    lanes.forEach((lane, i) => {
      const told = retell(lane, runs[i]);
      lane.stops = moved ? told.stops : recorded[i].stops;
      lane.seeds = moved ? told.seeds : recorded[i].seeds;
      for (const [n, value] of told.values) {
        const info = lane.cards[n];
        if (!info) continue;
        info.value = full(value);
        if (info.local) info.local = told.slopes(n);
        info.bad = [];
        for (const g of lane.nodes.get(n) || []) redraw(g, info, value);
      }
      for (const [g, [edge]] of lane.lines) {
        const text = lane.factors.includes(String(edge)) && g.querySelector(".d");
        if (text) write(text, (text.textContent.startsWith("× ") ? "× " : "×") + short(told.local(edge)));
      }
      if (!moved) for (const [n, value, local, bad] of recorded[i].cards) Object.assign(lane.cards[n], { value, local, bad });
    });
    const born = lanes.flatMap((lane) => lane.stops.filter((s) => s[7] & BORN).map((s) => s[8]));
    write(nan, born.length && !born.some((words) => words.includes("nan is born")) ? "First inf" : "First nan");
    elements();
    repaint();
    if (labels) judge ??= judging({ table: el.parentElement.querySelector("table"), labels, lanes, runs });
    judge?.();
    say.style.minHeight = `${say.offsetHeight}px`; // it never shrinks, or the picture would move under the pointer
  }

  // A box with another value: its line, its tag, what is spoken of it. A value too wide for it is squeezed.
  function redraw(g, info, value) {
    if (g.dataset.n.includes(" ")) return;
    const line = g.querySelector("text.v") || [...g.querySelectorAll("text")].find((t) => t.textContent.startsWith("= "));
    const wide = g.querySelector(".b").width.baseVal.value, bad = nonfinite(value);
    if (line) {
      write(line, `= ${short(value)}`);
      const room = wide - 2 * line.getAttribute("x") + 4;
      if (line.textContent.length * 7.3 > room) line.setAttribute("textLength", room);
      else line.removeAttribute("textLength");
      line.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    shade(g, value);
    let tag = g.querySelector(".tag");
    if (bad && !tag) {
      tag = document.createElementNS(svg.namespaceURI, "g");
      tag.setAttribute("class", "tag");
      tag.setAttribute("transform", `translate(${wide - 30} -8)`);
      tag.innerHTML = '<rect width="34" height="14" rx="2"/><text x="17" y="11"></text>';
      g.append(tag);
    }
    if (tag) tag.style.display = bad ? "" : "none";
    if (tag) write(tag.querySelector("text"), isArray(value) ? bad : short(value));
    const title = g.querySelector("title");
    if (title) write(title, `${info.head}: ${info.value}`);
    g.setAttribute("aria-label", `${info.head}, value ${info.value}`);
  }

  // The elements of a small array as shaded cells: the twin of cells.py and boxes.cells_of.
  function shade(g, value) {
    const old = [...g.querySelectorAll(".q")], row = isArray(value) && +value.shape.split("×").pop();
    if (!old.length || !row) return;
    const corners = old.flatMap((path) => [...path.getAttribute("d").matchAll(/M([\d.]+)\s([\d.]+)H/g)].map((m) => [+m[1], +m[2]]));
    const left = Math.min(...corners.map((c) => c[0])), [, top] = corners[0], round = (x) => +x.toFixed(1), looks = new Map();
    const largest = Math.max(0, ...value.sample.filter(isFinite).map(Math.abs)) || 1;
    value.sample.forEach((v, i) => {
      const level = "abcd"[Math.ceil((4 * Math.abs(v)) / largest) - 1], x = round(left + 8 * i + 3 * Math.floor(i / row)), end = round(x + 8);
      const look = !isFinite(v) ? "qx" : +v === 0 ? "qz" : `q${level} ${v < 0 ? "qn" : "qp"}`, low = round(top + 11);
      const cross = isFinite(v) ? "" : `M${x} ${top}L${end} ${low}M${end} ${top}L${x} ${low}`;
      looks.set(look, (looks.get(look) || "") + `M${x} ${top}H${end}V${low}H${x}z${cross}`);
    });
    for (const [look, d] of looks) old[0].before(draw("path", { class: `q ${look}`, d }));
    old.forEach((path) => path.remove());
  }

  // The adjoint of each element of the array that is open, when the pass is over; of the last lane.
  function elements() {
    for (const input of inputs.values()) {
      if (!input.grid || input.grid.hidden) continue;
      const [i, node] = input.places[input.places.length - 1], step = lanes[i].drag.steps.find((s) => s[0] === node && !s[1]);
      input.adjoints.forEach((slot, k) => {
        const v = step ? runs[i].cells[step[2]][k] : null;
        write(slot, short(v, 3));
        slot.classList.toggle("bad", !!nonfinite(v ?? 0));
      });
    }
  }

  function put(input, k, v) {
    for (const [i, , cell] of input.places) runs[i].cells[cell][k] = v;
  }

  // A number has a field in the row. An array has a button that opens its elements, with the adjoint of each.
  function show(input) {
    const { name, shape, start } = input, group = make("span", { className: "mg-input" }, make("b", { textContent: name }));
    const cells = (made) => {
      const grid = make("span", { className: "mg-grid" }, ...start.map(made)), last = shape[shape.length - 1];
      grid.style.gridTemplateColumns = `repeat(${last > 16 ? 8 : last},auto)`;
      return grid;
    };
    if (!shape.length) group.append(field(input, 0, name));
    else {
      const label = (k) => {
        const at = [];
        for (const n of [...shape].reverse()) {
          at.unshift(k % n);
          k = Math.floor(k / n);
        }
        return `${name}[${at.join(", ")}]`;
      };
      input.adjoints = start.map((_, k) => make("output", { className: "mg-slope", ariaLabel: `adjoint of ${label(k)}` }));
      input.grid = make("div", { className: "mg-cells", hidden: true }, cells((_, k) => field(input, k, label(k))),
        make("span", { className: "mg-g", textContent: "ḡ" }), cells((_, k) => input.adjoints[k]));
      input.button = make("button", { type: "button", textContent: `${shape.join("×")} ▾`, title: "Its elements, and the adjoint of each",
        onclick: () => opened(input, input.grid.hidden) });
      input.button.setAttribute("aria-label", `Elements of ${name}`);
      input.button.setAttribute("aria-expanded", false);
      group.append(input.button);
    }
    bar.append(group);
    const first = fields.find((f) => f.input === input), enter = () => { opened(input, true); first.node.focus(); first.node.select(); };
    for (const [i, node] of input.places) for (const g of lanes[i].nodes.get(node) || []) {
      g.classList.add("mg-drag");
      if (!shape.length) scrub(g, first);
      g.addEventListener("keydown", (e) => e.key === "Enter" && enter());
      g.addEventListener("dblclick", enter);
    }
  }

  // One array is open at a time.
  function opened(input, open) {
    for (const other of inputs.values()) if (other.grid) {
      other.grid.hidden = !(open && other === input);
      other.button.setAttribute("aria-expanded", !other.grid.hidden);
    }
    elements();
  }

  function field(input, k, label) {
    const [i, , cell] = input.places[0], node = make("input", { type: "text", inputMode: "decimal", autocomplete: "off",
      spellcheck: false, className: "mg-field", size: 9 }), digits = input.shape.length ? 6 : 7;
    const f = {
      input, k, node, same: () => Object.is(f.at(), input.start[k]), at: () => runs[i].cells[cell][k],
      // One arrow key: a tenth of the power of ten of the largest element that was recorded.
      unit: 10 ** (Math.floor(Math.log10(Math.max(1e-3, ...input.start.map((v) => (isFinite(v) ? Math.abs(v) : 0))))) - 1),
      put(v, now = true) {
        put(input, k, v);
        f.say();
        if (now) changed();
      },
      say() {
        node.value = short(f.at(), digits);
        node.setAttribute("aria-valuenow", f.at());
        node.setAttribute("aria-valuetext", node.value);
        node.classList.toggle("moved", !f.same());
      },
    };
    node.setAttribute("role", "spinbutton");
    node.setAttribute("aria-label", label);
    const take = () => {
      const v = parsed(node.value);
      if (v === undefined || node.value === short(f.at(), digits)) f.say();
      else f.put(v);
    };
    node.onblur = take;
    node.onkeydown = (e) => {
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
      if (by) {
        e.preventDefault();
        f.put(+(f.at() + by * f.unit * (e.shiftKey ? 10 : e.altKey ? 0.1 : 1)).toPrecision(7));
      } else if (e.key === "Enter") take(), node.select();
      else if (e.key === "Escape") f.say(), node.blur();
    };
    scrub(node, f);
    f.say();
    fields.push(f);
    return node;
  }

  // A sideways drag of at least 3 pixels; less is a click. A pixel is a tenth of an arrow key. Touches scroll vertically.
  function scrub(node, f) {
    let from = null, frame = 0;
    node.style.touchAction = "pan-y";
    node.addEventListener("pointerdown", (e) => { if (!e.button) from = { x: e.clientX, v: isFinite(f.at()) ? f.at() : 0, on: false }; });
    node.addEventListener("pointermove", (e) => {
      const dx = from && e.clientX - from.x;
      if (!from || (!from.on && Math.abs(dx) < 3)) return;
      if (!from.on) {
        from.on = true;
        node.setPointerCapture(e.pointerId);
        hushed(true);
      }
      e.preventDefault();
      const unit = (f.unit / 10) * (e.shiftKey ? 10 : e.altKey ? 0.1 : 1), v = +(Math.round((from.v + dx * unit) / unit) * unit).toPrecision(7);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => f.put(v));
    });
    const end = () => {
      if (from?.on) {
        hushed(false);
        node.dataset.dragged = 1;
        setTimeout(() => delete node.dataset.dragged);
      }
      from = null;
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
    node.addEventListener("click", (e) => { if (node.dataset.dragged) e.stopImmediatePropagation(); }, true);
  }

  // While a drag runs the sentence is not spoken; when it ends, it is.
  function hushed(on) {
    el.classList.toggle("mg-scrubbing", on);
    say.setAttribute("aria-live", on ? "off" : "polite");
    if (!on) say.append(...say.childNodes);
  }

  say.before(bar);
}
