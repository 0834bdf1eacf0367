// Boxes of the picture with other values than those that Python drew.

// A box of one node: its value, its tag, what is spoken of it. A value too wide for it is squeezed. In a dense picture it
// stands beside the name.
function redraw(g, info, value, beside) {
  const line = beside ? g.querySelector(".s") : [...g.querySelectorAll("text")].find((t) => t.textContent.startsWith("= "));
  if (line) {
    const wide = g.querySelector(".b").width.baseVal.value;
    write(line, (beside ? "" : "= ") + short(value));
    const room = beside ? wide - 18 - 7.9 * g.querySelector(".h").textContent.length : wide - 2 * line.getAttribute("x") + 4;
    if (line.textContent.length * 7.3 > room) line.setAttribute("textLength", Math.max(20, room));
    else line.removeAttribute("textLength");
    line.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  shade(g, value);
  tagged(g, nonfinite(value) && (isArray(value) ? nonfinite(value) : short(value)));
  const title = g.querySelector("title");
  if (title) write(title, `${info.head}: ${info.value}`);
  g.setAttribute("aria-label", `${info.head}, value ${info.value}`);
}

// A closed frame: whether a value in it is nan or inf, and whether the first such message is sent from it.
function reframe(g, lane, told) {
  const inside = g.dataset.n.split(" ").map(Number), group = lane.groups[g.dataset.f], title = g.querySelector(":scope>title");
  const word = inside.map((n) => nonfinite(told.values.get(n) ?? 0)).find(Boolean) || "";
  const first = told.stops.find((s) => s[7] & BORN && inside.includes(s[1])), born = first ? (first[8].includes("nan is born") ? "nan" : "inf") : "";
  const line = [...g.children].find((t) => t.textContent.endsWith("born inside") || t.dataset.born);
  tagged(g, word);
  g.classList.toggle("born", !!born);
  group.head = group.head.split(", nan born")[0].split(", inf born")[0] + (born && `, ${born} born inside`);
  if (title) write(title, group.head);
  nameBox({ g, lane, ids: inside });
  if (line) Object.assign(line.dataset, { born }), write(line, born && `${born} born inside`);
}

// The tag at the corner of a box whose value is nan or inf.
function tagged(g, words) {
  let tag = g.querySelector(":scope>.tag");
  if (words && !tag) {
    tag = draw("g", { class: "tag", transform: `translate(${g.querySelector(".b").width.baseVal.value - 30} -8)` });
    tag.append(draw("rect", { width: 34, height: 14, rx: 2 }), draw("text", { x: 17, y: 11 }));
    g.append(tag);
  }
  if (!tag) return;
  tag.style.display = words ? "" : "none";
  write(tag.lastChild, words || "");
}

// The elements of a small array, drawn anew where they stand.
function shade(g, value) {
  const old = [...g.querySelectorAll(":scope>.q")], row = isArray(value) && +value.shape.split("×").pop();
  if (!old.length || !row) return;
  const corners = old.flatMap((path) => [...path.getAttribute("d").matchAll(/M([\d.]+)\s([\d.]+)H/g)].map((m) => [+m[1], +m[2]]));
  old[0].before(...cellsAt(shadesOf(value), row, Math.min(...corners.map((c) => c[0])), corners[0][1]));
  old.forEach((path) => path.remove());
}
