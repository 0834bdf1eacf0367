// The player: brings to life an SVG that Python drew. It never lays out and never computes a gradient;
// it shows and hides texts and toggles classes. The same module runs in a plain page and as a widget:
// `render({model, el})` with model.get("view") = {svg, css, lanes, nodes, ...} and model.get("stop").
//
// `part` adds to the picture what follows it: part({view, lane, ...}) -> {element, shown(stop), picked(nodes)}.
function render({ model, el, part }) {
  const view = model.get("view");
  let ghosts = true, picked = null, timer = null, at = 0;

  el.classList.add("mgv", "mg-view");
  el.role = "group";
  el.ariaLabel = view.title;
  const stage = make("div", { className: "mg-stage" });
  stage.innerHTML = view.svg;
  const svg = stage.querySelector("svg");
  svg.role = "group";
  const place = staged(stage, svg, () => { fit.ariaPressed = place.zoom === place.fitting(); map?.update(); });
  const { scale, fitting, reveal } = place;
  const unit = view.unit;

  // Elements by lane and number. A leaf may be drawn several times, a fold stands for many nodes.
  // They are copies: the same view may be shown a second time after its numbers were changed here.
  const lanes = structuredClone(view.lanes).map((lane, i) => {
    const root = svg.querySelector(`[data-lane="${i}"]`);
    const ids = (g, kind) => g.dataset[kind].split(" ").map(Number);
    const nodes = new Map();
    root.querySelectorAll("[data-n]").forEach((g) => ids(g, "n").forEach((n) => nodes.set(n, [...(nodes.get(n) || []), g])));
    const lines = [...root.querySelectorAll("[data-e]")].map((g) => [g, ids(g, "e")]);
    complete(root, lines, lane);
    for (const card of Object.values(lane.cards)) card.head ??= card.name;
    // Ways to walk: along the messages, and along the edges that carry none.
    const links = [...lane.links, ...lane.stops.filter((s) => s[2] >= 0).map((s) => [s[3], s[1]])];
    const frames = lane.sheets && framed(lane, root, place, (g) => nameBox(boxes.find((b) => b.g === g)));
    return { ...lane, stops: lane.stops.map((s) => expand(lane, s)), links, nodes, lines, frames, boxes: [...root.querySelectorAll("[data-n]")] };
  });
  const boxes = lanes.flatMap((lane, i) => lane.boxes.map((g) => ({ g, lane, i, ids: g.dataset.n.split(" ").map(Number) })));

  // The slider runs over the stops that are shown: all, or those of the real pass.
  let shown = [];
  const rows = (lane) => lane.stops.map((s, k) => k).filter((k) => ghosts || !(lane.stops[k][7] & GHOST));
  const length = () => Math.max(...shown.map((r) => r.length));
  const stopOf = (i) => shown[i][Math.min(at, shown[i].length - 1)];

  const bar = make("div", { className: "mg-bar" });
  const playButton = button("play", "Play", () => (timer ? pause() : play()));
  const slider = make("input", { type: "range", min: 0, step: 1, oninput: () => { pause(); show(+slider.value); } });
  slider.ariaLabel = unit[0].toUpperCase() + unit.slice(1);
  const count = make("span", { className: "mg-count" });
  const speed = make("select", { title: "Speed" }, ...[["slow", 2200], ["normal", 1100], ["fast", 400]].map(([t, v]) =>
    make("option", { value: v, textContent: t, selected: t === "normal" })));
  speed.ariaLabel = "Speed";
  const first = button("first", "To the start", () => { pause(); show(0); });
  const back = button("back", `One ${unit} back`, () => { pause(); show(at - 1); });
  const next = button("next", `One ${unit} forward`, () => { pause(); show(at + 1); });
  const last = button("last", "To the end", () => { pause(); show(length() - 1); });
  bar.append(first, back, playButton, next, last, slider, count, speed);

  const births = () => shown.map((r, i) => r.findIndex((k) => lanes[i].stops[k][7] & BORN)).filter((k) => k >= 0);
  const born = lanes.flatMap((lane) => lane.stops.filter((s) => s[7] & BORN));
  const nan = make("button", { type: "button", className: "mg-nan", textContent: `First ${view.word || "nan"}`,
    title: "To the first nan or inf",
    onclick: () => { pause(); if (births().length) show(Math.min(...births())); } });
  if (view.ghosts) {
    const toggle = make("button", { type: "button", textContent: "Ghost",
      title: "Show what the custom rule replaced, with the numbers it would have produced",
      onclick: () => { ghosts = !ghosts; toggle.ariaPressed = ghosts; recount(); } });
    toggle.ariaPressed = ghosts;
    bar.append(toggle);
  }
  const fit = make("button", { type: "button", textContent: "Fit", title: "Fit the picture into the width (f); its own size again (0)",
    onclick: () => scale(place.zoom === fitting() ? place.own : fitting()) });
  fit.ariaPressed = false;
  bar.append(button("out", "Smaller (-)", () => scale(place.zoom / 1.25)),
    button("in", "Larger (+)", () => scale(place.zoom * 1.25)), fit);
  if (boxes.length > 12) {
    const find = make("input", { type: "search", placeholder: "Find", oninput: () => search(boxes, find.value) });
    find.setAttribute("aria-label", "Find a node by op or name; Enter goes to it");
    // It returns nothing: false would keep the key from the field.
    find.onkeydown = (e) => {
      if (e.key === "Enter") boxes.find((b) => find.value && !b.g.classList.contains("dim"))?.g.focus();
    };
    bar.append(find);
  }
  // Last: it leaves no hole where there is none yet.
  if (born.length || view.lanes[0].drag) bar.append(nan);

  const say = make("div", { className: "mg-say" });
  say.role = "status";
  say.ariaLive = "polite";
  const card = make("section", { className: "mg-card", hidden: true });
  // What is saved below a widget, for when it cannot be shown, is hidden while it is.
  const style = make("style", { textContent: `${view.css} [data-saved="${model.get("saved") ?? ""}"]{display:none}` });
  const more = part?.({
    view, stage, lane: lanes[0], reveal, unpick,
    go: (k) => { pause(); show(shown[0].indexOf(k)); },
  });
  el.prepend(style, bar, say, more ? more.element : stage, card);
  const map = view.map && mapped(stage, place, boxes.map((b) => b.g));
  if (lanes[0].drag) dragging({ lanes, labels: view.labels, el, say, nan, repaint: recount });

  const ask = view.predict ? predicting({ lane: lanes[0], model, shown: () => shown[0], show, next, say })
    : view.choose && choosing({ lane: lanes[0], model, show, say });

  function recount() {
    shown = lanes.map(rows);
    slider.max = length() - 1;
    stage.classList.toggle("noghost", !ghosts);
    nan.disabled = !births().length;
    show(Math.min(at, length() - 1));
  }

  function show(to) {
    at = Math.max(0, Math.min(length() - 1, to));
    at = ask?.until(at) ?? at;
    slider.value = at;
    repaint();
    svg.querySelectorAll("[data-at]").forEach((g) => g.classList.toggle("later", g.dataset.at > at));
    if (!drawn(boxes.find((b) => b.g.tabIndex === 0))) roam(boxes.findLast(drawn));
    const stop = lanes[0].stops[stopOf(0)];
    const text = `${unit} ${at} of ${length() - 1}`;
    count.textContent = text;
    slider.ariaValueText = text;
    const words = lanes.map((lane, i) => {
      const ended = at >= shown[i].length && lanes.length > 1;
      const p = make("p", {}, ended ? "The pass is complete." : toldOnce(lane.stops[stopOf(i)][8], el));
      const fold = lane.stops[stopOf(i)][10];
      if (fold && !ended) p.prepend(foldOf(fold));
      if (lane.name) p.prepend(make("b", { textContent: `${lane.name}: ` }));
      return p;
    });
    say.replaceChildren(...words);
    ask?.asked();
    say.classList.toggle("bad", lanes.some((lane, i) => lane.stops[stopOf(i)][7] & (BAD_MESSAGE | BAD_ADJOINT)));
    // Not disabled, which would take the focus away from who presses them.
    for (const b of [first, back]) b.ariaDisabled = at === 0;
    for (const b of [last, next]) b.ariaDisabled = at === length() - 1;
    if (picked) fillCard(card, picked, stopOf(picked.i), ghosts);
    // A note that would give away what is told message by message.
    const note = el.parentElement?.querySelector(":scope>.mg-last");
    if (note) note.hidden = at < length() - 1;
    const running = lanes[0].nodes.get(stop[1])?.at(-1);
    if (stop[7] & BORN && running) lanes[0].frames?.unfold(running);
    const spot = running && (lanes[0].frames?.seen(running) ?? running);
    if (!el.classList.contains("mg-scrubbing")) reveal(spot);
    map?.shown(spot);
    more?.shown(stopOf(0));
    model.set("stop", at);
    model.set("step", stop[0]);
    model.save_changes();
  }

  function repaint() {
    lanes.forEach((lane, i) => paint(lane, frameOf(lane, stopOf(i), ghosts)));
  }

  function play() {
    if (at === length() - 1) show(0);
    playButton.replaceChildren(icon("pause"));
    playButton.ariaLabel = (playButton.title = "Pause");
    const tick = () => {
      if (!el.isConnected || at === length() - 1) return pause();
      if (!stage.classList.contains("mg-away")) show(at + 1);
      timer = setTimeout(tick, +speed.value);
    };
    timer = setTimeout(tick, 200);
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    playButton.replaceChildren(icon("play"));
    playButton.ariaLabel = (playButton.title = "Play");
  }

  function unpick() {
    picked?.g.classList.remove("pick");
    picked = null;
    card.hidden = true;
  }

  function pick(box) {
    picked?.g.classList.remove("pick");
    picked = box;
    box.g.classList.add("pick");
    fillCard(card, box, stopOf(box.i), ghosts);
    more?.picked(box.ids);
    model.set("selected", box.ids[0]);
    model.save_changes();
  }

  const click = (box) => { pick(box); model.send({ type: "node-click", node: box.ids[0] }); };

  const toggle = ({ g, lane }) => { lane.frames.toggle(g); repaint(); };

  function drawn(box) {
    return box?.g.getClientRects().length && !box.g.matches(".later");
  }

  // One Tab stop for the picture: a box that is seen.
  function roam(box) {
    boxes.forEach((b) => b.g.setAttribute("tabindex", b === box ? 0 : -1));
  }

  boxes.forEach((box) => {
    nameBox(box);
    box.g.addEventListener("click", (e) => {
      roam(box);
      box.g.focus({ preventScroll: true });
      click(box);
      if (box.lane.frames?.hit(box.g, e)) toggle(box);
    });
    box.g.addEventListener("focus", () => { roam(box); pick(box); });
  });
  if (boxes.length) roam(boxes[boxes.length - 1]);

  // Notebooks have shortcuts of one letter: no key that is meant for the player may reach them.
  el.addEventListener("keydown", (e) => {
    if (e.key === "Tab" || e.key === "Escape") return;
    e.stopPropagation();
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(e.target.tagName)) return;
    const box = boxes.find((b) => b.g === e.target);
    if (e.shiftKey && e.key.startsWith("Arrow")) stage.scrollBy(90 * WAYS[e.key][0], 90 * WAYS[e.key][1]);
    else if ("+=-0f".includes(e.key)) scale({ "-": place.zoom / 1.25, 0: place.own, f: fitting() }[e.key] || place.zoom * 1.25);
    else if (box && e.key.startsWith("Arrow")) neighbour(boxes, box, e.key)?.g.focus();
    else if (e.key === "ArrowRight" || e.key === "ArrowLeft") { pause(); show(at + (e.key === "ArrowRight" ? 1 : -1)); }
    else if (e.key === "Home" || e.key === "End") { pause(); show(e.key === "Home" ? 0 : length() - 1); }
    else if (e.key === " " && e.target.tagName !== "BUTTON") timer ? pause() : play();
    else if (e.key === "Enter" && box) { click(box); if (box.lane.frames?.opens(box.g)) toggle(box); }
    else return;
    e.preventDefault();
  });

  // Out of sight nothing moves: many views that play in one notebook cost as much as those that are seen.
  const sight = new IntersectionObserver((seen) => stage.classList.toggle("mg-away", !seen.at(-1).isIntersecting));
  sight.observe(stage);
  const leave = themed(() => [el.parentElement?.closest(".mgv"), el, svg].filter(Boolean));
  const moved = () => model.get("stop") !== at && show(model.get("stop"));
  const stepped = () => {
    const step = model.get("step"), of = (k) => lanes[0].stops[k][0];
    if (of(stopOf(0)) !== step) show(shown[0].filter((k) => of(k) <= step).length - 1);
  };
  model.on("change:stop", moved);
  model.on("change:step", stepped);
  at = model.get("stop") ?? Infinity;
  place.widened();
  recount();
  return () => { pause(); leave(); sight.disconnect(); model.off("change:stop", moved); model.off("change:step", stepped); };
}

export default { render };
