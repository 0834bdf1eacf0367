// The place of the picture: zoom, panning by drag, and scrolling to a box. The page itself is never scrolled.
// `size` = {wide, high} is the picture's own size; changed(stage) is called after each change of the zoom.

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

function staged(stage, svg, changed) {
  const many = svg.querySelectorAll(".n").length > 40;
  const size = { wide: svg.width.baseVal.value, high: svg.height.baseVal.value };
  const it = { zoom: 1, own: 1, size, scale, fitting, reveal, resize, hold, widened };
  let wide;

  // Zoom about a point of the stage, by default its middle; the stage's scroll bars are the way to pan.
  function scale(to, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const k = Math.max(0.1, Math.min(4, to)) / it.zoom;
    const left = (stage.scrollLeft + x) * k - x, top = (stage.scrollTop + y) * k - y;
    it.zoom *= k;
    put(svg, { width: size.wide * it.zoom, height: size.high * it.zoom });
    stage.scrollTo({ left, top, behavior: "instant" });
    changed();
  }

  // The picture has another size: a frame was opened or closed.
  function resize(wide, high) {
    Object.assign(size, { wide, high });
    put(svg, { viewBox: `0 0 ${wide} ${high}`, width: wide * it.zoom, height: high * it.zoom });
    put(svg.querySelector(".paper"), { width: wide, height: high });
    changed();
  }

  function fitting() {
    return Math.max(0.1, Math.min(4, room() / size.wide, Math.max(it.own, 600 / size.high)));
  }

  // Do what changes the picture, and keep an element where it is on the screen.
  function hold(g, act) {
    const before = g.getBoundingClientRect();
    act();
    const after = g.getBoundingClientRect();
    stage.scrollBy({ left: after.left - before.left, top: after.top - before.top, behavior: "instant" });
  }

  // The width of what the picture stands in, which beside code is wider than its own place.
  function room() {
    return stage.parentElement.clientWidth - 4;
  }

  // As large as a projector needs it; many boxes are smaller where they all fit then. A picture that is a little too
  // wide for its place is a little smaller; one that is much wider scrolls.
  function projected() {
    const down = (parseFloat(getComputedStyle(stage).maxHeight) - 4) / size.high;
    const most = innerWidth < 1200 ? 1 : many && down >= 1 ? Math.min(1.3, down) : 1.3, k = Math.min(most, room() / size.wide);
    return k < 11 / 12 ? 1 : k;
  }

  // It has another width, or is shown for the first time: a picture that nobody has zoomed has its best size again.
  function widened() {
    if (!wide) watch.observe(stage.parentElement);
    if (wide === room() || it.zoom !== it.own) return;
    wide = room();
    it.own = projected();
    scale(it.own, 0, 0);
    reveal(it.spot);
  }

  function reveal(g) {
    it.spot = g;
    if (!g) return;
    const a = g.getBoundingClientRect(), b = stage.getBoundingClientRect(), margin = 120;
    const move = (low, high, from, to) => (low < from + margin ? low - from - margin : high > to - margin ? high - to + margin : 0);
    const left = a.width && move(a.left, a.right, b.left, b.right), top = a.width && move(a.top, a.bottom, b.top, b.bottom);
    if (left || top) stage.scrollBy({ left, top, behavior: CALM.matches ? "auto" : "smooth" });
  }

  const watch = new ResizeObserver(() => requestAnimationFrame(widened)); // not at once: it changes what is observed
  stage.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    const b = stage.getBoundingClientRect();
    scale(it.zoom * Math.exp(-e.deltaY / 400), e.clientX - b.left, e.clientY - b.top);
  }, { passive: false });
  stage.addEventListener("pointerdown", (e) => {
    if (e.button || e.pointerType !== "mouse" || e.target.closest(".n,.hit")) return;
    // Or words would be selected.
    e.preventDefault();
    stage.setPointerCapture(e.pointerId);
    stage.onpointermove = (m) => stage.scrollBy(-m.movementX, -m.movementY);
  });
  stage.addEventListener("pointerup", () => { stage.onpointermove = null; });
  return it;
}

// The host's theme for `nodes`: JupyterLab, VS Code, otherwise the system's. Returns what ends the watch.
function themed(nodes) {
  const follow = () => {
    const { jpThemeLight: lab, vscodeThemeKind: code } = document.body.dataset;
    const name = lab ? (lab === "true" ? "light" : "dark") : code ? (/light/.test(code) ? "light" : "dark") : null;
    for (const node of nodes()) name ? (node.dataset.theme = name) : delete node.dataset.theme;
  };
  const watcher = new MutationObserver(follow);
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  follow();
  return () => watcher.disconnect();
}
