// The player: draws a pass at the moment that the reader chose, in the window at hand. It never computes a gradient.
// The same module runs in a plain page and as a widget: `render({model, el})` with model.get("view") = {lanes, css, ...}
// and model.get("stop").
//
// `part` adds to the picture what follows it: part({view, lane, ...}) -> {element, shown(stop), picked(nodes)}.
const HIGH = 440, TALL = 720; // pixels of the picture at most, and where the window is narrow
const KEYS = "Left and Right step; Up, Down, or Alt and arrows walk over boxes. Enter opens a frame or an input, which Up and Down change.";

function render({ model, el, part }) {
  const view = model.get("view"), { unit } = view;
  let ghosts = true, untouched = true, lit = { nodes: [], edges: [] }, timer = null, at = 0, drawn = -1, focus = null;

  el.classList.add("mgv", "mg-view");
  el.role = "group";
  el.ariaLabel = view.title;
  const stage = make("div", { className: "mg-stage" });
  // They are copies: the same view may be shown a second time after its numbers were changed here.
  const lanes = structuredClone(view.lanes).map((lane, i) => {
    for (const card of Object.values(lane.cards)) card.head ??= card.name;
    const svg = draw("svg", { class: "mgv", "data-lane": i, role: "group", "aria-description": KEYS });
    if (lane.name) stage.append(make("div", { className: "mg-name", textContent: lane.name }));
    stage.append(svg);
    const marks = Object.fromEntries(lane.marked.map((key) => [key, true]));
    const found = { ...lane, svg, marks, scene: new Scene(lane.graph), value: {}, shades: {}, slope: {}, boxes: [] };
    found.stops = found.pass = found.kept = lane.stops.map((s) => expand(lane, s));
    found.wiggles = view.modes?.includes("wiggle");
    found.ink = inkOf(found);
    found.seen = { opened: [...lane.open], shut: {}, turns: { ...lane.turns }, picked: "" };
    return found;
  });

  // The slider runs over the stops that are shown: all, or those of the real pass.
  let shown = [];
  const rows = (lane) => lane.stops.map((s, k) => k).filter((k) => !(lane.stops[k][7] & (ghosts ? SKIPPED : SKIPPED | GHOST)));
  const length = () => Math.max(...shown.map((r) => r.length));
  const stopOf = (i) => shown[i][Math.min(at, shown[i].length - 1)];

  let width = 0; // of the stage, read when it changes: to read it between two changes of the page would lay out both
  const camera = cameraOf(stage, () => ({ wide: room(), high: lanes[0].high ?? HIGH, most: tallest() }), () => { repaint(); });
  const bar = make("div", { className: "mg-bar" }), more = make("div", { className: "mg-more", hidden: true });
  const playButton = button("play", "Play", () => (timer ? pause() : play()));
  const slider = make("input", { type: "range", min: 0, step: 1, oninput: () => { pause(); show(+slider.value); } });
  slider.ariaLabel = unit[0].toUpperCase() + unit.slice(1);
  const count = make("span", { className: "mg-count" }), ink = make("span", { className: "mg-ink" });
  const first = button("first", "To the start", () => { pause(); show(0); });
  const back = button("back", `One ${unit} back`, () => { pause(); show(at - 1); });
  const next = button("next", `One ${unit} forward`, () => { pause(); show(at + 1, true); });
  const last = button("last", "To the end", () => { pause(); show(length() - 1); });
  bar.append(back, playButton, next, slider, count);

  // Where a nan first appears, or else an inf: the word, and the place of the slider.
  const birth = () => ["nan", "inf"].map((word) => [word, Math.min(...shown.map((r, i) => r.findIndex((k) => lanes[i].stops[k][7] & BORN && lanes[i].stops[k][8].includes(`${word} first appears`)) >>> 0))]).find(([, k]) => k < length());
  const nan = make("button", { type: "button", className: "mg-nan",
    onclick: () => { pause(); drawn = -1; untouched = false; show(birth()[1]); } });
  bar.append(nan);
  if (view.ghosts) {
    const toggle = make("button", { type: "button", textContent: "Ghost",
      title: "What the rule replaced",
      onclick: () => { ghosts = !ghosts; toggle.ariaPressed = ghosts; recount(); } });
    toggle.ariaPressed = ghosts;
    bar.append(toggle);
  }
  const details = make("button", { type: "button", textContent: "⋯", title: "More", ariaLabel: "More", ariaExpanded: false,
    onclick: () => { more.hidden = !more.hidden; details.ariaExpanded = !more.hidden; } });
  const nearer = (by) => camera.to(by ? camera.zoom * 1.4 ** by : 1);
  bar.append(make("span", { className: "mg-zoom" }, ink, button("out", "Farther (-)", () => nearer(-1)),
    button("in", "Nearer (+)", () => nearer(1)), button("whole", "The whole (0)", () => nearer(0)), details));
  const speed = make("select", { ariaLabel: "Speed" }, ...[["slow", 2], ["normal", 1], ["fast", 0.4]].map(([t, v]) =>
    make("option", { value: v, textContent: t, selected: t === "normal" })));
  const find = make("input", { type: "search", placeholder: "Find", oninput: () => search(find.value) });
  find.ariaLabel = "Find a node";
  // It returns nothing: false would keep the key from the field.
  find.onkeydown = (e) => { if (e.key === "Enter" && find.value) go(stage.querySelector(".n:not(.dim)") ?? stage.querySelector(".f:not(.dim)")); };
  const save = make("button", { type: "button", textContent: "Save as SVG", onclick: () => saved(lanes, view) });
  more.append(first, last, make("label", {}, "Speed ", speed), find, save, make("small", { textContent: KEYS }));

  // The reason that the report below the picture has is not said twice.
  const told = (words) => words.replace(/( appears here \(.*?\)): (.*)\.$/, (all, born, why) =>
    el.parentElement?.querySelector(".mg-report")?.textContent.includes(why) ? `${born}.` : all);
  const say = make("div", { className: "mg-say", role: "status", ariaLive: "polite" });
  const card = make("section", { className: "mg-card", hidden: true });
  // What is saved below a widget, for when it cannot be shown, is hidden while it is.
  const style = make("style", { textContent: `${view.css} [data-saved="${model.get("saved") ?? ""}"]{display:none}` });
  let film = !!view.film, mode = view.mode; // of a view that has modes
  const beside = part?.({
    view, stage, lane: lanes[0], unpick, light,
    go: (k) => { pause(); show(shown[0].indexOf(k)); },
  });
  el.prepend(style, say, beside ? beside.element : stage, bar, more, card);
  if (lanes[0].drag) dragging({ lanes, labels: view.labels, verdicts: view.verdicts, rule: view.rule, el, stage, more, say, repaint: recount, asks: view.predict || view.ask, chosen: (n, k) => lanes[0].measured !== undefined && wiggles(lanes[0], n, k) });

  // Below the text of a long pass its messages are listed once it is opened.
  const twin = el.parentElement?.querySelector(":scope>details pre");
  if (/^\.\.\./m.test(twin?.textContent)) twin.parentElement.ontoggle = () => twin.nextSibling || twin.after(make("pre", { tabIndex: 0,
    textContent: lanes.flatMap(({ cards, kept }) => kept.map((s) => `\n${s[8] || `${cards[s[1]].name} sends ${s[4]} to ${cards[s[3]].name}.`}`)).join("") }));

  // Of arrays the wiggle is measured, with the numbers that the page computes.
  if (view.modes && !lanes[1] && lanes[0].run && lanes[0].graph.arrays) lanes[0].measured = lanes[0].drag.inputs[0][0];
  const modes = (view.modes || []).flatMap((m) => (m === "values" && lanes[0].measured !== undefined ? [m, "wiggle"] : m !== "wiggle" || lanes[0].slopeNow ? [m] : [])), panel = el.querySelector(":scope>.mg-rule");
  const switched = modes.length > 1 ? switchOf(modes, (to) => {
    pause();
    const part = untouched ? 1 : at / Math.max(1, length() - 1); // it opens at a nan, if there is one
    [film, mode, drawn] = [false, to, -1];
    recount(part);
  }) : null;
  if (switched) style.after(switched.node);
  if (!modes.includes(mode)) mode = "gradient";

  const ask = view.predict ? predicting({ kind: view.predict, lane: lanes[0], stage, model, shown: () => shown[0], show, next, say })
    : view.ask && asking({ ask: view.ask, lane: lanes[0], stage, model, show, play, last: () => length() - 1, say });

  function tallest() {
    return room() < 500 ? TALL : lanes.length > 1 ? HIGH / 2 : HIGH;
  }

  function room() {
    return Math.max(220, Math.min(1150, width || stage.clientWidth || 900));
  }

  // What is shown: in the opening first values, then gradients, and at its end the rule.
  const sightOf = (ended) => (!film ? mode : stopOf(0) < lanes[0].grown ? "values" : ended && panel ? view.film : "gradient");

  const sightNow = () => sightOf(at === length() - 1);
  // What rules make of the picture; a comparison stays that of the two rules that it has.
  const ruledNow = () => !lanes[1] && sightNow() === "rule" && lanes[0].ruled;

  // part: the fraction of the way where the slider is then.
  function recount(part) {
    for (const lane of lanes) switched ? modal(lane, film ? "film" : mode) : (lane.stops = lane.pass);
    shown = lanes.map(rows);
    if (part !== undefined) at = Math.round(part * (length() - 1));
    slider.max = length() - 1;
    nan.hidden = !birth();
    if (birth()) write(nan, `First ${birth()[0]}`);
    for (const lane of lanes) lane.ink = inkOf(lane);
    ink.innerHTML = lanes[0].window.forward ? "" : inkScale(lanes[0].ink, mode === "wiggle" ? "moves δ" : "gradient ḡ");
    show(Math.min(at, length() - 1));
  }

  function show(to, moving) {
    const before = at;
    at = Math.max(0, Math.min(length() - 1, to));
    at = ask?.until(at) ?? at;
    slider.value = at;
    if (at !== drawn) lanes.forEach((lane, i) => follow(lane, lane.stops[stopOf(i)]));
    drawn = at;
    repaint();
    const active = lanes.map(({ scene, state }) => scene.boxes[state.active]).find(Boolean);
    if (active && at !== before) camera.look(active);
    const stop = lanes[0].stops[stopOf(0)], ended = at === length() - 1;
    const sight = sightNow(), forward = lanes[0].window.forward || sight === "values" || sight === "wiggle";
    ink.style.visibility = sight === "values" ? "hidden" : ""; // its place is kept, so that no button moves
    const from = forward && !film ? 1 : 0, place = `${at + from} of ${length() - 1 + from}`; // boxes count from 1
    count.textContent = place;
    slider.ariaValueText = `${unit} ${place}`;
    const words = lanes.map((lane, i) => {
      const over = at >= shown[i].length && lanes.length > 1;
      const p = make("p", {}, over && !forward ? "The pass is complete." : (ended && !ask && !forward && (el.classList.contains("mg-moved") || !view.point) && lane.run && ratesOf(lane)) || told(lane.stops[stopOf(i)][8]));
      const fold = lane.stops[stopOf(i)][10];
      if (fold && !over) p.prepend(foldOf(fold));
      if (lane.name) p.prepend(make("b", { textContent: `${lane.name}: ` }));
      return p;
    });
    // The point is that of the recorded numbers, or of a comparison's present ones: at the end, and where the picture opens
    // on the birth of a nan.
    untouched &&= at === before;
    const moved = el.classList.contains("mg-moved"), point = (ended || (untouched && !moved && stop[7] & BORN)) && !ask && !forward && (moved ? el.point : view.point);
    say.replaceChildren(...(point ? [make("p", { textContent: point })] : words));
    const rules = !film && ruledNow() && ruledWords(lanes[0], ended);
    if (rules) say.replaceChildren(make("p", { textContent: rules }));
    if (film && sight === "rule") say.append(make("p", {}, make("b", { textContent: "Your turn: " }), "write a rule below."));
    if (switched) switched.radios[sight].checked = true;
    if (panel && switched) panel.hidden = sight !== "rule";
    ask?.asked();
    say.classList.toggle("bad", lanes.some((lane, i) => lane.stops[stopOf(i)][7] & (BAD_MESSAGE | BAD_ADJOINT)));
    // Not disabled, which would take the focus away from who presses them.
    for (const b of [first, back]) b.ariaDisabled = at === 0;
    for (const b of [last, next]) b.ariaDisabled = ended;
    // A note that would give away what is told message by message.
    const note = el.parentElement?.querySelector(":scope>.mg-last");
    if (note) note.hidden = !ended;
    beside?.shown(stopOf(0));
    if (moving && at === before + 1) lanes.forEach((lane, i) => {
      const [, , edge, , message] = lane.stops[stopOf(i)];
      if (edge >= 0) fly(lane.svg, edge, message);
    });
    model.set("stop", at);
    model.set("step", stop[0]);
    model.save_changes();
  }

  // The turn of a loop in which a step is, is the one that is drawn; a birth in a closed frame opens it.
  function follow(lane, stop) {
    const key = `n${stop[1]}`;
    drawTurns(lane, key);
    for (const frame of Object.values(lane.graph.frames)) if (frame.holds[key]) {
      if (!(stop[7] & BORN) || !frame.key || frame.as.endsWith("/t")) continue;
      if (!lane.seen.opened.includes(frame.as)) lane.seen.opened.push(frame.as);
      delete lane.seen.shut[frame.as];
    }
  }

  // Of each loop around a node the turn is drawn in which it is.
  function drawTurns(lane, key) {
    for (const frame of Object.values(lane.graph.frames)) if (frame.holds[key]) {
      const loop = lane.graph.frames[frame.up];
      if (loop?.turns.includes(frame.key)) turnTo(lane, loop, loop.turns.indexOf(frame.key));
    }
  }

  // Another turn of a loop is drawn. A box that was picked in the last one is picked in this one.
  function turnTo({ graph: { frames, nodes }, seen }, loop, to) {
    const turn = Math.max(0, Math.min(loop.turns.length - 1, to)), inside = (t) => frames[loop.turns[t]].nodes;
    const same = inside(turn)[inside(seen.turns[loop.key] || 0).indexOf(+seen.picked.slice(1))];
    seen.turns[loop.key] = turn;
    if (!seen.picked || same === undefined) return;
    if (focus?.key === `${seen.picked} `) focus.key = `n${same} `;
    seen.picked = `n${same}`;
  }

  function repaint() {
    const wide = room(), most = tallest(), held = stage.contains(document.activeElement);
    lanes.forEach((lane, i) => {
      const k = stopOf(i), { scene, svg } = lane, plain = stateOf(lane, k, ghosts, lane.seen), ruled = ruledNow();
      const state = (lane.state = ruled ? ruledState(lane, plain) : plain);
      const drawn = (room) => scene.draw({ ...lane.window, wide: room, high: camera.zoom === 1 ? most : lane.high, zoom: camera.zoom, x: camera.x, y: camera.y, scale: lane.ink }, state);
      let body = drawn(wide);
      if (ruled && camera.zoom === 1 && besideRules(lane, wide)) body = drawn(wide - besideRules(lane, wide));
      if (camera.zoom === 1) lane.high = scene.bottom;
      const bottom = camera.seen({ high: lane.high ?? scene.bottom, most }), foot = bottom + (ruled ? roomOfRules(lane) : 0), high = foot + camera.below();
      for (const [name, value] of [["width", wide], ["height", high], ["viewBox", `0 0 ${wide} ${high}`]]) svg.setAttribute(name, value);
      svg.innerHTML = `<rect class='paper' width='${wide}' height='${high}'/>${body}${camera.mapped(Object.values(scene.boxes), scene.boxes[state.active], foot)}`;
      if (ruled) drawRules(lane, bottom, wide);
      lane.drawn = nameBoxes(lane, k === lane.stops.length - 1);
    });
    // One box is reached by Tab: the one that had the focus, else the result.
    const all = lanes.flatMap((lane) => lane.drawn), result = (g) => laneOf(g).graph.nodes[g.dataset.n]?.output;
    const stop = all.find((g) => focus && laneOf(g) === focus.lane && spotOf(g) === focus.key) ?? all.find(result) ?? all.at(-1);
    stop?.setAttribute("tabindex", 0);
    if (held) stop?.focus({ preventScroll: true });
    if (find.value) search(find.value);
    fill();
    relight();
    el.repainted?.();
    ask?.repainted?.();
  }

  function play() {
    if (at === length() - 1) show(0);
    playButton.replaceChildren(icon("pause"));
    playButton.ariaLabel = (playButton.title = "Pause");
    const pause_for = Math.max(60, Math.min(film ? 1600 : 1100, (film ? 20000 : 15000) / length())), stride = Math.max(1, Math.round(length() / 240));
    const tick = () => {
      if (!el.isConnected || at === length() - 1) return pause();
      if (!stage.classList.contains("mg-away")) show(at + stride, pause_for > 500);
      timer = setTimeout(tick, pause_for * speed.value);
    };
    timer = setTimeout(tick, 200);
  }

  // The sentence never shrinks, or what is below it would move under the pointer.
  function pause() {
    say.style.minHeight = `${say.getBoundingClientRect().height}px`;
    clearTimeout(timer);
    timer = null;
    playButton.replaceChildren(icon("play"));
    playButton.ariaLabel = (playButton.title = "Play");
  }

  function unpick() {
    for (const { seen } of lanes) seen.picked = "";
    stage.querySelectorAll(".picked").forEach((g) => g.classList.remove("picked"));
    fill();
  }

  // Another input, or another element of one, is the one that wiggles.
  function wiggles(lane, n, k) {
    if (lane.source === n && (lane.element ?? 0) === k) return;
    [lane.source, lane.element] = [n, k];
    if (mode !== "wiggle" || film) return;
    drawn = -1;
    recount();
  }

  const laneOf = (g) => lanes[+g.closest("svg").dataset.lane];

  // The card of what is picked.
  function fill() {
    const i = lanes.findIndex(({ seen }) => seen.picked);
    card.hidden = i < 0 || !!ruledNow(); // next to a rule the field has the box
    if (!card.hidden) fillCard(card, lanes[i], lanes[i].seen.picked, stopOf(i), ghosts);
  }

  function pick(g) {
    const key = keyOf(g);
    for (const lane of lanes) lane.seen.picked = lane === laneOf(g) ? key : "";
    el.querySelectorAll(".picked").forEach((b) => b.classList.remove("picked"));
    g.classList.add("picked");
    const lane = laneOf(g);
    if (mode === "wiggle" && lane.source !== +g.dataset.n && lane.drag.inputs.some(([n]) => n === +g.dataset.n)) wiggles(lane, +g.dataset.n, 0);
    fill();
    if (!g.dataset.n) return;
    beside?.picked([+g.dataset.n]);
    model.set("selected", +g.dataset.n);
    model.save_changes();
  }

  function go(g) {
    if (!g) return;
    stage.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
    g.setAttribute("tabindex", 0);
    g.focus({ preventScroll: true });
  }

  // To the box in the direction of an arrow; where boxes stand in one line, Up and Down lead along it. From elsewhere in
  // the picture, to the box that Tab reaches.
  function walked(g, key) {
    const all = lanes.flatMap((lane) => lane.drawn);
    go(g ? neighbour(all, g, key, laneOf(g)) ?? all[all.indexOf(g) + WAYS[key][1]] : stage.querySelector("[tabindex='0']"));
  }

  // A box is chosen, by a click or by Enter; next to a rule it gets the field.
  function choose(n) {
    if (sightNow() === "rule" && !lanes[1]) {
      [film, mode] = [false, "rule"];
      el.aim(n);
    }
    model.send({ type: "node-click", node: n });
  }

  function toggle(g) {
    const { seen, scene } = laneOf(g), name = g.dataset.f;
    if (g.classList.contains("open")) {
      seen.opened = seen.opened.filter((other) => !other.startsWith(name));
      seen.shut[name] = true;
    } else {
      delete seen.shut[name];
      seen.opened.push(name);
    }
    repaint();
  }

  // A press on the strip of a loop, and a drag along it, chooses the turn that is drawn.
  let strip = null;
  function scrubbed(e) {
    const { lane, key } = strip, hit = [...lane.svg.querySelectorAll(".hit")].find((h) => h.dataset.strip === key);
    const r = hit.getBoundingClientRect(), loop = lane.graph.frames[key], zeros = +hit.dataset.zeros, part = +hit.dataset.part;
    const x = e.clientX - r.x, after = (x - part) / (r.width - part) * (loop.turns.length - zeros);
    turnTo(lane, loop, Math.floor(x < part ? (x / part) * zeros : zeros + after));
    repaint();
  }
  stage.addEventListener("pointerdown", (e) => {
    const hit = e.button ? null : e.target.closest(".hit");
    if (!hit) return;
    strip = { lane: laneOf(hit), key: hit.dataset.strip };
    stage.setPointerCapture(e.pointerId);
    pause();
    scrubbed(e);
  });
  stage.addEventListener("pointermove", (e) => strip && scrubbed(e));
  stage.addEventListener("lostpointercapture", () => { strip = null; });

  stage.addEventListener("click", (e) => {
    const g = e.target.closest("[data-n],[data-f]");
    if (!g || stage.dataset.panned) return;
    go(g);
    pick(g);
    g.dataset.n ? choose(+g.dataset.n) : toggle(g);
  });
  stage.addEventListener("focusin", (e) => {
    const g = e.target.closest("[data-n],[data-f]");
    if (!g) return;
    focus = { lane: laneOf(g), key: spotOf(g) };
    if (laneOf(g).seen.picked !== keyOf(g)) pick(g);
  });

  el.tabIndex = -1; // a click anywhere gives it the keys, and Tab never comes to it
  el.style.outline = 0;
  // Notebooks have shortcuts of one letter: no key that is meant for the player may reach them.
  el.addEventListener("keydown", (e) => {
    if (e.key === "Tab" || e.key === "Escape") return;
    e.stopPropagation();
    // A slider and a switch leave the player the keys that would scroll the page.
    const rest = { range: " ", radio: "HomeEnd" }[e.target.type];
    if (e.ctrlKey || e.metaKey || e.defaultPrevented || (rest ? !rest.includes(e.key) : e.target.matches("input,select,textarea,summary"))) return;
    const g = e.target.closest("[data-n],[data-f]"), walk = WAYS[e.key];
    if (walk && (e.altKey || walk[1])) walked(g, e.key);
    else if ("+=-0".includes(e.key)) nearer({ "-": -1, 0: 0 }[e.key] ?? 1);
    else if ("[]".includes(e.key)) turned(e.key === "]" ? 1 : -1);
    else if (walk) { pause(); show(at + walk[0], walk[0] > 0); }
    else if (e.key === "Home" || e.key === "End") { pause(); show(e.key === "Home" ? 0 : length() - 1); }
    else if (e.key === " " && !e.target.matches("button")) timer ? pause() : play();
    else if (g && e.key === "Enter") g.dataset.f ? toggle(g) : choose(+g.dataset.n);
    else return;
    e.preventDefault();
  });

  // The next turn, or the one before, of the loop around what is picked, otherwise of the first.
  function turned(by) {
    const loops = lanes.flatMap((lane) => Object.values(lane.graph.frames).filter((f) => f.turns.length).map((loop) => [lane, loop]));
    const [lane, loop] = loops.find(([{ seen }, { holds, as }]) => holds[seen.picked] || as === seen.picked) ?? loops[0] ?? [];
    if (!loop) return;
    pause();
    turnTo(lane, loop, (lane.seen.turns[loop.key] || 0) + by);
    repaint();
  }

  function search(text) {
    const want = text.trim().toLowerCase();
    for (const lane of lanes) for (const g of lane.drawn) {
      const info = g.dataset.f ? frameInfo(lane, g.dataset.f, {}) : lane.cards[g.dataset.n];
      g.classList.toggle("dim", !!want && !`${info.head} ${info.ops ?? ""}`.toLowerCase().includes(want));
    }
  }

  // Nodes and lines that are highlighted from outside the picture; for a node in a closed frame, the frame.
  function light(nodes, edges) {
    lit = { nodes, edges };
    for (const n of nodes) drawTurns(lanes[0], `n${n}`);
    nodes.length ? repaint() : relight();
  }

  function relight() {
    const inside = (g) => frameOn(laneOf(g), g.dataset.f).holds, { nodes, edges } = lit;
    for (const g of stage.querySelectorAll(".n")) g.classList.toggle("lit", nodes.includes(+g.dataset.n));
    for (const e of stage.querySelectorAll(".e")) e.classList.toggle("lit", edges.includes(+e.dataset.e));
    for (const f of stage.querySelectorAll(".f:not(.open)")) f.classList.toggle("chosen", nodes.some((n) => inside(f)[`n${n}`]));
  }

  // Out of sight nothing moves: many views that play in one notebook cost as much as those that are seen.
  const sight = new IntersectionObserver((seen) => stage.classList.toggle("mg-away", !seen.at(-1).isIntersecting));
  sight.observe(stage);
  let was = 0;
  // While the page is hidden for a moment, as by a change of theme, the stage has no width.
  const watch = new ResizeObserver(() => {
    width = stage.clientWidth;
    requestAnimationFrame(() => { if (width && was !== room()) { was = room(); camera.at(camera.zoom, camera.x, camera.y); } });
  });
  watch.observe(stage);
  hears(el, (e) => e.type && camera.at(1, 0, 0)); // the whole is printed
  themed(el, () => [el.parentElement?.closest(".mgv"), el, ...lanes.map((lane) => lane.svg)].filter(Boolean));
  const moved = () => model.get("stop") !== at && show(model.get("stop"));
  const stepped = () => {
    const step = model.get("step"), of = (k) => lanes[0].stops[k][0];
    if (of(stopOf(0)) !== step) show(shown[0].filter((k) => of(k) <= step).length - 1);
  };
  model.on("change:stop", moved);
  model.on("change:step", stepped);
  at = model.get("stop") ?? Infinity;
  recount();
  if (film && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
  return () => { pause(); sight.disconnect(); watch.disconnect(); model.off("change:stop", moved); model.off("change:step", stepped); };
}

// The scale of the ink: how wide and dark a line of each power of ten is.
function inkScale(scale, what) {
  const power = (e) => (e === 0 ? "1" : `1e${e}`), steps = [0, 0.25, 0.5, 0.75, 1], size = (t) => 10 ** (scale[0] + t * (scale[1] - scale[0]));
  const lines = steps.map((t, i) => `<path class='e ${look_of(size(t), scale)}' d='M${i * 16} 8h16' stroke-width='${width_of(size(t), scale)}'/>`);
  return `${what}: ${power(scale[0])} <svg width='80' height='16' aria-hidden='true'>${lines.join("")}</svg> ${power(scale[1])}`;
}

// The picture as it stands, as a file.
function saved(lanes, view) {
  const whole = draw("svg", { class: "mgv" }, ""), wide = lanes[0].svg.getAttribute("width"), { theme } = lanes[0].svg.dataset;
  whole.append(draw("style", {}, view.css));
  if (theme) whole.dataset.theme = theme;
  let high = 0;
  for (const { svg, name } of lanes) {
    if (name) whole.append(draw("text", { class: "nm", x: 9, y: high + 16 }, name));
    const part = draw("g", { transform: `translate(0 ${(high += name ? 20 : 0)})` });
    part.append(...svg.cloneNode(true).children);
    whole.append(part);
    high += +svg.getAttribute("height");
  }
  for (const [name, value] of [["width", wide], ["height", high], ["viewBox", `0 0 ${wide} ${high}`]]) whole.setAttribute(name, value);
  const file = new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" });
  const link = make("a", { download: `${view.title.replace(/\W+/g, "-")}.svg`, href: URL.createObjectURL(file) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

export default { render };
