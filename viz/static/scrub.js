const largestOf = (list) => list.reduce((m, v) => (isFinite(v) ? Math.max(m, Math.abs(v)) : m), 0);

// An arrow key moves a number by a tenth of its power of ten (80 by 1, -0.02 by 0.001) and a pixel by a tenth of that,
// counted from the number at which the keys or the drag begin, so the way back ends at that very number.
//
// A number that is 0, not finite, or a thousand times smaller than the largest element of its array moves in the steps of
// that element; where all elements are 0, in those of the recorded ones. `digits` is how many digits a number keeps.
function stepsFrom(v, elements, recorded, digits) {
  const own = largestOf([v]), all = largestOf(elements), scale = (own * 1e3 < all ? all : own) || largestOf(recorded) || 1;
  const tenth = Math.max(-322, scale.toExponential(2).split("e")[1] - 2), start = [+v.toPrecision(digits), v, 0].find(isFinite);
  return {
    keys: (tenths) => (tenths ? +(start + +`${tenths}e${tenth}`).toPrecision(digits) : v),
    // A drag ends at a multiple of the step of its pixels, which Shift and Alt change by a power of ten.
    pixels: (n, power, step = `e${tenth + power}`) => (n ? +(Math.round(start / +("1" + step) + n) + step) : v),
  };
}

// A sideways drag of at least 3 pixels changes a number; less is a click. A touch that moves up or down scrolls the page.
// `of(event)` is the field that a press on the node changes, if any; `hush(on)` is called when a drag begins and when it ends.
function scrub(node, of, hush) {
  let from = null, frame = 0;
  node.onpointerdown = (e) => { const f = !e.button && of(e); if (f) from = { x: e.clientX, y: e.clientY, f }; };
  node.onpointermove = (e) => {
    const dx = from && e.clientX - from.x;
    if (!from || (!from.steps && (Math.abs(dx) < 3 || (e.pointerType === "touch" && Math.abs(e.clientY - from.y) > Math.abs(dx))))) return;
    if (!from.steps) {
      from.f.take();
      from.steps = from.f.steps();
      node.setPointerCapture(e.pointerId);
      hush(true);
    }
    e.preventDefault();
    const v = from.steps.pixels(dx, e.shiftKey - e.altKey), { f } = from;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => f.put(v));
  };
  node.ondragstart = () => false; // the selected text stays
  node.addEventListener("touchmove", (e) => from?.steps && e.preventDefault(), { passive: false }); // elements of an SVG scroll otherwise
  node.onpointerup = node.onpointercancel = () => {
    if (from?.steps) {
      hush(false);
      node.dataset.dragged = 1;
      setTimeout(() => delete node.dataset.dragged);
    }
    from = null;
  };
  node.addEventListener("click", (e) => { if (node.dataset.dragged) e.stopImmediatePropagation(); }, true);
}
