// The strip: slopes over one input, and a marker of the present input that is dragged or moved by keys.
function stripOf({ put, hush, value, present }) {
  const HIGH = 170, L = 58, R = 10, T = 10, B = 34;
  const node = draw("svg", { class: "mg-strip", height: HIGH, role: "group" }), marker = draw("g", { tabindex: 0, role: "slider", class: "marker" });
  const legend = make("p", { className: "mg-legend" }, ...[["true", "true"], ["derived", present], ["yours", "yours"], ["nan", "nan or inf"], ["wrong", "wrong or lost"], ["unknown", "not sure"]]
    .map(([look, words]) => make("span", { className: look }, make("i"), words))), axis = make("span");
  legend.append(axis);
  let wide = 640, now = null, plotted = null, drag = false, frame = 0;
  const X = (x) => L + ((x - now.range[0]) / (now.range[1] - now.range[0])) * (wide - L - R);
  const moved = (e) => {
    const { left } = node.getBoundingClientRect(), part = (e.clientX - left - L) / (wide - L - R), [low, high] = now.range;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => put(Math.max(low, Math.min(high, low + part * (high - low)))));
  };
  node.addEventListener("pointerdown", (e) => { if (e.button) return; drag = true; node.setPointerCapture(e.pointerId); hush(true); moved(e); });
  node.addEventListener("pointermove", (e) => drag && moved(e));
  node.addEventListener("lostpointercapture", () => { if (drag) hush(false); drag = false; });
  marker.addEventListener("keydown", (e) => {
    const [low, high] = now.range, step = (high - low) / 100, by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
    const to = by ? value() + by * step : { Home: low, End: high }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    put(Math.max(low, Math.min(high, isFinite(to) ? to : 0)));
  });

  return {
    node, legend,
    fits(room) { const next = Math.min(1150, room - 26); if (next === wide || next < 100) return false; [wide, plotted] = [next, null]; return true; },
    // The curves are drawn again for other rows only; the marker follows each number.
    draw(next) {
      now = next;
      const focused = marker.matches(":focus");
      if (now.rows !== plotted) node.replaceChildren(...curves(), marker);
      plotted = now.rows;
      mark();
      if (focused) marker.focus({ preventScroll: true });
    },
  };

  function curves() {
    const { range, yours } = now, low = HIGH - B, quiet = ({ least }, v) => (Math.abs(v) < least ? 0 : v); // a float has lost its digits below
    const rows = now.rows.map((row) => ({ ...row, mine: quiet(row, row.mine), derived: quiet(row, row.derived), slope: row.slope && { low: quiet(row, row.slope.low), high: quiet(row, row.slope.high) } }));
    const sure = rows.flatMap(({ slope }) => (slope ? [slope.low, slope.high] : [])).filter(isFinite), span = Math.max(...sure, 0) - Math.min(...sure, 0) || 1;
    const near = yours ? rows.map((r) => r.mine).filter((v) => isFinite(v) && Math.abs(v) < 2 * span + Math.max(...sure.map(Math.abs), 0)) : [];
    // Few slopes that are much larger than the others, as next to a pole, would press these on a line.
    const sizes = sure.map(Math.abs).sort((a, b) => a - b), typical = sizes[Math.floor(0.9 * (sizes.length - 1))] || 1, bent = sizes[sizes.length - 1] > 1e3 * typical;
    write(axis, bent ? `slopes beyond ${short(typical, 1)} on a logarithmic scale` : "");
    const f = (v) => (bent ? Math.asinh(v / typical) : v), all = [0, ...sure, ...near].map(f), margin = 0.1 * (Math.max(...all) - Math.min(...all)) || 1;
    const [bottom, top] = [Math.min(...all) - margin, Math.max(...all) + margin], Y = (v) => Math.max(2, Math.min(low + 4, T + (low - T) * (1 - (f(v) - bottom) / (top - bottom))));
    const beyond = (v) => f(v) > top || f(v) < bottom, far = yours ? rows.filter(({ mine }) => isFinite(mine) && beyond(mine)) : [];
    const step = (X(rows[1].x) - X(rows[0].x)) / 2, line = (of, cut) => {
      let path = "", pen = false;
      rows.forEach((row, i) => {
        const v = of(row);
        if (!isFinite(v) || v === null || cut?.(row, i)) { pen = false; if (!isFinite(v) || v === null) return; }
        if (beyond(v)) { pen = false; return; }
        path += `${pen ? "L" : "M"}${X(row.x).toFixed(1)} ${Y(v).toFixed(1)}`;
        if (!pen) path += "h.1";
        pen = true;
      });
      return path;
    };
    const bands = [];
    const kindOf = ({ word, slope, mine, derived }) => (yours ? (isFinite(mine) ? word === "wrong" || word === "rounded" ? word : slope && word !== "blurred" ? "" : "unknown" : "nan") : isFinite(derived) ? slope ? "" : "unknown" : "nan");
    rows.forEach((row) => {
      const kind = kindOf(row), last = bands[bands.length - 1];
      if (last?.kind === kind) last.to = row.x;
      else bands.push({ kind, from: row.x, to: row.x });
    });
    node.setAttribute("width", wide);
    node.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
    const id = (node.id ||= `mg${Math.random().toString(36).slice(2)}`);
    const defs = draw("defs", {});
    defs.innerHTML = ["nan", "wrong"].map((kind, k) => `<pattern id='${id}${kind}' width='7' height='7' patternUnits='userSpaceOnUse' patternTransform='rotate(${k ? -45 : 45})'><path class='${kind}' d='M0 0V7'/></pattern>`).join("");
    const parts = [defs], named = [];
    for (const { kind, from, to } of bands) if (kind) {
      const a = Math.max(L, X(from) - step), b = Math.min(wide - R, X(to) + step), words = { nan: `${yours ? "yours" : present}: nan or inf`, wrong: "wrong", rounded: "lost to rounding", unknown: "not sure" }[kind];
      parts.push(draw("rect", { x: a, y: T, width: Math.max(3, b - a), height: low - T, class: `band ${kind}`, ...(kind === "unknown" ? {} : { fill: `url(#${id}${kind === "nan" ? "nan" : "wrong"})` }) }));
      if (b - a > 7 * words.length + 8) named.push([words, a, b]);
    }
    parts.push(draw("path", { class: "axis", d: `M${L} ${Y(0)}H${wide - R}` }));
    let above = -Infinity;
    const [most, least] = [Math.max(...sure, 0), Math.min(...sure, 0)], marks = bent ? [most, Math.sqrt(most * typical), typical, 0, -typical, -Math.sqrt(-least * typical), least] : [most, 0, least];
    for (const v of marks) if (v <= most && v >= least && Y(v) - above >= 12) {
      parts.push(draw("text", { x: L - 6, y: Y(v) + 4, class: "sm r" }, short(v, 3)));
      above = Y(v);
    }
    for (let k = 0; k < 5; k++) {
      const v = range[0] + (k / 4) * (range[1] - range[0]);
      parts.push(draw("text", { x: X(v), y: HIGH - 4, class: `sm ${k === 0 ? "" : k === 4 ? "r" : "c"}` }, short(v, 3)));
    }
    parts.push(draw("path", { class: "line true", d: line(({ slope }) => (slope && slope.low === slope.high ? slope.low : null), (row, i) => i > 0 && rows[i - 1].slope && rows[i - 1].slope.low < rows[i - 1].slope.high) }));
    parts.push(draw("path", { class: "line derived", d: line(({ derived }) => derived) }));
    if (yours) parts.push(draw("path", { class: "line yours", d: line(({ mine }) => mine) }));
    const out = []; // where the line of the rule leaves the strip, the number to which it goes
    for (const sign of [1, -1]) {
      const gone = far.filter(({ mine }) => mine * sign > 0), most = gone.reduce((a, b) => (b.mine * sign > a * sign ? b.mine : a), 0);
      if (gone.length) out.push([Math.max(L + 40, Math.min(wide - R - 40, (X(gone[0].x) + X(gone[gone.length - 1].x)) / 2)), sign > 0 ? T + 10 : low - 4, `${sign > 0 ? "▲" : "▼"} to ${short(most, 3)}`]);
    }
    parts.push(...out.map(([x, y, words]) => draw("text", { class: "sm c far", x, y }, words)));
    for (const [words, a, b] of named) parts.push(draw("text", { ...clear(words, a, b), class: "sm c" }, words));
    return parts;

    // The place between a and b that is the farthest from all lines, and from what is written.
    function clear(words, a, b) {
      const half = 3.5 * words.length + 4, lines = [({ slope }) => slope?.low, ({ derived }) => derived, ({ mine }) => mine].slice(0, yours ? 3 : 2);
      const apart = ({ x, y }) => Math.min(...lines.flatMap((of) => rows.slice(1).flatMap((row, i) => {
        if (X(row.x) < x - half || X(rows[i].x) > x + half) return [];
        const ends = [of(rows[i]), of(row)].filter((v) => isFinite(v) && v !== null).map(Y);
        return ends.length ? [Math.max(0, Math.min(...ends) - y, y - Math.max(...ends))] : [];
      })), ...out.map(([u, v]) => (Math.abs(u - x) < half + 40 ? Math.abs(v - y - 4) : HIGH)), HIGH);
      const spots = [0.5, 0.25, 0.75].map((part) => Math.max(a + half, Math.min(b - half, a + part * (b - a)))).flatMap((x) => [(T + low) / 2, T + 12, low - 10].map((y) => ({ x, y })));
      const best = spots.find((spot) => apart(spot) > 14) ?? spots.reduce((p, q) => (apart(q) > apart(p) ? q : p));
      return { x: best.x, y: best.y + 4 };
    }
  }

  function mark() {
    const { range, name, x } = now, low = HIGH - B;
    const mx = Math.max(L, Math.min(wide - R, isFinite(x) ? X(x) : L)), out = isFinite(x) && (x < range[0] || x > range[1]), words = `${x < range[0] ? "← " : ""}${name} = ${short(x)}${x > range[1] ? " →" : ""}`, room = words.length * 7 + 14, tx = Math.max(room / 2, Math.min(wide - room / 2, mx));
    marker.replaceChildren(draw("path", { class: "stem", d: out ? "" : `M${mx} ${T - 6}V${low}` }), draw("rect", { class: "knob", x: tx - room / 2, y: low, width: room, height: 20, rx: 10 }), draw("text", { class: "c kt", x: tx, y: low + 14 }, words));
    Object.assign(marker, { ariaLabel: `${name}, along the strip`, ariaValueNow: x, ariaValueText: words, ariaValueMin: range[0], ariaValueMax: range[1] });
    node.ariaLabel = `Slopes over ${name} from ${short(range[0])} to ${short(range[1])}`;
  }
}
