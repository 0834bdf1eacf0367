// A question about the picture: a box or arrows to click, or numbers to type into boxes. Until it is answered a backward
// pass is held at its start, and a forward pass shows the whole; then the answer is judged, and the pass is played.
//
// ask = {kind, boxes, words, salt, known: [[hash, right, sealed sentence]], step, otherwise}: see Question in
// minigrad/classroom/questions.py, whose keys are made here again. Without a salt nothing is judged, and an arrow counts
// as soon as it is chosen. The model is told `chosen`, the ends of arrows one after the other, `clicked` or `typed`.
function asking({ ask, lane, stage, model, show, play, last, say }) {
  const { kind, boxes = [], salt } = ask, { forward } = lane.window, typing = kind.startsWith("number");
  const several = kind === "edges" || kind === "order", what = typing ? "typed" : kind === "box" ? "clicked" : "chosen";
  const name = (n) => lane.cards[n].name, pairs = (flat) => flat.flatMap((end, i) => (i % 2 ? [] : [[end, flat[i + 1]]]));
  const real = (s) => s[2] >= 0 && !(s[7] & (GHOST | VERDICT)), same = (a, b) => String(a) === String(b);
  const ends = new Map((forward ? lane.graph.edges.filter((e) => lane.graph.nodes[e.src].kind !== "const").map((e) => [e.id, e.src, e.dst])
    : lane.stops.filter(real).map((s) => [s[2], s[1], s[3]])).map(([e, a, b]) => [e, [name(a), name(b)]]));
  const spoken = (given) => (Array.isArray(given) ? `${given[0]} ${forward ? "goes into" : "sends to"} ${given[1]}` : given);
  const read = () => { const now = model.get(what) ?? []; return what === "chosen" ? pairs(now) : [...now]; };
  let given = read(), open = false, ticked = []; // of several arrows the numbers of their ticks

  const choices = kind === "box" ? [...new Set(lane.graph.nodes.filter((n) => n.kind !== "const" && !n.ghost).map((n) => name(n.id)))]
    : kind === "order" ? [...ends.values()] : [...new Map([...ends.values()].map((pair) => [String(pair), pair])).values()];
  if (kind !== "edge") choices.sort((a, b) => (spoken(a) < spoken(b) ? -1 : 1)); // in no order that tells
  const edgesOf = choices.map((pair, i) => { // of an order each of several arrows with the same ends has its tick
    const twins = [...ends].filter(([, other]) => same(other, pair)).map(([e]) => e);
    return kind === "order" ? [twins[choices.slice(0, i).filter((other) => same(other, pair)).length]] : twins;
  });
  const form = make("form", { className: "mg-ask" }), told = make("p", { role: "status" }), noun = kind === "box" ? "box" : "arrow";
  const list = several || typing ? null : make("select", { onchange: () => choose(list.value === "" ? [] : [choices[list.value]]) },
    make("option", { value: "", textContent: "none" }), ...choices.map((one, i) => make("option", { value: i, textContent: spoken(one) })));
  const ticks = several ? choices.map((pair, i) => {
    const box = make("input", { type: "checkbox", onchange: () => tick(i) }), text = make("span");
    return { pair, box, text, label: make("label", { className: "mg-tick" }, box, text) };
  }) : [];
  const fields = typing ? boxes.map((box, i) => make("input", { type: "text", inputMode: "decimal", autocomplete: "off", className: "mg-slot",
    ariaLabel: `${forward ? "The number for" : "The gradient of"} ${box}`, value: given[i] ?? "" })) : [];
  form.append(make("span", { className: "mg-words", textContent: ask.words || "" }));
  if (list) form.append(make("label", {}, make("span", { textContent: `The ${noun} that you choose:` }), list));
  form.append(...ticks.map(({ label }) => label));
  const check = make("button", { textContent: "Check" }), over = make("div", { className: "mg-over" }, ...fields);
  if (salt) form.append(check);
  form.append(told);
  form.onsubmit = (e) => { e.preventDefault(); open ? again() : answer(); };
  for (const field of fields) field.onkeydown = (e) => { if (e.key === "Enter") { e.preventDefault(); answer(); } };
  say.after(form, over);

  // An arrow of several is taken up, or laid aside if it was.
  function tick(i) {
    ticked = ticked.includes(i) ? ticked.filter((other) => other !== i) : [...ticked, i];
    choose(ticked.map((j) => choices[j]));
  }

  function choose(now) {
    given = now;
    if (!salt) tellModel();
    told.textContent = "";
    if (!salt) open = given.length > 0;
    show(open || forward ? last() : 0);
    if (!salt) show(0);
    if (list) list.focus({ preventScroll: true });
  }

  // What is judged is told when it is checked, and not at each click on the way.
  function tellModel() {
    model.set(what, given.flat());
    model.save_changes();
  }

  async function answer() {
    if (typing) {
      const empty = fields.find((field) => parsed(field.value) === undefined);
      if (empty) { told.textContent = `Type a number into the box ${boxes[fields.indexOf(empty)]}.`; return empty.focus(); }
      given = fields.map((field) => String(parsed(field.value)).replace("NaN", "nan").replace("Infinity", "inf"));
    }
    if (!given.length) { told.textContent = `Choose ${several ? "the arrows" : `a ${noun}`} first: click, or take from the list.`.replace("a arrow", "an arrow"); return; }
    tellModel();
    const [right, words] = await verdict();
    const kernel = "widget_manager" in model ? "" : " No kernel knows it: run the cell of this picture again.";
    told.replaceChildren(make("b", { textContent: right === null ? "Noted." : right ? "Right." : "Not yet." }), ` ${words}${kernel}`);
    told.dataset.right = right;
    told.prepend(typing ? `You typed ${given.join(", ")}. ` : "");
    lock(true);
    play();
  }

  // The pass is held again, and everything can be changed.
  function again() {
    lock(false);
    told.textContent = "";
    for (const field of fields) field.value = "";
    fields[0]?.focus();
  }

  function lock(now) {
    open = over.hidden = now;
    check.textContent = now ? "Answer again" : "Check";
    for (const one of [list, ...ticks.map(({ box }) => box)]) if (one) one.disabled = now;
    stage.classList.toggle("mg-judged", now);
    show(0);
  }

  async function verdict() {
    if (!crypto.subtle) return [null, "This page cannot judge it; the check says whether it is right."]; // of a server without https
    if (kind === "order") {
      const early = tooEarly();
      return [!early, early || await unseal(ask.known[0][2], "in order")];
    }
    for (const key of keys()) {
      const hash = await digest(`${salt}\0recognised by\0${key}`), hex = [...hash].map((b) => b.toString(16).padStart(2, "0")).join("").slice(0, 24);
      const found = ask.known.find(([known]) => known === hex);
      if (found) return [found[1], await unseal(found[2], key)];
    }
    return [false, ask.otherwise];
  }

  // The keys under which the answer may be known, the nearest first: Question._keys.
  function keys() {
    if (kind === "box") return given;
    if (!typing) return [given.map((pair) => pair.join(" -> ")).sort().join(", ")];
    const numbers = fields.map((field) => parsed(field.value) + 0), { step } = ask, even = (q) => { const r = Math.round(q); return r - q === 0.5 && r % 2 ? r - 1 : r; };
    const key = (v, by = 0) => (step && isFinite(v) ? `#${even(v / step) + by}` : python(v));
    if (kind === "numbers" || !step || !isFinite(numbers[0])) return [numbers.map((v) => key(v)).join(" ")];
    return Array.from({ length: 17 }, (_, i) => key(numbers[0], (i % 2 ? -1 : 1) * Math.ceil(i / 2)));
  }

  // The first message of the order that cannot be sent when its turn comes: too_early in Python.
  function tooEarly() {
    const waiting = [...ends.values()];
    for (const [from, to] of given) {
      const late = waiting.find((pair) => pair[1] === from);
      if (late) return `${from} sends to ${to} before it has the message from ${late[0]}.`;
      waiting.splice(waiting.findIndex((pair) => same(pair, [from, to])), 1);
    }
    return waiting.length ? `${waiting[0][0]} has not sent to ${waiting[0][1]}: put every message in order.` : "";
  }

  async function digest(text) {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  }

  async function unseal(box, key) {
    const bytes = Uint8Array.from(atob(box), (c) => c.charCodeAt(0));
    for (let i = 0; i < bytes.length; i += 32) {
      const stream = await digest(`${salt}\0opened by\0${key}\0${i / 32}`);
      for (let j = i; j < Math.min(i + 32, bytes.length); j++) bytes[j] ^= stream[j - i];
    }
    return new TextDecoder().decode(bytes);
  }

  const nodeNamed = (box) => lane.graph.nodes.find((n) => name(n.id) === box);
  const boxAt = (e) => open || kind !== "box" ? null : e.target.closest("[data-n]");
  for (const type of ["click", "keydown", "focusin"]) stage.addEventListener(type, (e) => {
    const box = (type !== "keydown" || e.key === "Enter") && boxAt(e);
    if (!box) return;
    e.stopImmediatePropagation(); // it chooses, and shows no card
    if (type === "focusin") return;
    e.preventDefault();
    choose([name(+box.dataset.n)]);
  }, true);
  stage.addEventListener("click", (e) => {
    const edge = +e.target.closest(".aim")?.dataset.edge;
    if (ends.has(edge) && !(open && salt)) several ? tick(edgesOf.findIndex((edges) => edges.includes(edge))) : choose([ends.get(edge)]);
  });
  model.on(`change:${what}`, () => {
    const now = read();
    if (same(now, given)) return;
    given = now;
    ticked = [];
    for (const pair of given) if (several) ticked.push(choices.findIndex((other, i) => same(other, pair) && !ticked.includes(i)));
    fields.forEach((field, i) => { field.value = given[i] ?? ""; });
    if (!salt) open = given.length > 0;
    show(0);
  });

  return {
    until: (to) => (open ? to : forward ? last() : 0),
    // Thin lines are hard to hit: each has a broad one above it. A field is where its box will have the number; a stage
    // that is not shown, as while the theme changes, has no width and no end.
    repainted() {
      if (kind === "box") for (const g of stage.querySelectorAll(".n")) g.classList.toggle("mg-pick", given.includes(name(+g.dataset.n)));
      if (what === "chosen") for (const g of lane.svg.querySelectorAll("path.e[data-e]")) if (ends.has(+g.dataset.e)) {
        const at = edgesOf.findIndex((edges) => edges.includes(+g.dataset.e)), number = several ? ticked.indexOf(at) + 1 : same(given[0], choices[at]);
        const broad = draw("path", { class: `aim${number ? " pick" : ""}`, d: g.getAttribute("d"), "data-edge": g.dataset.e });
        g.after(broad);
        if (kind !== "order" || !number) continue;
        const { x, y } = broad.getPointAtLength(broad.getTotalLength() / 2);
        broad.after(draw("circle", { class: "mg-no", cx: x, cy: y, r: 9 }), draw("text", { class: "mg-no c", x, y: y + 4 }, number));
      }
      fields.forEach((field, i) => {
        const node = nodeNamed(boxes[i]), pill = lane.graph.edges.find((e) => e.src === node.id);
        const { boxes: rooms, across } = lane.scene, box = rooms[`n${node.id}`], room = box ?? rooms[`e${pill?.id}`];
        const foot = box ? Math.max(36, box[3] - 26) : node.shape && !across ? room?.[3] - 2 : 17;
        field.hidden = !room;
        if (room) Object.assign(field.style, placed(...room, foot, stage.clientWidth || Infinity));
      });
    },
    asked() {
      if (list) list.value = given.length ? choices.findIndex((one) => same(one, given[0])) : "";
      ticks.forEach(({ pair, box, text }, i) => {
        box.checked = ticked.includes(i);
        text.textContent = `${kind === "order" && box.checked ? `${ticked.indexOf(i) + 1}. ` : ""}${spoken(pair)}`;
      });
      if (salt || typing) return;
      const how = "widget_manager" in model ? "" : " No kernel knows it: run the cell of this picture again.";
      say.prepend(make("p", { textContent: given.length ? `You chose: ${spoken(given[0])}.${how}` : "Choose an arrow: click it, or take it from the list." }));
    },
  };
}

// The place of a field: `foot` pixels below the top of its box, and so below its name and its value; next to or above a low pill.
function placed(x, y, wide, high, foot, most) {
  const across = Math.max(2, Math.min(most - 78, x + wide / 2 - 36));
  const [left, top] = high >= 34 ? [across, y + foot] : y > 30 ? [across, y - 25] : [x + wide + 79 > most ? x - 77 : x + wide + 3, y];
  return { left: `${left}px`, top: `${top}px` };
}

// A number as Python writes it.
function python(v) {
  if (!isFinite(v)) return isNaN(v) ? "nan" : v < 0 ? "-inf" : "inf";
  const [digits, power] = v.toExponential().split("e"), [size, exp] = [Math.abs(power), +power];
  if (exp < -4 || exp >= 16) return `${digits}e${exp < 0 ? "-" : "+"}${String(size).padStart(2, "0")}`;
  const text = v.toFixed(Math.max(0, digits.replace(/\D/g, "").length - 1 - exp));
  return text.includes(".") ? text : `${text}.0`;
}
