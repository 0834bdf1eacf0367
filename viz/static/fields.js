// The fields of the inputs. A number has one in the row; an array has a button that opens its elements, with the adjoint
// of each. An input may stand in several lanes: `places` are rows [lane, node, cell].

// The inputs of all lanes by name. Inputs of one name in two lanes are one where they begin with the same numbers.
function inputsOf(lanes, runs) {
  const inputs = new Map();
  lanes.forEach((lane, i) => lane.drag.inputs.forEach(([node, cell]) => {
    let name = lane.cards[node]?.name ?? lane.drag.names[node];
    const axes = lane.drag.ops[node][2], start = [...runs[i].cells[cell]], known = inputs.get(name);
    if (known && !known.start.every((v, k) => Object.is(v, start[k]))) name += ` (${lane.name})`;
    if (!inputs.has(name)) inputs.set(name, { name, shape: axes ? axes.split("×").map(Number) : [], places: [], start });
    inputs.get(name).places.push([i, node, cell]);
  }));
  return [...inputs.values()];
}

// `changed` is called after each change. Returns {row, grids, all, adjoints(), at(lane, node), enter(lane, node)}: what
// stands in the row and below it, each field, what writes the gradients of the array that is open, the field of the number
// in a box, what brings the reader to the fields of an input, and what an element is `called`. `chosen(node, k)` is called
// for an element whose field is entered.
function fieldsOf({ lanes, runs, hush, changed, chosen = () => {} }) {
  const inputs = inputsOf(lanes, runs), all = [], row = inputs.map(show);
  const inputOf = (lane, node) => inputs.find(({ places }) => places.some(([i, n]) => i === lane && n === node));
  return {
    row, grids: inputs.flatMap((input) => input.grid || []), all, adjoints,
    at: (lane, node) => { const input = inputOf(lane, node); return input && !input.shape.length ? input.first : null; },
    enter(lane, node) {
      const input = inputOf(lane, node);
      opened(input, true);
      input.first.node.focus();
      input.first.node.select();
    },
    has: (lane, node) => !!inputOf(lane, node),
    called: (lane, node, k) => inputOf(lane, node).fields[k].node.ariaLabel,
  };

  // The adjoint of each element when the pass is over, in the last lane.
  function adjoints() {
    for (const { grid, places, slots } of inputs) {
      if (!grid || grid.hidden) continue;
      const [i, node] = places[places.length - 1], step = lanes[i].drag.steps.find((s) => s[0] === node && !s[1]);
      slots.forEach((slot, k) => {
        const v = step ? runs[i].cells[step[2]][k] : null;
        write(slot, short(v, 3));
        slot.ariaLabel = `${slot.title}, ${short(v)}`;
        slot.classList.toggle("bad", !!nonfinite(v ?? 0));
      });
    }
  }

  function show(input) {
    const { name, shape, start } = input, group = make("span", { className: "mg-input" }, make("b", { textContent: name }));
    const cells = (made) => {
      const grid = make("span", { className: "mg-grid" }, ...start.map(made)), last = shape[shape.length - 1];
      grid.style.gridTemplateColumns = `repeat(${last > 16 ? 8 : last},auto)`;
      return grid;
    };
    const label = (k) => {
      const at = [];
      for (const n of [...shape].reverse()) {
        at.unshift(k % n);
        k = Math.floor(k / n);
      }
      return `${name}[${at.join(", ")}]`;
    };
    const fields = start.map((_, k) => field(input, k, shape.length ? label(k) : name)), nodes = fields.map((f) => f.node);
    [input.fields, input.first] = [fields, fields[0]];
    if (!shape.length) group.append(nodes[0]);
    else {
      input.slots = start.map((_, k) => make("span", { className: "mg-slope", role: "note", title: `gradient of ${label(k)}` }));
      input.grid = make("div", { className: "mg-cells", hidden: true }, cells((_, k) => nodes[k]),
        make("span", { className: "mg-g", textContent: "ḡ" }), cells((_, k) => input.slots[k]));
      input.button = make("button", { type: "button", textContent: `${shape.join("×")} ▾`, title: "Its elements, and the gradient of each",
        onclick: () => opened(input, input.grid.hidden), ariaLabel: `Elements of ${name}`, ariaExpanded: false });
      group.append(input.button);
    }
    return group;
  }

  // One array is open at a time.
  function opened(input, open) {
    for (const other of inputs) if (other.grid) {
      other.grid.hidden = !(open && other === input);
      other.button.ariaExpanded = !other.grid.hidden;
    }
    adjoints();
  }

  function field(input, k, label) {
    const [i, box, cell] = input.places[0], digits = input.shape.length ? 6 : 7;
    const node = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false, className: "mg-field", size: 9,
      role: "spinbutton", ariaLabel: label });
    const f = {
      node, same: () => Object.is(f.at(), input.start[k]), at: () => runs[i].cells[cell][k],
      steps: () => stepsFrom(f.at(), runs[i].cells[cell], input.start, { d: 15, e: 3 }[runs[i].types[cell]] || 7),
      set: (v) => input.places.forEach(([at, , c]) => { runs[at].cells[c][k] = v; }),
      put: (v) => { f.set(v); changed(); },
      take() {
        const v = parsed(node.value);
        if (v === undefined || node.value === short(f.at(), digits)) f.say();
        else f.put(v);
      },
      reset: () => f.set(input.start[k]),
      say() {
        node.value = short(f.at(), digits);
        Object.assign(node, { ariaValueNow: f.at(), ariaValueText: node.value });
        node.classList.toggle("moved", !f.same());
      },
    };
    let keys = null; // a run of keys: it ends where the field is left, or anything else changes the number
    f.pressed = (e) => {
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
      if (!by) return false;
      e.preventDefault();
      f.take();
      if (!keys || !Object.is(keys.at, f.at())) keys = { steps: f.steps(), tenths: 0 };
      keys.tenths += by * (e.shiftKey ? 100 : e.altKey ? 1 : 10);
      f.put(keys.steps.keys(keys.tenths));
      keys.at = f.at();
      return true;
    };
    node.onfocus = () => chosen(box, k);
    node.onblur = () => { keys = null; f.take(); };
    node.onkeydown = (e) => {
      if (f.pressed(e)) return;
      if (e.key === "Enter") f.take(), node.select();
      else if (e.key === "Escape") {
        f.say();
        e.stopPropagation(); // the notebook hears the next one
        node.blur();
        lanes[i].svg.querySelector(`[data-n="${box}"]`)?.focus({ preventScroll: true });
      }
    };
    scrub(node, () => f, hush);
    f.say();
    all.push(f);
    return f;
  }
}
