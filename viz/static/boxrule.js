// The rule of one box: what can be written there, and the pass that goes on with it.

// How many of the first arguments of an instruction are cells; all where it is not named.
const OPERANDS = { in: 0, is: 0, rep: 1, take: 1, matmul: 2, put: 2, "put+": 2, cumsum: 1, cumprod: 1, sum: 1, adds: 1, prod: 1, rmax: 1, rmin: 1 };

// The instruction with other cells. `to` maps a cell.
const withCells = ([name, ...args], to) => [name, ...args.map((a, i) => (name === "as" ? i === 1 : i < (OPERANDS[name] ?? args.length)) ? to(a) : a)];

// The pass with other messages: `sent` has the cell of each edge whose message is replaced. What comes after is computed
// with it by new instructions. Returns {code, steps}, with which `drag` is that pass.
function rerouted(drag, code, sent) {
  const all = [...code], arrived = new Map();
  const add = (row) => all.push(row) - 1;
  const steps = drag.steps.filter((step) => !step[1]).map(([node, pass, g, rows]) => {
    const now = arrived.get(node) ?? g, again = new Map([[g, now]]);
    const anew = (cell) => {
      if (cell < g || now === g) return cell; // it was there before the gradient arrived
      if (!again.has(cell)) {
        const row = withCells(all[cell], anew);
        again.set(cell, row.every((part, i) => part === all[cell][i]) ? cell : add(row));
      }
      return again.get(cell);
    };
    return [node, pass, now, rows.map(([edge, cell, before, after = cell]) => {
      const to = drag.edges[edge][0], had = arrived.get(to), message = sent.get(edge) ?? anew(cell);
      arrived.set(to, had === undefined ? message : message === cell && had === before ? after : add(["add", had, message]));
      return had === undefined ? [edge, message] : [edge, message, had, arrived.get(to)];
    })];
  });
  return { code: all, steps };
}

const RESERVED = new RegExp(`^(mg|upstream|lambda|${ruling.functions().replaceAll(", ", "|")})$`);

// What is written for box `n`: its arguments with a text each, the names of the language, and the forward call as Python.
// null for a box that has no rule of its own: an input, a user's function, one whose numbers the page does not have.
function boxRule(lane, n, types) {
  const { drag, cards, graph } = lane, step = drag.steps.find((s) => s[0] === n && !s[1]), node = graph.nodes[n];
  if (!step?.[3].length || node.kind !== "op" || node.ghost || drag.nodes[n] === undefined || step[3].some(([e]) => drag.nodes[drag.edges[e][0]] === undefined)) return null;
  const shapeOf = (k) => (drag.ops[k][2] ? drag.ops[k][2].split("×").map(Number) : []), names = Object.create(null), called = new Map();
  const given = (k) => (drag.ops[k][0] === cards[k].name ? "" : cards[k].name); // a name that the user gave
  const free = (words) => words.find((word) => /^[A-Za-z_]\w*$/.test(word) && !RESERVED.test(word) && !(word in names));
  const inputs = [];
  for (const [edge] of step[3]) {
    const [src] = drag.edges[edge], was = inputs.find((input) => input.box === src);
    if (was) { was.edges.push(edge); continue; }
    const title = cards[src].name, name = free([given(src), "a", "b", "c", "d"]);
    names[name] = { cell: drag.nodes[src], shape: shapeOf(src), type: types[drag.nodes[src]] };
    called.set(title, name);
    inputs.push({ box: src, edges: [edge], name, title, shape: shapeOf(src), cell: drag.nodes[src] });
  }
  const output = free([given(n), "y", "result"]);
  names.upstream = { cell: step[2], shape: shapeOf(n), type: types[drag.nodes[n]] };
  names[output] = { cell: drag.nodes[n], shape: shapeOf(n), type: types[drag.nodes[n]] };
  called.set(cards[n].name, output);
  const renamed = (text) => [...called].reduce((t, [title, name]) => t.replace(new RegExp(`(?<![\\w#])${title.replace(/\W/g, "\\$&")}(?![\\w(#])`, "g"), name), text);
  return { node: n, inputs, names, output, renamed, made: (cards[n].made ?? "").replace(/ = $/, "").replace(/^[^(]*? = /, "") };
}

// What the field of an argument opens with: `text`, and whether it is the `derived` rule. Where that cannot be written, the
// text is one of the right shape.
function textOf({ drag }, box, { edges, name, shape }, reads) {
  const terms = edges.map((e) => { const [, , formula = "", way = 0] = drag.edges[e]; return [formula.replaceAll("ḡ", "upstream"), `upstream * ${formula}`, `upstream * (${formula})`][way]; });
  const written = box.renamed(terms.join(" + ").replaceAll("·", "*")).replace(/upstream \* 1(?![\d.])/g, "upstream"), up = box.names.upstream.shape;
  const derived = [written, ...(drag.ops[box.node][0] === "tanh" ? [`upstream * (1 - ${box.output} ** 2)`] : [])].find(reads);
  return { derived: !!derived, text: derived ?? [up.join() === shape.join() ? "upstream" : `upstream + 0 * ${name}`].find(reads) ?? `0 * ${name}` };
}

// Ops whose call is known from their arguments, because each is a Tensor, a number, an axis or keepdims.
const CALLED = /^(exp|expm1|exp2|log|log1p|log2|log10|erf|negative|reciprocal|square|sqrt|rsqrt|cbrt|sin|cos|tan|tanh|sinh|cosh|sigmoid|softplus|log_sigmoid|relu|absolute|sign|add|subtract|multiply|divide|power|maximum|minimum|hypot|matmul|sum|mean|max|min|prod|logsumexp|softmax|log_softmax)$/;

// The call that a box is, with the names of the language; "" for one that these do not say.
function callOf({ drag, cards }, box) {
  const op = drag.ops[box.node][0], args = drag.edges.filter(([, dst]) => dst === box.node).map(([src]) =>
    box.inputs.find((input) => input.box === src)?.name ?? (drag.ops[src][3] === "const" && /^-?[\d.]+(e-?\d+)?$/.test(cards[src]?.value) ? cards[src].value : ""));
  const inside = box.made.slice(box.made.indexOf("(") + 1, -1), parts = inside.match(/(?:\([^)]*\)|[^,(])+/g) ?? [], more = parts.slice(args.length).map((part) => part.trim());
  const plain = more.every((part) => /^((axis|keepdims)=)?(-?\d+|None|True|False|\((-?\d+(, ?)?)*\))$/.test(part));
  return CALLED.test(op) && plain && args.every(Boolean) && parts.length >= args.length ? `mg.${op}(${[...args, ...more].join(", ")})` : "";
}

// The box as a custom_gradient.
function boxPython(lane, box) {
  const op = lane.drag.ops[box.node][0], called = `${op}_with_rule`, params = box.inputs.map(({ name }) => name).join(", ");
  const forward = callOf(lane, box) || `...  # write the call here: ${box.made}`, rules = box.inputs.map(({ rule }) => rule.python()).join(", ");
  return `import minigrad as mg\n\n\n@mg.custom_gradient\ndef ${called}(${params}):\n    ${box.output} = ${forward}\n\n    def rule(upstream):\n        return ${rules}\n\n` +
    `    return ${box.output}, rule\n\n\n# In the function, write ${called}(...) where ${lane.cards[box.node].name} is computed.\n`;
}
