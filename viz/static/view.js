// The player: brings to life an SVG that Python drew. It never lays out and never computes a gradient;
// it shows and hides texts and toggles classes. The same module runs in a plain page and as a widget:
// `render({model, el})` with model.get("view") = {svg, css, lanes, nodes, ...} and model.get("stop").
//
// A lane is one backward pass in the picture. Its stops are rows
//   [step, node, edge, to, message, adjoint, product, flags, sentence]
// with flags 1: ghost, 2: the message is nan or inf, 4: the adjoint is, 8: the first nan or inf is born here,
// 16: no message, but what is wrong with those of the edge.

const GHOST = 1, BAD_MESSAGE = 2, BAD_ADJOINT = 4, BORN = 8, VERDICT = 16;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z", back: "M11 3 9.5 1.5 3 8l6.5 6.5L11 13 6 8z", play: "M3 2l11 6-11 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z", next: "M5 3 6.5 1.5 13 8l-6.5 6.5L5 13l5-5z", last: "M12 2h2v12h-2zM2 2l9 6-9 6z",
  in: "M7 2h2v5h5v2H9v5H7V9H2V7h5z", out: "M2 7h12v2H2z",
};

function make(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

// What stands there already is not written again: Python drew the picture at the stop at which it opens.
function write(text, words) {
  if (text.textContent !== words) text.textContent = words;
}

// A row as it is saved has signs for what stands in it already: message, adjoint, sender, receiver, product.
function expand(lane, [step, node, edge, to, message, adjoint, product, flags, words]) {
  const said = [message, adjoint || message, lane.cards[node]?.name, lane.cards[to]?.name];
  const fill = (text) => text.replace(/[\ue000-\ue004]/g, (c) => said[c.charCodeAt(0) - 0xe000]);
  said[4] = fill(product);
  return [step, node, edge, to, message, said[1], said[4], flags, fill(words)];
}

function icon(name) {
  const span = make("span");
  span.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  return span.firstChild;
}

function button(name, label, act) {
  const b = make("button", { type: "button", title: label, onclick: act }, icon(name));
  b.setAttribute("aria-label", label);
  return b;
}

// What a lane shows after stop k: the twin of timeline.frame in Python.
function frameOf(lane, k, ghosts) {
  const f = { adjoint: new Map(), bad: new Set(), done: new Set(), sent: new Map(), now: new Set(), active: null };
  const last = lane.stops[k];
  lane.stops.slice(0, k + 1).forEach((s) => {
    const [step, node, edge, to, message, adjoint, , flags] = s;
    const ghost = flags & GHOST, inside = (n) => lane.bodies.includes(n);
    if (ghost && !ghosts) return;
    if (step < 0) f.adjoint.set(node, adjoint);
    if (!ghost || inside(node)) f.done.add(node);
    for (const [of, first, g] of lane.seeds) if (ghosts && of === node) f.adjoint.set(first, g);
    if (edge < 0) return;
    f.sent.set(edge, [message, flags]);
    if (!ghost || inside(to)) {
      f.adjoint.set(to, adjoint);
      f.bad[flags & BAD_ADJOINT ? "add" : "delete"](to);
    }
    if (step === last[0] && node === last[1] && ghost === (last[7] & GHOST)) f.now.add(edge);
  });
  for (const s of lane.stops.slice(k + 1)) if (s[2] >= 0 && !(s[7] & (GHOST | VERDICT))) f.done.delete(s[3]);
  if (last[0] >= 0 && (k < lane.stops.length - 1 || last[2] >= 0)) f.active = last[1];
  f.over = k === lane.stops.length - 1;
  return f;
}

// `part` adds to the picture what follows it: part({view, lane, ...}) -> {element, shown(stop), picked(nodes)}.
function render({ model, el, part }) {
  const view = model.get("view");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let ghosts = true, picked = null, timer = null, at = 0;

  el.classList.add("mgv", "mg-view");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", view.title);
  const stage = make("div", { className: "mg-stage" });
  stage.innerHTML = view.svg;
  const svg = stage.querySelector("svg");
  svg.setAttribute("role", "group");
  const wide = svg.width.baseVal.value, high = svg.height.baseVal.value;
  let zoom = 1, own = 1;
  const unit = view.unit;

  // Elements by lane and number. A leaf may be drawn several times, a fold stands for many nodes.
  const lanes = view.lanes.map((lane, i) => {
    const root = svg.querySelector(`[data-lane="${i}"]`);
    const ids = (g, kind) => g.dataset[kind].split(" ").map(Number);
    const nodes = new Map();
    root.querySelectorAll("[data-n]").forEach((g) => ids(g, "n").forEach((n) => nodes.set(n, [...(nodes.get(n) || []), g])));
    const lines = [...root.querySelectorAll("[data-e]")].map((g) => [g, ids(g, "e")]);
    for (const card of Object.values(lane.cards)) card.head ??= card.name;
    // Ways to walk: along the messages, and along the edges that carry none.
    const links = [...lane.links, ...lane.stops.filter((s) => s[2] >= 0).map((s) => [s[3], s[1]])];
    return { ...lane, stops: lane.stops.map((s) => expand(lane, s)), links, nodes, lines, boxes: [...root.querySelectorAll("[data-n]")] };
  });
  const boxes = lanes.flatMap((lane, i) => lane.boxes.map((g) => ({ g, lane, i, ids: g.dataset.n.split(" ").map(Number) })));

  // The slider runs over the stops that are shown: all, or those of the real pass.
  let shown = [];
  const rows = (lane) => lane.stops.map((s, k) => k).filter((k) => ghosts || !(lane.stops[k][7] & GHOST));
  const length = () => Math.max(...shown.map((r) => r.length));
  const place = (i) => shown[i][Math.min(at, shown[i].length - 1)];

  const bar = make("div", { className: "mg-bar" });
  const playButton = button("play", "Play", () => (timer ? pause() : play()));
  const slider = make("input", { type: "range", min: 0, step: 1, oninput: () => { pause(); show(+slider.value); } });
  slider.setAttribute("aria-label", unit[0].toUpperCase() + unit.slice(1));
  const count = make("span", { className: "mg-count" });
  const speed = make("select", { title: "Speed" }, ...[["slow", 2200], ["normal", 1100], ["fast", 400]].map(([t, v]) =>
    make("option", { value: v, textContent: t, selected: t === "normal" })));
  speed.setAttribute("aria-label", "Speed");
  const first = button("first", "To the start", () => { pause(); show(0); });
  const back = button("back", `One ${unit} back`, () => { pause(); show(at - 1); });
  const next = button("next", `One ${unit} forward`, () => { pause(); show(at + 1); });
  const last = button("last", "To the end", () => { pause(); show(length() - 1); });
  bar.append(first, back, playButton, next, last, slider, count, speed);

  const births = () => shown.map((r, i) => r.findIndex((k) => lanes[i].stops[k][7] & BORN)).filter((k) => k >= 0);
  const born = lanes.flatMap((lane) => lane.stops.filter((s) => s[7] & BORN));
  const nan = make("button", { type: "button", className: "mg-nan", textContent: `First ${view.word || "nan"}`,
    title: "Jump to the message in which the first nan or inf is born",
    onclick: () => { pause(); if (births().length) show(Math.min(...births())); } });
  if (born.length) bar.append(nan);
  if (view.ghosts) {
    const toggle = make("button", { type: "button", textContent: "Ghost",
      title: "Show what the custom rule replaced, with the numbers it would have produced",
      onclick: () => { ghosts = !ghosts; toggle.setAttribute("aria-pressed", ghosts); recount(); } });
    toggle.setAttribute("aria-pressed", ghosts);
    bar.append(toggle);
  }
  const fit = make("button", { type: "button", textContent: "Fit", title: "Fit the picture into the width (f); its own size again (0)",
    onclick: () => scale(zoom === fitting() ? own : fitting()) });
  fit.setAttribute("aria-pressed", false);
  bar.append(button("out", "Smaller (-)", () => scale(zoom / 1.25)),
    button("in", "Larger (+)", () => scale(zoom * 1.25)), fit);
  if (boxes.length > 12) {
    const find = make("input", { type: "search", placeholder: "Find", oninput: () => search(find.value) });
    find.setAttribute("aria-label", "Find a node by op or name; Enter goes to it");
    find.onkeydown = (e) => e.key === "Enter" && boxes.find((b) => find.value && !b.g.classList.contains("dim"))?.g.focus();
    bar.append(find);
  }

  const say = make("div", { className: "mg-say" });
  say.setAttribute("role", "status");
  say.setAttribute("aria-live", "polite");
  const card = make("section", { className: "mg-card", hidden: true });
  // What is saved below a widget, for when it cannot be shown, is hidden while it is.
  const style = make("style", { textContent: `${view.css} [data-saved="${model.get("saved") ?? ""}"]{display:none}` });
  const more = part?.({
    view, stage, lane: lanes[0], reveal, unpick,
    go: (k) => { pause(); show(shown[0].indexOf(k)); },
  });
  el.prepend(style, bar, say, more ? more.element : stage, card);

  function recount() {
    shown = lanes.map(rows);
    slider.max = length() - 1;
    stage.classList.toggle("noghost", !ghosts);
    nan.disabled = !births().length;
    show(Math.min(at, length() - 1));
  }

  function show(to) {
    at = Math.max(0, Math.min(length() - 1, to));
    slider.value = at;
    lanes.forEach((lane, i) => paint(lane, frameOf(lane, place(i), ghosts)));
    svg.querySelectorAll("[data-at]").forEach((g) => g.classList.toggle("later", g.dataset.at > at));
    const stop = lanes[0].stops[place(0)];
    const text = `${unit} ${at} of ${length() - 1}`;
    count.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    const words = lanes.map((lane, i) => {
      const ended = at >= shown[i].length && lanes.length > 1;
      const p = make("p", {}, ended ? "The pass is complete." : lane.stops[place(i)][8]);
      if (lane.name) p.prepend(make("b", { textContent: `${lane.name}: ` }));
      return p;
    });
    say.replaceChildren(...words);
    say.classList.toggle("bad", lanes.some((lane, i) => lane.stops[place(i)][7] & (BAD_MESSAGE | BAD_ADJOINT)));
    // Not disabled, which would take the focus away from who presses them.
    for (const b of [first, back]) b.setAttribute("aria-disabled", at === 0);
    for (const b of [last, next]) b.setAttribute("aria-disabled", at === length() - 1);
    if (picked) fill();
    reveal((lanes[0].nodes.get(stop[1]) || [])[0]);
    more?.shown(place(0));
    model.set("stop", at);
    model.set("step", stop[0]);
    model.save_changes();
  }

  function paint(lane, f) {
    for (const [n, groups] of lane.nodes) for (const g of groups) {
      const slot = g.querySelector(".g"), list = g.classList;
      list.toggle("now", f.active !== null && g.dataset.n.split(" ").includes(String(f.active)));
      if (!slot) continue;
      const state = !f.adjoint.has(n) ? "none" : f.done.has(n) ? "done" : "part";
      for (const c of ["none", "part", "done"]) list.toggle(c, c === state);
      list.toggle("bad", f.bad.has(n));
      write(slot, state === "none" ? (f.over ? "ḡ none" : "ḡ not yet") : `ḡ ${f.adjoint.get(n)}${state === "part" ? " …" : ""}`);
    }
    for (const [g, ids] of lane.lines) {
      const sent = ids.filter((e) => f.sent.has(e));
      g.classList.toggle("sent", sent.length > 0);
      g.classList.toggle("now", ids.some((e) => f.now.has(e)));
      g.classList.toggle("bad", sent.some((e) => f.sent.get(e)[1] & BAD_MESSAGE));
      write(g.querySelector(".m"), sent.length && (g.dataset.c || sent.length > 1) ? `${g.dataset.c || sent.length} messages` : sent.length ? f.sent.get(sent[0])[0] : "");
    }
  }

  // Keep a node in sight: scroll the picture, never the page.
  function reveal(g) {
    if (!g) return;
    const a = g.getBoundingClientRect(), b = stage.getBoundingClientRect(), margin = 120;
    const move = (low, high, from, to) => (low < from + margin ? low - from - margin : high > to - margin ? high - to + margin : 0);
    const left = a.width && move(a.left, a.right, b.left, b.right), top = a.width && move(a.top, a.bottom, b.top, b.bottom);
    if (left || top) stage.scrollBy({ left, top, behavior: calm.matches ? "auto" : "smooth" });
  }

  // Zoom about a point of the stage, by default its middle; the stage's scroll bars are the way to pan.
  function scale(to, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const k = Math.max(0.1, Math.min(4, to)) / zoom;
    const left = (stage.scrollLeft + x) * k - x, top = (stage.scrollTop + y) * k - y;
    zoom *= k;
    svg.setAttribute("width", wide * zoom);
    svg.setAttribute("height", high * zoom);
    stage.scrollTo({ left, top, behavior: "instant" });
    fit.setAttribute("aria-pressed", zoom === fitting());
  }

  function fitting() {
    return Math.max(0.1, Math.min(4, (stage.clientWidth - 2) / wide, Math.max(1, 600 / high)));
  }

  stage.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    const b = stage.getBoundingClientRect();
    scale(zoom * Math.exp(-e.deltaY / 400), e.clientX - b.left, e.clientY - b.top);
  }, { passive: false });

  stage.addEventListener("pointerdown", (e) => {
    if (e.button || e.pointerType !== "mouse" || e.target.closest(".n")) return;
    e.preventDefault(); // or words would be selected
    stage.setPointerCapture(e.pointerId);
    stage.onpointermove = (m) => stage.scrollBy(-m.movementX, -m.movementY);
  });
  stage.addEventListener("pointerup", () => { stage.onpointermove = null; });

  function play() {
    if (at === length() - 1) show(0);
    playButton.replaceChildren(icon("pause"));
    playButton.setAttribute("aria-label", (playButton.title = "Pause"));
    const tick = () => {
      if (!el.isConnected || at === length() - 1) return pause();
      show(at + 1);
      timer = setTimeout(tick, +speed.value);
    };
    timer = setTimeout(tick, 200);
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    playButton.replaceChildren(icon("play"));
    playButton.setAttribute("aria-label", (playButton.title = "Play"));
  }

  // What is known of a box: of a node, or of the group that is folded into it.
  function infoOf(lane, ids) {
    return lane.groups[ids[0]] || lane.cards[ids[0]];
  }

  // The card of a node: its value, its adjoint as a sum of contributions, its local derivatives, its line.
  function fill() {
    const { lane, i, ids } = picked, k = place(i), f = frameOf(lane, k, ghosts), info = infoOf(lane, ids);
    const list = make("dl");
    const row = (term, ...items) => items.length && list.append(make("dt", { textContent: term }),
      make("dd", {}, ...items.flatMap((t, j) => (j ? [make("br"), t] : [t]))));
    if (info.value) row("value", info.value);
    if (info.used) row("used", info.used);
    if (info.ops) row("ops", info.ops), row("opens with", info.open);
    const arrived = lane.stops.slice(0, k + 1).filter((s) => s[2] >= 0 && s[3] === ids[0] && !(s[7] & VERDICT) &&
      (ghosts || !(s[7] & GHOST)) && (!(s[7] & GHOST) || lane.bodies.includes(ids[0])));
    if (info.slot) row("adjoint ḡ", f.adjoint.has(ids[0]) ? f.adjoint.get(ids[0]) + (f.done.has(ids[0]) ? "" : " so far") : f.over ? info.none || "none" : "not computed yet");
    if (!info.ops) row("sum of", ...arrived.map((s) => `${s[6]}   from ${lane.cards[s[1]].name}`));
    row("local derivative", ...(info.local || []));
    if (info.rule) row("custom rule", info.rule);
    if (info.line) row("code", info.line);
    card.replaceChildren(make("h4", { textContent: info.head }), list);
    card.hidden = false;
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
    fill();
    more?.picked(box.ids);
    model.set("selected", box.ids[0]);
    model.save_changes();
  }

  const click = (box) => { pick(box); model.send({ type: "node-click", node: box.ids[0] }); };

  function search(text) {
    const want = text.trim().toLowerCase();
    for (const b of boxes) {
      const hit = b.ids.some((n) => b.lane.cards[n].head.toLowerCase().includes(want));
      b.g.classList.toggle("dim", !!want && !hit);
    }
  }

  // One Tab stop for the picture; arrow keys go to the nearest box in their direction, along an edge where one is.
  function roam(box) {
    boxes.forEach((b) => b.g.setAttribute("tabindex", b === box ? 0 : -1));
  }

  function neighbour(box, key) {
    const c = (b) => { const r = b.g.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const [x, y] = c(box), [dx, dy] = WAYS[key];
    const linked = new Set(box.ids.flatMap((n) => box.lane.links.flatMap(([a, b]) => (a === n ? [b] : b === n ? [a] : []))));
    let best = null, least = Infinity;
    for (const b of boxes) {
      const [u, v] = c(b), ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (b === box || ahead < 2 || !b.g.getClientRects().length) continue;
      const cost = ahead + 2 * aside + (b.lane === box.lane && b.ids.some((n) => linked.has(n)) ? 0 : 4000);
      if (cost < least) [best, least] = [b, cost];
    }
    return best;
  }

  boxes.forEach((box) => {
    const info = infoOf(box.lane, box.ids);
    box.g.setAttribute("role", "button");
    box.g.setAttribute("aria-label", info.ops ? info.head : `${info.head}, value ${info.value}`);
    if (!box.g.querySelector("title")) {
      const title = document.createElementNS(svg.namespaceURI, "title");
      title.textContent = `${info.head}: ${info.ops || info.value}`;
      box.g.prepend(title);
    }
    box.g.addEventListener("click", () => { roam(box); box.g.focus({ preventScroll: true }); click(box); });
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
    else if ("+=-0f".includes(e.key)) scale({ "-": zoom / 1.25, 0: own, f: fitting() }[e.key] || zoom * 1.25);
    else if (box && e.key.startsWith("Arrow")) neighbour(box, e.key)?.g.focus();
    else if (e.key === "ArrowRight" || e.key === "ArrowLeft") { pause(); show(at + (e.key === "ArrowRight" ? 1 : -1)); }
    else if (e.key === "Home" || e.key === "End") { pause(); show(e.key === "Home" ? 0 : length() - 1); }
    else if (e.key === " " && e.target.tagName !== "BUTTON") timer ? pause() : play();
    else if (e.key === "Enter" && box) click(box);
    else return;
    e.preventDefault();
  });

  // The host's theme: JupyterLab, VS Code, otherwise the system's.
  function theme() {
    const { jpThemeLight: lab, vscodeThemeKind: code } = document.body.dataset;
    const name = lab ? (lab === "true" ? "light" : "dark") : code ? (/light/.test(code) ? "light" : "dark") : null;
    for (const node of [el.parentElement?.closest(".mgv"), el, svg]) if (node) name ? (node.dataset.theme = name) : delete node.dataset.theme;
  }
  const watcher = new MutationObserver(theme);
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  theme();

  const moved = () => model.get("stop") !== at && show(model.get("stop"));
  const stepped = () => {
    const step = model.get("step"), of = (k) => lanes[0].stops[k][0];
    if (of(place(0)) !== step) show(shown[0].filter((k) => of(k) <= step).length - 1);
  };
  model.on("change:stop", moved);
  model.on("change:step", stepped);
  at = model.get("stop") ?? Infinity;
  if (stage.clientWidth >= 1200) scale((own = 1.3)); // a projector
  recount();
  return () => { pause(); watcher.disconnect(); model.off("change:stop", moved); model.off("change:step", stepped); };
}

export default { render };
