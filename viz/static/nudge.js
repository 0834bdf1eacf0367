// Nudging: the slider moves the input, and the picture is drawn for that nudge by stretch.js; or for the gradients, read
// backwards. view = {css, title, at, data}, with the data of viz/model/nudged.py. Narrow pages have the result below.
function nudging(el, view) {
  const { data } = view, stage = make("div", { className: "mg-stage mg-nudge" }), svg = draw("svg", { class: "mgv", role: "img" });
  const say = make("p", { className: "mg-say", role: "status" }), bar = make("div", { className: "mg-bar" });
  const slider = make("input", { type: "range", min: 0, max: data.nudges.length - 1, step: 1, value: view.at });
  const back = make("button", { type: "button", textContent: "Read backwards", ariaPressed: "false" }), name = data.cards[0].called || data.cards[0].title;
  const count = make("output", { className: "mg-count" });
  slider.ariaLabel = `Nudge of ${name}`;
  el.classList.add("mgv", "mg-view");
  el.role = "group";
  el.ariaLabel = view.title;
  stage.append(svg);
  bar.append(make("label", { className: "mg-in" }, `nudge ${name}`, slider), count, back);
  el.append(make("style", { textContent: view.css }), say, stage, bar);

  function show() {
    const at = +slider.value, backwards = back.ariaPressed === "true", wide = stage.clientWidth || 900;
    const across = new Stretched(data, at, backwards, 0), drawn = across.wide > wide ? new Stretched(data, at, backwards, wide) : across;
    for (const [key, size] of [["width", drawn.wide], ["height", drawn.high]]) svg.setAttribute(key, size);
    svg.setAttribute("viewBox", `0 0 ${drawn.wide} ${drawn.high}`);
    svg.innerHTML = `<rect class='paper' width='${drawn.wide}' height='${drawn.high}'/>${drawn.svg()}`;
    const words = backwards ? data.back : data.said[at];
    svg.ariaLabel = words;
    write(say, words);
    write(count, data.nudges[at]);
    slider.ariaValueText = data.nudges[at];
  }
  slider.oninput = () => { back.ariaPressed = "false"; show(); };
  back.onclick = () => { back.ariaPressed = back.ariaPressed !== "true"; show(); };
  // Notebooks have shortcuts of one letter: no key that is meant for the picture may reach them.
  el.tabIndex = -1; // a click anywhere gives it the keys
  el.addEventListener("keydown", (e) => {
    if (e.key === "Tab" || e.key === "Escape") return;
    e.stopPropagation();
    const now = +slider.value, to = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, Home: 0, End: slider.max }[e.key];
    if (e.target === slider || to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    slider.value = to;
    slider.oninput();
    e.preventDefault();
  });
  let was = 0;
  new ResizeObserver(() => requestAnimationFrame(() => { if (stage.clientWidth && was !== stage.clientWidth) { was = stage.clientWidth; show(); } })).observe(stage);
  themed(el, () => [el.parentElement?.closest(".mgv"), el, svg].filter(Boolean));
  show();
}
