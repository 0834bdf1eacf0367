// What Python leaves out of the saved picture, as it can be made here: the words at lines, the ground of adjoints.

function put(node, look) {
  for (const [key, value] of Object.entries(look)) node.setAttribute(key, value);
  return node;
}

function draw(tag, look, words = "") {
  const node = put(document.createElementNS("http://www.w3.org/2000/svg", tag), look);
  node.textContent = words;
  return node;
}

// Where a path ends that Python wrote.
function endOf(path) {
  let x, y;
  for (const [, letter, digits] of path.getAttribute("d").matchAll(/([Mhvlc])([^Mhvlc]*)/g)) {
    const n = digits.match(/-?\d+/g).map(Number);
    if (letter === "M") [x, y] = n;
    else if (letter === "v") y += n[0];
    else [x, y] = [x + n.at(letter === "h" ? 0 : -2), letter === "h" ? y : y + n.at(-1)];
  }
  return [x, y];
}

// At the end of a line: above it the message, below it the local derivative, in the box the number of the argument.
function complete(root, lines, lane) {
  const across = root.querySelector(".LR"), key = (g) => (g.dataset.key ? { "data-key": g.dataset.key } : {});
  const at = ([x, y], look) => ({ ...look, x, y });
  for (const [g, [edge]] of lines) {
    const [x, y] = endOf(g.firstChild), { k, at: when } = g.dataset, slope = lane.slopes[edge];
    g.append(draw("text", at(across ? [x - 9, y - 4] : [x, y - 18], { class: "m" })));
    if (slope) g.append(draw("text", at(across ? [x - 9, y + 11] : [x, y - 32], { class: "d" }), across ? slope : slope.replace("× ", "×")));
    if (k) g.parentNode.parentNode.lastChild.append(draw("text", at(across ? [x + 2, y + 3] : [x + 6, y - 2], { class: "k", ...(when && { "data-at": when }), ...key(g) }), k));
  }
  for (const g of root.querySelectorAll(".g")) {
    const x = g.getAttribute("x") - 3, width = g.parentNode.querySelector(".b").getAttribute("width") - x - 6;
    g.before(draw("rect", { class: "slot", x, y: g.getAttribute("y") - 13, width, height: 17, rx: 3 }));
  }
}

// A sentence, without the cause of a nan or inf that the report above the player gives.
function toldOnce(words, el) {
  const report = el.parentElement?.querySelector(".mg-why:not([hidden])")?.textContent;
  return words.replace(/( is born here \(.*?\)): (.*)\.$/, (all, born, why) => (report?.includes(why) ? born + "." : all));
}
