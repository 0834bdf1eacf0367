// A sideways drag of at least 3 pixels changes a number; less is a click. A pixel is a tenth of an arrow key. A touch that
// moves up or down scrolls the page. `hush(on)` is called when a drag begins and when it ends.
function scrub(node, f, hush) {
  let from = null, frame = 0;
  node.addEventListener("pointerdown", (e) => { if (!e.button) from = { x: e.clientX, y: e.clientY, v: isFinite(f.at()) ? f.at() : 0, on: false }; });
  node.addEventListener("pointermove", (e) => {
    const dx = from && e.clientX - from.x;
    if (!from || (!from.on && (Math.abs(dx) < 3 || (e.pointerType === "touch" && Math.abs(e.clientY - from.y) > Math.abs(dx))))) return;
    if (!from.on) {
      from.on = true;
      node.setPointerCapture(e.pointerId);
      hush(true);
    }
    e.preventDefault();
    const unit = (f.unit / 10) * (e.shiftKey ? 10 : e.altKey ? 0.1 : 1), v = +(Math.round((from.v + dx * unit) / unit) * unit).toPrecision(7);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => f.put(v));
  });
  node.addEventListener("touchmove", (e) => from?.on && e.preventDefault(), { passive: false }); // elements of an SVG scroll otherwise
  const end = () => {
    if (from?.on) {
      hush(false);
      node.dataset.dragged = 1;
      setTimeout(() => delete node.dataset.dragged);
    }
    from = null;
  };
  node.addEventListener("pointerup", end);
  node.addEventListener("pointercancel", end);
  node.addEventListener("click", (e) => { if (node.dataset.dragged) e.stopImmediatePropagation(); }, true);
}
