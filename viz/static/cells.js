// The elements of a small array as shaded cells: the twin of cells.py and boxes.cells_of. Shades are a text with a sign
// for each element: a to d of a negative one, 1 to 4 of a positive one, 0, x for nan or inf.

function shadesOf({ n, sample: values }) {
  if (n < 2 || values.length < n) return "";
  const largest = Math.max(0, ...values.filter(isFinite).map(Math.abs)) || 1;
  return values.map((v) => !isFinite(v) ? "x" : +v === 0 ? "0" : (v < 0 ? "abcd" : "1234")[Math.max(1, Math.ceil(Math.abs(v) / largest * 4)) - 1]).join("");
}

// Paths of the cells from (left, top) on, `row` of them in a row and the rows side by side.
function cellsAt(shades, row, left, top) {
  const looks = new Map(), round = (x) => +x.toFixed(1);
  [...shades].forEach((sign, i) => {
    const x = round(left + 8 * i + 3 * Math.floor(i / row)), end = round(x + 8), low = round(top + 11);
    const path = sign === "x" ? `M${x} ${round(top)}L${end} ${low}M${end} ${round(top)}L${x} ${low}` : `M${x} ${round(top + 5.5)}H${end}`;
    looks.set(sign, (looks.get(sign) || "") + path);
  });
  return [...looks].map(([sign, d]) => draw("path", { class: `q${sign}`, d, "stroke-width": 11 }));
}

// A sum over the rows or the columns of an array: its cells, below them those of the sum, and a copy of each row or column
// that moves there. fold = [shades, columns, whether rows are added up, shades of the sum].
function foldOf([shades, columns, rows, sum]) {
  const count = shades.length / columns, wide = 8 * columns, high = 12 * count, after = rows ? high + 8 : wide + 12;
  const ends = rows ? [wide + 2, high + 21] : [wide + 22, high + 2];
  const svg = draw("svg", { class: "mg-fold mgv", viewBox: `-1 -1 ${ends.join(" ")}`, "aria-hidden": true });
  for (let r = 0; r < count; r++) for (let c = 0; c < columns; c++) {
    const cell = () => cellsAt(shades[r * columns + c], 1, 8 * c, 12 * r), [copy] = cell();
    copy.classList.add("go");
    copy.style.setProperty("--go", rows ? `0,${after - 12 * r}px` : `${after - 8 * c}px,0`);
    svg.prepend(...cell());
    svg.append(copy);
  }
  [...sum].forEach((sign, i) => svg.append(...cellsAt(sign, 1, rows ? 8 * i : after, rows ? after : 12 * i)));
  return svg;
}
