// Predicting: what comes next is hidden until the reader has said it. Whether it was right is said with the sentence of
// the message, which has the arithmetic. Arrays, and the messages of ghosts, are shown without a question.
//
// `kind`: "messages" asks for each message, "boxes" for the gradient of a box when its last message comes, "order" for
// the box that sends next, which is right where it is any box that may. `until(to)` is how far one may go towards a stop;
// `asked()` shows the question there is. `shown()` are the stops, as numbers of rows of the lane; show(k) goes to the k-th.
function predicting({ kind, lane, stage, model, shown, show, next, say }) {
  const order = kind === "order", name = (n) => lane.cards[n].name, real = (s) => s[2] >= 0 && !(s[7] & (GHOST | VERDICT));
  const senders = order ? [...new Set(lane.stops.filter(real).map((s) => s[1]))].sort((a, b) => (name(a) < name(b) ? -1 : 1)) : [];
  const field = order ? make("select", {}, make("option"), ...senders.map((n) => make("option", { value: n, textContent: name(n) })))
    : make("input", { type: "text", inputMode: "decimal", autocomplete: "off", size: 9 });
  const form = make("form", { className: "mg-ask", hidden: true }), start = make("span"), given = [];
  let known = -1, open = false, answer = "", right = 0, count = 0;
  form.append(make("label", {}, start, field), make("button", { textContent: "Check" }),
    make("button", { type: "button", textContent: "Show", onclick: () => tell("", "") }));
  form.onsubmit = (e) => {
    e.preventDefault();
    if (order) return field.value === "" ? field.focus() : picked(+field.value);
    const guess = parsed(field.value), due = parsed(wanted(row()));
    if (guess === undefined) return field.select();
    const same = Object.is(guess, due) || guess === due || Math.abs(guess - due) <= 5e-3 * Math.abs(due);
    judged(same, shortly(guess), "", String(guess));
  };
  const shortly = (v) => short(v, 6);
  const row = () => lane.stops[shown()[known + 1]];
  const later = (s) => lane.stops.slice(lane.stops.indexOf(s)).filter(real);
  const last = (s) => later(s).filter((t) => t[3] === s[3]).length === 1;

  // The number that is asked for before a row is shown, in words.
  function wanted(s) {
    if (!real(s)) return "";
    return kind === "messages" ? s[4] : kind === "boxes" && last(s) ? s[5] : "";
  }

  const asks = (s) => (order ? real(s) && lane.stops[shown()[known]][0] !== s[0] : parsed(wanted(s)) !== undefined);

  // A box may send when no message to it is still to come.
  function picked(n) {
    const s = row(), left = later(s), waits = [...new Set(left.filter((t) => t[3] === n).map((t) => name(t[1])))];
    const ready = !waits.length && left.some((t) => t[1] === n);
    const why = ready ? (n === s[1] ? "" : `${name(n)} has its whole gradient too; this pass takes ${name(s[1])} first. `)
      : waits.length ? `It still waits for ${waits.join(" and ")}. ` : senders.includes(n) ? "It has sent already. " : "It sends nothing. ";
    judged(ready, name(n), why, name(n));
  }

  function judged(same, words, why, guess) {
    count++;
    right += same;
    tell(`${same ? "Right" : "Not " + words} (${right} of ${count}). ${why}`, guess);
  }

  // `guess` is what was said, "" if the answer was shown without.
  function tell(words, guess) {
    answer = words;
    given.push(guess);
    model.set(order ? "clicked" : "typed", [...given]);
    known++;
    open = false;
    show(known);
    next.focus();
  }

  function question(s) {
    if (order) return "Which box sends next? Click it, or choose it here:";
    if (kind === "boxes") return `${name(s[1])} sends the last message to ${name(s[3])}. The gradient of ${name(s[3])}, now complete:`;
    return s[8].slice(0, s[8].indexOf(s[6].includes("=") ? s[6] : `${s[4]}.`));
  }

  if (order) for (const kind of ["click", "keydown"]) stage.addEventListener(kind, (e) => {
    const box = open && !e.defaultPrevented && (kind === "click" || e.key === "Enter") && e.target.closest("[data-n]");
    if (!box) return;
    e.preventDefault();
    e.stopImmediatePropagation(); // it answers, and does nothing else
    picked(+box.dataset.n);
  });
  say.after(form);
  return {
    until(to) {
      if (known < 0) known = to;
      if (to !== known) answer = "";
      if (to < known) open = false;
      while (!open && known < to) asks(row()) ? (open = true) : known++;
      return Math.min(to, known);
    },
    asked() {
      form.hidden = !open;
      if (answer) say.firstChild.prepend(make("b", { textContent: answer }));
      if (!open) return;
      start.textContent = question(row());
      field.value = "";
      field.ariaLabel = `${order ? "The next box" : kind === "boxes" ? "The gradient" : "The next message"}: ${start.textContent}`;
      field.focus({ preventScroll: true });
    },
  };
}
