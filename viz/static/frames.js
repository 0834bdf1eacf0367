// Frames that open in place. Python ordered what stands in each frame (viz/layout/sheet.py); here columns get their
// coordinates, as viz/layout/flow.py gives them while all frames are closed: one after the other and, where they are
// too wide together, in lines as a text. lane.sheets = {"": the whole, [frame]: what it holds}, each
//   {columns: [[gap, label, size, crossing]], boxes: {key: [column, across, w, h]},
//    tracks: {key: [src, leave, [[column, across]], dst, arrive]}}.

const MARGIN = 14, LANE = 12, NECK = 8, AISLE = 10, LINE = 8, HEAD = 26;

// Boxes, paths and size of a sheet in which the frames of `inner` are open: {key: {wide, high, ports}}.
function flow(sheet, limit, inner, across, least = 0) {
  const { columns, boxes, tracks } = sheet, size = (key) => (inner[key] ? [inner[key].wide, inner[key].high] : boxes[key].slice(2));
  const along = ([w, h]) => (across ? w : h), broad = ([w, h]) => (across ? h : w);
  const sizes = columns.map((c) => c[2]), grown = columns.map(() => []);
  for (const key in inner) {
    const [k, at, ...closed] = boxes[key];
    sizes[k] = Math.max(sizes[k], along(size(key)));
    grown[k].push([at, (broad(size(key)) - broad(closed)) / 2]);
  }
  // What stands beside an open frame in its column moves aside.
  const aside = (k, c) => grown[k].reduce((sum, [at, by]) => sum + Math.sign(c - at) * by, c);
  const lines = [], home = [], best = [[0, 0]];
  columns.forEach((_, k) => {
    const after = columns[k + 1]?.[3] ?? 0;
    let found = [Infinity, 0], wide = 2 * MARGIN;
    for (let from = k; from >= 0 && !(wide > 2 * limit && found[0] < Infinity); from--) {
      const [gap, label, , crossing] = columns[from];
      if (!from || crossing <= NECK) {
        const over = wide + (from && label) + sizes[from] + AISLE * ((from && crossing) + after) - limit;
        const cost = best[from][0] + LINE + after + (Math.max(0, over) / LINE) ** 2;
        if (cost < found[0] || (cost === found[0] && from < found[1])) found = [cost, from];
      }
      wide += gap + sizes[from];
    }
    best.push(after <= NECK ? found : [Infinity, 0]);
  });
  for (let last = columns.length; last; last = best[last][1])
    lines.unshift(columns.map((_, k) => k).slice(best[last][1], last));
  const spans = [], low = [], high = [];
  lines.forEach((line, n) => {
    let u = MARGIN + (n ? AISLE * columns[line[0]][3] : 0);
    for (const k of line) {
      const [gap, label] = columns[k], begin = u + (k ? (k > line[0] ? gap : label) : 0);
      spans.push({ begin, end: (u = begin + sizes[k]), label: begin - label, line: n });
      home[k] = n;
    }
    [low[n], high[n]] = [Infinity, 0];
  });
  const reach = (k, c, half) => {
    low[home[k]] = Math.min(low[home[k]], aside(k, c) - half);
    high[home[k]] = Math.max(high[home[k]], aside(k, c) + half);
  };
  for (const key in boxes) reach(boxes[key][0], boxes[key][1], broad(size(key)) / 2);
  for (const key in tracks) for (const [k, c] of tracks[key][2]) reach(k, c, LANE / 2);
  const shift = [], floors = [], ends = [];
  let top = MARGIN;
  lines.forEach((line, n) => {
    if (n) top += 2 * AISLE + AISLE * columns[line[0]][3];
    shift.push(Math.round(top - low[n]));
    floors.push((top += high[n] - low[n]));
    ends.push(spans[line.at(-1)].end);
  });
  const room = Math.max(0, ...lines.slice(1).map((line) => AISLE * columns[line[0]][3]));
  const length = Math.max(Math.max(...ends) + MARGIN + room, least), breadth = top + MARGIN;
  const xy = (u, c) => (across ? [u, c] : [c, u]);

  const placed = {}, ports = {};
  for (const key in boxes) {
    const [k, c] = boxes[key], span = spans[k], at = aside(k, c) + shift[span.line];
    const [x, y] = xy((span.begin + span.end) / 2, at), [w, h] = size(key);
    placed[key] = [x - w / 2, y - h / 2, w, h];
    if ("<>".includes(key[0])) ports[key] = at;
  }
  // Where a line meets a box: at the rim of an open frame where it goes on inside.
  const meet = (key, offset, port) => {
    const span = spans[boxes[key][0]], [x, y, w, h] = placed[key], half = along([w, h]) / 2;
    const inside = inner[key]?.ports[port], c = across ? y : x;
    const at = inside === undefined ? c + broad([w, h]) / 2 + offset : c + (across ? HEAD : 0) + inside;
    return [span, at, half, (span.begin + span.end) / 2];
  };
  const ways = {}, turns = lines.map(() => []);
  for (const key in tracks) {
    const [src, leave, lanes, dst, arrive] = tracks[key];
    const [a, start, out, from] = meet(src, leave, `>${key}`), [b, goal, into, to] = meet(dst, arrive, `<${key}`);
    const way = [[a.line, src[0] === "<" ? (across ? 0 : -HEAD) : from + out, start], [a.line, a.end, start]];
    for (const [k, c] of lanes) {
      const { line, begin, end } = spans[k], at = aside(k, c) + shift[line];
      way.push([line, begin, at], [line, end, at]);
    }
    ways[key] = [...way, [b.line, b.label, goal], [b.line, dst[0] === ">" ? length : to - into, goal]];
    way.forEach(([line, , c], i) => ways[key][i + 1][0] > line && turns[line].push([c, key]));
  }
  const paths = {};
  for (const key in ways) {
    const way = ways[key], point = (u, c) => xy(u, c).map(Math.round).join(" ");
    let d = `M${point(way[0][1], way[0][2])}`;
    way.slice(1).forEach(([after, u, c], i) => {
      const [line, v, e] = way[i];
      if (after > line) {
        const row = AISLE * turns[line].filter((t) => t[0] > e || (t[0] === e && t[1] > key)).length;
        const down = floors[line] + AISLE + row, out = ends[line] + AISLE + row, back = MARGIN + row;
        for (const spot of [[out, e], [out, down], [back, down], [back, c], [u, c]]) d += `L${point(...spot)}`;
      } else if (Math.abs(c - e) < 0.5) d += Math.abs(u - v) < 0.5 ? "" : `L${point(u, c)}`;
      else d += `C${point((u + v) / 2, e)} ${point((u + v) / 2, c)} ${point(u, c)}`;
    });
    const [, u, c] = way.at(-1), [x, y] = xy(u, c);
    paths[key] = { d, x, y };
  }
  const [w, h] = xy(length, breadth);
  return { wide: w, high: h + HEAD, ports, placed, paths };
}

