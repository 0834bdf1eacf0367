// The controls of viz.play: a slider for each input, the dtype, the rule. They stay while the picture below them is
// replaced, so a slider can be dragged on. model.get("controls") = {inputs: [{name, min, max, step}], dtypes, rules}.

function live({ model, el }) {
  const { inputs, dtypes } = model.get("controls"), bar = make("div", { className: "mg-bar mg-live" });
  const error = make("p", { className: "mg-error", hidden: true }), place = make("div");
  error.setAttribute("role", "alert");
  el.classList.add("mgv", "mg-view");
  el.append(make("style", { textContent: model.get("css") }), bar, error, place);
  const set = (name, value) => { model.set(name, value); model.save_changes(); };
  let leave = () => {}, box = null;

  // The picture moves in the page where that follows, whether a slider, a link or Python changed the number; where not,
  // Python draws again.
  let placed = {};
  const moves = (name, value) => placed[name] === value || (box?.put?.(name, value) && ((placed[name] = value), true));
  function slide(name, value) {
    if (moves(name, value)) model.set("follows", true);
    set(name, value);
  }
  // Python is told once, not at each number: a link through Python then costs one message there and one back.
  function pursue(name) {
    const follows = moves(name, model.get(name));
    if (box && follows !== model.get("follows")) set("follows", follows);
  }
  const heard = [];
  const hear = (name, act) => { model.on(`change:${name}`, act); heard.push([name, act]); act(); };

  for (const { name, min, max, step } of inputs) {
    const slider = make("input", { type: "range", min, max, step: "any" });
    const exact = make("input", { type: "number", step });
    slider.setAttribute("aria-label", name);
    exact.setAttribute("aria-label", `${name}, exact`);
    slider.oninput = () => slide(name, +(Math.round(slider.value / step) * step).toPrecision(12));
    slider.onkeydown = (e) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[e.key];
      if (by) { e.preventDefault(); slider.value = model.get(name) + by * step; slider.oninput(); }
    };
    exact.onchange = () => exact.value !== "" && slide(name, +exact.value + 0);  // -0 would reach Python as 0
    bar.append(make("label", { className: "mg-in" }, name, slider, exact));
    hear(name, () => { slider.value = model.get(name); if (exact !== document.activeElement) exact.value = model.get(name); pursue(name); });
  }
  const menu = (name, options) => {
    const select = make("select", { onchange: () => set(name, select.value) });
    bar.append(make("label", {}, name, select));
    const fill = () => {
      select.replaceChildren(...options().map((text) => make("option", { value: text, textContent: text })));
      select.value = model.get(name);
    };
    hear(name, fill);
    hear("controls", fill);
  };
  menu("dtype", () => dtypes);
  menu("rule", () => model.get("controls").rules);
  hear("error", () => { error.textContent = model.get("error"); error.hidden = !model.get("error"); });

  hear("view", () => {
    const mode = box?.querySelector(".mg-modes :checked")?.value;
    box = make("div");
    placed = {};
    leave();
    place.replaceChildren(box);
    leave = render({ model, el: box });
    if (model.get("follows")) inputs.forEach(({ name }) => moves(name, model.get(name)));
    if (mode && mode !== model.get("view").mode) box.querySelector(`.mg-modes [value=${mode}]`)?.click();
  });
  el.addEventListener("keydown", (e) => e.key !== "Tab" && e.key !== "Escape" && e.stopPropagation());
  return () => { leave(); for (const [name, act] of heard) model.off(`change:${name}`, act); };
}

export default { render: live };
