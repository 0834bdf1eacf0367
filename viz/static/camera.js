// The camera: how near the reader is and where. At zoom 1 the whole is seen; nearer, boxes stand apart and say more, and
// words keep their size. `moved()` draws again. A plain wheel scrolls the page.

const NEAREST = 12, CALM = matchMedia("(prefers-reduced-motion: reduce)");

function cameraOf(stage, size, moved) {
  const it = { zoom: 1, x: 0, y: 0, at, to, look, whole: () => to(1), mapped };
  const fingers = new Map();
  let pan = null;

  function at(zoom, x, y) {
    const { wide, high } = size();
    it.zoom = Math.max(1, Math.min(NEAREST, zoom));
    it.x = Math.min(0, Math.max(wide - wide * it.zoom, x));
    it.y = Math.min(0, Math.max(high - high * it.zoom, y));
    moved();
  }

  // Zoom about a point of the picture, by default its middle.
  function to(zoom, px = size().wide / 2, py = size().high / 2) {
    const k = Math.max(1, Math.min(NEAREST, zoom)) / it.zoom;
    at(zoom, px - (px - it.x) * k, py - (py - it.y) * k);
  }

  // Bring a rectangle into the middle, unless it is well in sight.
  function look([x, y, w, h]) {
    const { wide, high } = size();
    if (it.zoom === 1 || (x > 20 && y > 10 && x + w < wide - 20 && y + h < high - 10)) return;
    at(it.zoom, it.x + wide / 2 - x - w / 2, it.y + high / 2 - y - h / 2);
  }

  const point = (e) => { const r = stage.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  stage.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    to(it.zoom * Math.exp(-e.deltaY / 300), ...point(e));
  }, { passive: false });
  stage.addEventListener("pointerdown", (e) => {
    fingers.set(e.pointerId, point(e));
    const [x, y] = point(e);
    if (!e.button && it.zoom > 1) pan = { x, y, left: it.x, top: it.y, on: false };
  });
  stage.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId), [x, y] = point(e);
    if (!before) return;
    const others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    if (others.length === 1) { // a pinch
      const [a, b] = others[0], far = (p, q) => Math.hypot(p - a, q - b);
      to(it.zoom * far(x, y) / Math.max(1, far(...before)), (x + a) / 2, (y + b) / 2);
    } else if (pan && !stage.closest(".mg-scrubbing")) {
      pan.on ||= Math.hypot(x - pan.x, y - pan.y) > 3;
      if (pan.on) at(it.zoom, pan.left + x - pan.x, pan.top + y - pan.y);
    }
    fingers.set(e.pointerId, [x, y]);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    stage.addEventListener(end, (e) => { fingers.delete(e.pointerId); if (pan?.on) stage.dataset.panned = 1, setTimeout(() => delete stage.dataset.panned); pan = null; });
  }

  // A map in the corner of a picture that is not seen whole: its boxes, and a frame around what is seen.
  function mapped(boxes) {
    if (it.zoom === 1) return "";
    const { wide, high } = size(), k = 120 / wide / it.zoom;
    const path = boxes.map(([x, y, w, h]) => `M${places((x - it.x) * k)} ${places((y - it.y) * k)}h${Math.max(1, w * k)}v${Math.max(1, h * k)}h-${Math.max(1, w * k)}z`).join("");
    const [x, y, w, h] = [-it.x * k, -it.y * k, wide * k, high * k];
    return `<g class='map' transform='translate(${wide - 128} 8)'><rect class='b' width='120' height='${high * it.zoom * k}'/>` +
      `<path d='${path}'/><rect class='seen' x='${x}' y='${y}' width='${w}' height='${h}'/></g>`;
  }
  return it;
}

// The number of a message travels against the arrow of the forward pass, and lands. Without motion it is simply there.
function fly(svg, edge, text) {
  const path = svg.querySelector(`path[data-e="${edge}"]`);
  if (!path || CALM.matches) return;
  const length = path.getTotalLength(), wide_by = wide(text, 12, true) + 12, g = document.createElementNS(svg.namespaceURI, "g");
  g.setAttribute("class", "tok");
  g.innerHTML = `<rect x="${-wide_by / 2}" y="-9" width="${wide_by}" height="18" rx="9"/><text class="c" y="4">${escaped(text)}</text>`;
  svg.append(g);
  const start = performance.now();
  const tick = (now) => {
    const t = Math.min(1, Math.max(0, (now - start) / 520)), p = path.getPointAtLength(length * (1 - t * t * (3 - 2 * t)));
    g.setAttribute("transform", `translate(${p.x} ${p.y})`);
    if (!g.isConnected) return;
    if (t < 1) requestAnimationFrame(tick);
    else setTimeout(() => g.remove(), 160);
  };
  requestAnimationFrame(tick);
}
