// The overview of a large picture: its boxes in a corner, and a frame around the part that is seen, which is dragged or
// moved by arrow keys. It is there while the picture is larger than its place. `boxes` are elements of the picture.

function mapped(stage, place, boxes) {
  const sheet = draw("svg", {}), all = draw("path", {}), now = draw("path", { class: "cur" }), seen = draw("rect", {});
  const map = make("div", { className: "mg-map", tabIndex: 0, role: "group" }, sheet);
  map.ariaLabel = "Overview: arrow keys move it";
  sheet.append(all, now, seen);
  stage.before(make("div", { className: "mg-over" }, map));
  let running;

  const rect = (g) => g.getBoundingClientRect();
  const to = (left, top) => stage.scrollTo({ left, top, behavior: "instant" });

  function outline(some) {
    const { x, y } = rect(stage.querySelector("svg")), k = place.zoom;
    return some.map((g) => ((r) => r.width ? `M${(r.x - x) / k} ${(r.y - y) / k}h${r.width / k}v${r.height / k}h${-r.width / k}z` : "")(rect(g))).join("");
  }

  // The size of the picture, its boxes or its zoom are others.
  function update() {
    const { wide, high } = place.size, small = Math.min(190 / wide, stage.clientWidth / 3 / wide, 170 / high);
    map.hidden = stage.scrollWidth <= stage.clientWidth + 1 && stage.scrollHeight <= stage.clientHeight + 1;
    put(sheet, { width: wide * small, height: high * small, viewBox: `0 0 ${wide} ${high}` });
    put(all, { d: outline(boxes.filter((g) => !g.classList.contains("open"))) });
    it.shown(running);
  }

  // It makes room for the box of the running message.
  function moved() {
    const k = place.zoom, a = rect(map), b = running && rect(running);
    put(seen, { x: stage.scrollLeft / k, y: stage.scrollTop / k, width: stage.clientWidth / k, height: stage.clientHeight / k });
    if (b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) map.classList.toggle("left");
  }

  map.onpointerdown = map.onpointermove = (e) => {
    if (!(e.buttons & 1)) return;
    map.setPointerCapture(e.pointerId);
    const b = rect(sheet), k = place.size.wide * place.zoom / b.width;
    to((e.clientX - b.x) * k - stage.clientWidth / 2, (e.clientY - b.y) * k - stage.clientHeight / 2);
  };
  map.onkeydown = (e) => {
    const way = WAYS[e.key];
    if (!way) return;
    to(stage.scrollLeft + way[0] * stage.clientWidth / 4, stage.scrollTop + way[1] * stage.clientHeight / 4);
    e.preventDefault();
    e.stopPropagation();
  };
  stage.addEventListener("scroll", moved);
  new ResizeObserver(update).observe(stage);
  const it = {
    update,
    shown(g) {
      running = g;
      put(now, { d: outline(g ? [g] : []) });
      moved();
    },
  };
  return it;
}
