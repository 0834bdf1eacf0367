// "Your rule": fields below the picture in which the reader writes the rule of the function, what is wrong with it and
// where, and a strip of slopes over one input: true, derived and yours.

// `rule` is what viz/rule/opening.py gives; boxes have no rules where the picture is `alone` that of the function. Returns
// `changed`, to be called when the numbers of the picture have changed, and `aim`, which gives a box the field. `typed` gets
// the rules of a comparison.
function yourRule({ el, lane, run, fields, rule, hush, repaint, alone, typed }) {
  const tried = triedOf({ lane, run, fields, rule }), { entries, now } = tried, texts = {}; // what was typed, by box
  const present = rule.replaced ? "present rule" : "derived"; // a rule that the function calls is in its gradient
  let good = false, chosen = entries[0], range = tried.span(chosen), spoken = 0, aimed = -1, seen = null, marks = [], opened = "";
  const panel = make("section", { className: "mg-rule", ariaLabel: "Your rule" });
  const verdict = make("p", { className: "mg-verdict" }), said = make("p", { className: "mg-said", role: "status", ariaLive: "polite" });
  const numbers = make("p", { className: "mg-three" }), program = make("pre", { tabIndex: 0 }), strip = stripOf({ put, hush, value: () => now(chosen), present });
  const title = make("h4"), note = make("p", { className: "mg-note", title: `+ - * / **, one comparison, ${ruling.functions()}` }), lines = make("div");
  const choice = make("select", { ariaLabel: "Slope over", hidden: entries.length < 2, onchange: () => { along(entries[choice.value]); changed(); } },
    ...entries.map(({ name }, k) => make("option", { value: k, textContent: name })));
  const ends = ["From", "To"].map((ariaLabel, k) => make("input", { type: "text", inputMode: "decimal", size: 6, ariaLabel,
    onchange: ({ target }) => {
      const v = parsed(target.value), next = range.map((old, j) => (j === k ? v : old));
      if (isFinite(v) && next[0] < next[1]) range = next;
      show();
    } }));
  const repair = make("button", { type: "button", textContent: "Try the rule of the repair", hidden: true, onclick: () => {
    for (const { name, node } of tried.inputs) node.value = rule.repair[name];
    read();
  } });
  const copied = make("button", { type: "button", textContent: "Copy as Python", onclick: copy });
  // The function's own rule, where the field cannot have it: its code, and what it sends at the recorded numbers.
  const [code, sends] = rule.own ?? [], own = rule.own && make("details", { open: true, className: "mg-own" }, make("summary", { textContent: "The rule of the function" }), make("pre", { tabIndex: 0, textContent: code || "Its code is not known." }),
    make("p", { textContent: `At the recorded numbers it ${sends.length ? `sends ${sends.map(([name, v]) => `${v} to ${name}`).join(", ")}` : "raises an error"}.` }));
  panel.append(
    title, note, ...(own ? [own] : []), lines, repair, verdict, said, numbers,
    make("div", { className: "mg-range" }, `slope over ${entries.length < 2 ? chosen.name : ""}`, choice, " from ", ends[0], " to ", ends[1]),
    strip.node, strip.legend, make("details", {}, make("summary", { textContent: "As Python" }), program, copied),
  );
  el.append(panel);
  panel.addEventListener("keydown", (e) => { if (e.key !== "Tab" && e.key !== "Escape") e.stopPropagation(); });
  new ResizeObserver(() => requestAnimationFrame(() => panel.isConnected && strip.fits(panel.clientWidth) && show())).observe(panel);
  strip.fits(panel.clientWidth);
  aim(-1);
  return { changed, aim };

  // The rules are those of box `n`, or for -1 of the whole function, with what was typed for it before.
  function aim(n) {
    if (!tried.aimed(n)) {
      const why = lane.graph.nodes[n].kind === "custom" ? ": draw its function alone" : "";
      note.textContent = `A rule for ${lane.cards[n].name} cannot be written here${why}. ${opened}`;
      return;
    }
    aimed = n;
    const box = n < 0 ? "" : lane.cards[n].name, back = make("button", { type: "button", textContent: "Back to the whole function", onclick: () => { aim(-1); title.tabIndex = -1; title.focus(); } });
    title.replaceChildren(...(box ? ["Your rule for the box ", make("code", { textContent: box }), " ", back] : ["Your rule"]));
    const begin = !box ? rule.note : tried.inputs.every(({ derived }) => derived) ? "" : "The field opens with a rule to begin with.";
    const called = tried.results.length > 1 ? (name) => name : () => (box ? "the box" : "the result");
    const meant = Object.fromEntries(tried.results.flatMap(({ name, upstream }) => [[upstream, `${upstream} (the gradient that arrives at ${called(name)})`], [name, `${name} (${tried.results.length > 1 ? "a" : "the"} result)`]]));
    const every = Object.keys(tried.names), names = [...every.slice(0, 10).map((name) => meant[name] ?? name), ...(every.length > 10 ? [`${every.length - 10} more`] : [])].join(", ");
    note.textContent = opened = [begin, `Write what goes back, with ${names}.`, box || alone ? "" : "Click a box to write a rule for that box alone."].filter(Boolean).join(" ");
    lines.replaceChildren(...tried.inputs.flatMap((input, i) => {
      const id = `mg-rule-${i}-${Math.random().toString(36).slice(2)}`, called = input.title && input.title !== input.name ? `${input.name} (${input.title})` : input.name;
      input.words = make("p", { className: "mg-refused", id });
      input.node = make("textarea", { value: texts[n]?.[i] ?? input.text, spellcheck: false, autocomplete: "off", autocapitalize: "off",
        ariaLabel: `Rule for the gradient of ${called}`, oninput: () => { if (n < 0 && chosen.input !== input) along(entries.find((entry) => entry.input === input)); read(); } });
      input.node.setAttribute("aria-describedby", id);
      return [make("label", { className: "mg-line" }, make("b", { textContent: `${called}: ` }), input.node), input.words];
    }));
    repair.hidden = n >= 0 || !rule.repair;
    read();
  }

  // The strip is over this entry.
  function along(entry) {
    [chosen, range] = [entry, tried.span(entry)];
    choice.value = entries.indexOf(entry);
  }

  function put(x) {
    const unit = 10 ** Math.round(Math.log10((range[1] - range[0]) / 400));
    chosen.field.put(Number((Math.round(x / unit) * unit).toPrecision(12)));
  }

  // The texts are read; each that is refused says where and what to write instead.
  function read() {
    texts[aimed] = tried.inputs.map(({ node }) => node.value);
    good = tried.read(texts[aimed]);
    for (const { node, words, rule: { error, at }, wrong } of tried.inputs) {
      const { value } = node, place = make("code", {}, value.slice(0, at), make("mark", { textContent: value[at] ?? " " }), value.slice(at + 1));
      node.ariaInvalid = !!wrong;
      node.rows = Math.ceil((8.5 * value.length + 20) / (node.clientWidth || 600)); // as many lines as the text has
      words.replaceChildren(...(error ? [place, ` at character ${at + 1}: ${error}`] : wrong ? [wrong] : []));
    }
    show();
    if (good && typed) typed(Object.fromEntries(tried.inputs.map(({ name }, i) => [name, texts[aimed][i]])));
    else repaint();
  }

  function changed() {
    const x = now(chosen);
    tried.changed();
    if (isFinite(x) && (x < range[0] || x > range[1])) range = tried.span(chosen);
    show();
  }

  function show() {
    const { here, rows, found } = tried.looked(chosen, range), slope = ruling.right_slopes(here);
    const { kind, words } = found || { kind: "refused", words: "The rule cannot be read yet." };
    verdict.dataset.kind = kind;
    write(verdict, words);
    clearTimeout(spoken);
    spoken = setTimeout(() => write(said, words), 700); // when it rests
    const truth = !slope ? "not sure" : slope.low < slope.high ? `${short(slope.low)} to ${short(slope.high)}` : short(slope.low);
    const told = [["true", truth], [present, short(here.derived)], ["yours", short(here.mine)]].slice(0, good ? 3 : 2);
    numbers.replaceChildren(`Gradient of ${chosen.name} at ${short(here.x)}: `, ...told.flatMap(([word, v], k) => [`${k ? ", " : ""}${word} `, make("b", { textContent: v })]));
    ends.forEach((end, j) => { end.value = short(range[j]); });
    lane.ruled = good ? tried.shown() : { ends: [], room: tried.inputs.length, ...(aimed < 0 ? {} : { box: aimed }) };
    if (rows !== seen) [seen, marks] = [rows, rows.map((row) => ({ ...row, slope: ruling.right_slopes(row), word: good ? ruling.word_of(row) : "" }))];
    strip.draw({ rows: marks, range, name: chosen.name, yours: good, x: here.x });
    write(program, good ? tried.python() : "");
    copied.disabled = !good;
  }

  function copy() {
    const done = () => { copied.textContent = "Copied"; setTimeout(() => { copied.textContent = "Copy as Python"; }, 1500); };
    const byHand = () => { getSelection().selectAllChildren(program); document.execCommand("copy"); done(); };
    navigator.clipboard ? navigator.clipboard.writeText(program.textContent).then(done, byHand) : byHand();
  }
}
