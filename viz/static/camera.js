// The camera: how near the reader is and where. At zoom 1 the whole is seen; nearer, boxes stand apart and say more, and
// words keep their size, in a window that grows up to `most` pixels. `moved()` draws again. A plain wheel scrolls the page.

const NEAREST = 12, CALM = matchMedia("(prefers-reduced-motion: reduce)");

function cameraOf(stage, size, moved) {
  const it = { zoom: 1, x: 0, y: 0, at, to, look, mapped, seen, below };
  const fingers = new Map();
  let pan = null;

  // How much of the height is in the window.
  function seen({ high, most } = size()) {
    return Math.round(Math.max(high, Math.min(most - below(), high * it.zoom)));
  }

  // The room of the map below a narrow picture, whose boxes leave it no corner.
  function below({ wide, high } = size()) {
    return wide < 500 && it.zoom > 1 ? (120 * high) / wide + 16 : 0;
  }

  function at(zoom, x, y) {
    const { wide, high } = size();
    it.zoom = Math.max(1, Math.min(NEAREST, zoom));
    it.x = Math.min(0, Math.max(wide - wide * it.zoom, x));
    it.y = Math.min(0, Math.max(seen() - high * it.zoom, y));
    stage.classList.toggle("mg-near", it.zoom > 1);
    moved();
  }

  // Zoom about a point of the picture, by default its middle.
  function to(zoom, px = size().wide / 2, py = seen() / 2) {
    const k = Math.max(1, Math.min(NEAREST, zoom)) / it.zoom;
    at(zoom, px - (px - it.x) * k, py - (py - it.y) * k);
  }

  // Bring a rectangle into the middle, unless it is well in sight.
  function look([x, y, w, h]) {
    const { wide } = size(), high = seen();
    if (it.zoom === 1 || (x > 20 && y > 10 && x + w < wide - 20 && y + h < high - 10)) return;
    at(it.zoom, it.x + wide / 2 - x - w / 2, it.y + high / 2 - y - h / 2);
  }

  // Where a pointer is in the lane under it.
  const point = (e) => { const r = (e.target.closest?.("svg") ?? stage).getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  stage.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    to(it.zoom * Math.exp(-e.deltaY / 300), ...point(e));
  }, { passive: false });
  stage.addEventListener("pointerdown", (e) => {
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (!e.button && it.zoom > 1 && !e.target.closest(".hit,.mg-drag")) pan = { x: e.clientX, y: e.clientY, left: it.x, top: it.y };
    if (fingers.size === 2) pan = { pinch: it.zoom, middle: point(e) };
  });
  stage.addEventListener("pointermove", (e) => {
    const was = fingers.get(e.pointerId);
    if (!was) return;
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1], [x, y] = [e.clientX - pan?.x, e.clientY - pan?.y];
    if (pan?.pinch && other) { // both fingers: the distance between them
      const far = (p) => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
      to(it.zoom * far([e.clientX, e.clientY]) / far(was), ...pan.middle);
    } else if (pan?.on || Math.hypot(x, y) > 3) {
      if (!pan.on) stage.setPointerCapture(e.pointerId);
      pan.on = true;
      at(it.zoom, pan.left + x, pan.top + y);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, (e) => {
      fingers.delete(e.pointerId);
      if (pan?.on || pan?.pinch) stage.dataset.panned = 1, setTimeout(() => delete stage.dataset.panned);
      pan = null;
    });
  }

  // A map of a picture that is not seen whole, in a corner or at `top` below it: its boxes, and a frame around what is
  // seen. `busy` is the rectangle that it does not cover.
  function mapped(boxes, busy, top) {
    if (it.zoom === 1) return "";
    const { wide, high } = size(), k = 120 / wide / it.zoom, tall = high * it.zoom * k;
    const path = boxes.map(([x, y, w, h]) => `M${places((x - it.x) * k)} ${places((y - it.y) * k)}h${places(Math.max(1, w * k))}v${places(Math.max(1, h * k))}h-${places(Math.max(1, w * k))}z`).join("");
    const left = busy && busy[0] + busy[2] > wide - 136 && busy[1] < tall + 16 ? 8 : wide - 128;
    const strip = below() ? `<rect class='paper' y='${top}' width='${wide}' height='999'/>` : ((top = 0), "");
    return `${strip}<g class='map' transform='translate(${left} ${top + 8})'><rect class='b' width='120' height='${places(tall)}'/><path d='${path}'/>` +
      `<rect class='seen' x='${places(-it.x * k)}' y='${places(-it.y * k)}' width='${places(wide * k)}' height='${places(seen() * k)}'/></g>`;
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
