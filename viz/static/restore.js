// The lanes as the player has them, from the form in which viz/hosts/compact.py saves them.
function restored(lanes) {
  const summed = (numbers, sum = 0) => numbers.map((n) => (sum += n));
  const known = (cells) => Object.fromEntries(cells.flatMap((c, i) => (c < 0 ? [] : [[i, c]])));
  const rows = ([count, ...columns]) => Array.from({ length: count }, (_, k) => columns.map((c) => (Array.isArray(c) ? c[k] : c)));
  const filled = (text, said) => text.replace(/[\ue000-\ue004]/g, (c) => said[c.charCodeAt(0) - 0xe000] ?? c);

  // The frames, from the outermost inwards: what is in each, and of a loop the value that each turn hands on.
  function framed(tree, nodes, users) {
    const frames = {}, outward = [];
    let last = 0;
    const open = (key, as, up, [called, loop, ...items], before) => {
      const frame = frames[key] = { key, name: called !== 0 ? called : before.replace(/[0-9]{1,9}$/, (n) => +n + 1), up, as, items: [], turns: [] };
      const inputs = [], ops = [];
      let i = 0, name = "";
      if (as && !as.endsWith("/t") && !outward.includes(as)) outward.push(as);
      for (const item of items) if (Array.isArray(item)) {
        const inner = `${key}/${i}`, held = open(inner, `${as}/${loop ? "t" : i}`, key, item, name);
        i++;
        name = frames[inner].name;
        frame.items.push(inner);
        inputs.push(...held.inputs);
        ops.push(...held.ops);
        if (loop) {
          const inside = new Set(held.ops), on = held.ops.filter((n) => users[n].some((user) => !inside.has(user)));
          (frame.carry ??= []).push((on.length ? on : held.ops).at(-1));
        }
      } else {
        last += item;
        frame.items.push(`n${last}`);
        if (/leaf|var|const/.test(nodes[last].kind)) inputs.push(last); else { ops.push(last); i++; }
      }
      frame.nodes = [...inputs.sort((a, b) => b - a), ...ops];
      frame.first = ops[0] ?? -1;
      frame.last = ops.at(-1) ?? -1;
      frame.holds = Object.fromEntries(frame.nodes.map((n) => [`n${n}`, true]));
      if (loop) {
        [frame.word, frame.dtype] = loop;
        frame.turns = frame.items;
        frame.name = `${frame.turns.length} × ${frame.word}`;
      }
      return { inputs, ops };
    };
    open("", "", "", tree, "");
    return { frames, outward };
  }

  for (const lane of lanes) {
    const { drag, graph } = lane, slopes = [], gradients = {};
    const nodes = rows(graph.nodes).map(([kind, title, called, shape, value, cells, row, ghost, output], id) => ({
      id, kind, title, called, shape, value, cells, row: row + (shape ? Math.min(24, shape.split("×").pop()) : 0),
      words: [], pills: [], enters: [], leaves: [], uses: 0, ghost: !!ghost, output: !!output }));
    const [keys, ...table] = graph.cards, cards = rows(table).map((texts, n) => {
      const { title, called, value } = nodes[n], card = Object.fromEntries(keys.map((key, i) => [key, texts[i]]));
      card.name = [`${title}#${n}`, title, called, `${called}#${n}`][card.name] ?? card.name;
      nodes[n].mark = !called && card.name.endsWith(`#${n}`) ? `#${n}` : "";
      if (card.value === 1) card.value = value;
      if (card.head) card.head = filled(card.head, [card.name]);
      return Object.fromEntries(Object.entries(card).filter(([, text]) => text));
    });
    let dst = 0, step = 0, node = 0, edge = 0, cell = 0;
    const words = [], signed = [], formulas = [], users = nodes.map(() => []);
    const edges = rows(graph.edges).map(([from, to, id, signs, slope, sum, word, formula, number], i) => {
      const src = (dst += to) + from, has = (k) => !!(signs >> k & 1), names = [, , cards[dst].name, cards[src].name];
      const text = formulas[i] = filled(formula, names), said = slopes[i] = number || text;
      signed[i] = formula;
      words.push(word);
      users[src].push(dst);
      nodes[src].uses++;
      if (has(5)) (cards[dst].local ??= []).push(`for ${names[3]}: ${text}` + (number && " = " + number));
      return { id: i + id, src, dst, ghost: has(0), slope: slope === 1 ? `× ${said}` : slope,
        rule: has(1), cut: has(2), none: has(3), scalar: has(4) !== !nodes[src].shape, sum };
    });
    const { frames, outward } = framed(graph.frames, nodes, users), boxed = new Set(Object.values(frames).flatMap((frame) => frame.items));
    const at = edges.map((_, i) => i).sort((a, b) => edges[a].dst - edges[b].dst || a - b);
    for (const i of at) {
      const { src, dst: to } = edges[i], box = nodes[to];
      if (!boxed.has(`n${to}`)) continue;
      if (boxed.has(`n${src}`)) box.enters.push(i), nodes[src].leaves.push(i);
      else if (words[i]) box.words.push(words[i] === 1 ? nodes[src].value : words[i]);
      else box.pills.push(i);
    }
    lane.graph = { nodes, edges, frames, outward, arrays: nodes.some((n) => n.shape) };
    lane.cards = { ...cards };
    lane.stops = rows(lane.stops).map(([s, n, e, to, message, after, product, flags, text, ...cells]) => {
      step += s;
      const i = e === "" ? -1 : (edge += e), { id = -1, src = -1, dst: sender = node } = edges[i] ?? {};
      node = sender + n;
      const target = src + to, formula = signed[i];
      const full = text.replace(/[\ue005-\ue007]/, (c) => [`ḡ · (${formula})`, `ḡ · ${formula}`, formula][c.charCodeAt(0) - 0xe005]);
      const made = product === 1 ? `${gradients[node]} · ${slopes[i]} = ${message}` : product;
      const row = [step, node, id, target, message, after, made, flags, full, ...cells];
      gradients[step < 0 ? node : target] = after || message;
      return row;
    });
    if (!drag) continue;
    edge = node = 0;
    // A cell is saved as how far it is behind. Of the data of instructions only what fills a `take` may be below 0.
    drag.code = drag.code.map(([name, ...args], k) =>
      [name, ...args.map((a, i) => (Number.isInteger(a) && a < 0 && !(name === "take" && i) ? a + k : a))]);
    drag.nodes = known(summed(drag.nodes));
    drag.local = known(drag.local);
    drag.edges = drag.edges.map((rest, i) => [edges[i].src, edges[i].dst, ...(formulas[i] || rest.length ? [formulas[i], ...rest] : [])]);
    drag.steps = drag.steps.map(([n, ghost, c, sent]) => [(node += n), ghost, (cell += c),
      sent.map(([e, ...cells]) => [(edge += e), ...cells.map((x) => x + cell)])]);
  }
}