// The frames of a lane: open or close one, and place everything anew. `stage` is told the size of the picture, and
// changed(frame) is called for a frame that is open or closed now.
function framed(lane, root, stage, changed) {
  const across = !root.querySelector(".TB"), found = (name, kind) => new Map([...root.querySelectorAll(kind)].map((g) => [g.dataset[name], g]));
  const boxes = found("key", ".n[data-key]"), lines = found("key", ".e[data-key]"), marks = found("key", ".k[data-key]"), stumps = found("key", ".w[data-key]"), insides = found("in", ".in");
  const holder = new Map([...insides].map(([key, g]) => [key, g.parentElement.closest(".in")?.dataset.in ?? ""]));
  const open = new Set();

  function place(key, width, least) {
    const inner = {};
    for (const [frame, around] of holder) if (around === key && open.has(frame))
      inner[frame] = place(frame, width - 2 * MARGIN, +boxes.get(frame).dataset.w + 40);
    const it = flow(lane.sheets[key], width, inner, across, least);
    for (const box in it.placed) {
      const g = boxes.get(box), [x, y, w, h] = it.placed[box].map(Math.round), inside = insides.get(box);
      if (!g) continue;
      g.setAttribute("transform", `translate(${x} ${y})`);
      if (!inside) continue;
      const rim = g.querySelector(".b");
      rim.setAttribute("width", w);
      rim.setAttribute("height", h);
      const sign = g.querySelector(".s");
      sign.setAttribute("x", w - 9);
      sign.textContent = open.has(box) ? "−" : "+";
      const head = g.querySelector(".h"), name = (head.dataset.name ??= head.textContent);
      head.textContent = open.has(box) ? lane.groups[box].head.slice(6) : name;
      g.querySelector(".tag")?.setAttribute("transform", `translate(${w - 30} -8)`);
      g.classList.toggle("open", open.has(box));
      inside.setAttribute("transform", `translate(${x} ${y + HEAD})`);
      inside.setAttribute("display", open.has(box) ? "inline" : "none");
    }
    for (const line in it.paths) {
      const { d, x, y } = it.paths[line], g = lines.get(line), mark = marks.get(line);
      g.firstElementChild.setAttribute("d", d);
      for (const [kind, off] of [["m", across ? -4 : -18], ["d", across ? 11 : -32]]) {
        for (const text of [g.querySelector(`.${kind}`), kind === "m" && stumps.get(line)].filter(Boolean)) {
          text.setAttribute("x", across ? x - 9 : x);
          text.setAttribute("y", y + off);
        }
      }
      g.classList.toggle("through", !!inner[lane.sheets[key].tracks[line][3]]);
      mark?.setAttribute("x", across ? x + 3 : x + 6);
      mark?.setAttribute("y", across ? y + 3 : y - 2);
    }
    return it;
  }

  const around = (g) => { const inside = g.parentElement.closest(".in"); return inside ? [...around(inside), boxes.get(inside.dataset.in)] : []; };
  const it = {
    open,
    opens: (g) => insides.has(g.dataset.f),
    // The frames around a box from the outermost; the outermost one that is closed stands for the box.
    around,
    seen: (g) => around(g).find((frame) => !open.has(frame.dataset.f)) ?? g,
    // A click opens a closed frame anywhere, and closes an open one at its head.
    hit: (g, e) => it.opens(g) && (!open.has(g.dataset.f) || e.clientY - g.getBoundingClientRect().top < HEAD * stage.zoom),
    // A frame that opens or closes stays where it is on the screen.
    toggle(g) {
      stage.hold(g, () => set(g, !open.has(g.dataset.f)));
    },
    unfold(g) {
      for (const frame of around(g)) if (!open.has(frame.dataset.f)) set(frame, true);
    },
  };
  function set(g, on) {
    open[on ? "add" : "delete"](g.dataset.f);
    const { wide, high } = place("", lane.limit || Infinity, 0);
    stage.resize(wide, high - HEAD);
    changed(g);
  }
  for (const key of insides.keys()) boxes.get(key).dataset.w = boxes.get(key).querySelector(".b").getAttribute("width");
  return it;
}
