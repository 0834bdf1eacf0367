// Predicting: the next message is hidden until the reader has typed it. Whether it was right is said with the sentence
// of the message, which has the arithmetic. Messages that are arrays, and those of ghosts, are shown without a question.

// `until(to)` is how far one may go towards a stop; `asked()` shows the question there is. `shown()` are the stops, as
// numbers of rows of the lane; show(k) goes to the k-th of them.
function predicting({ lane, model, shown, show, next, say }) {
  const form = make("form", { className: "mg-ask", hidden: true }), start = make("span");
  const field = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", size: 9 });
  const typed = [];
  let known = -1, open = false, answer = "", right = 0, count = 0;
  form.append(make("label", {}, start, field), make("button", { textContent: "Check" }),
    make("button", { type: "button", textContent: "Show", onclick: () => tell("", "") }));
  form.onsubmit = (e) => {
    e.preventDefault();
    const guess = parsed(field.value), real = parsed(row()[4]);
    if (guess === undefined) return field.select();
    const same = Object.is(guess, real) || guess === real || Math.abs(guess - real) <= 5e-3 * Math.abs(real);
    count++;
    right += same;
    tell(`${same ? "Right" : "Not " + shortly(guess)} (${right} of ${count}). `, String(guess));
  };
  const shortly = (v) => String(+v.toPrecision(6)).replace("NaN", "nan").replace("Infinity", "inf");
  const row = () => lane.stops[shown()[known + 1]];
  const asks = ([, , edge, , message, , , flags]) => edge >= 0 && !(flags & (GHOST | VERDICT)) && parsed(message) !== undefined;

  // `guess` is what was typed, "" where the message was shown without.
  function tell(words, guess) {
    answer = words;
    typed.push(guess);
    model.set("typed", [...typed]);
    known++;
    open = false;
    show(known);
    next.focus();
  }

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
      const words = row()[8];
      start.textContent = words.slice(0, words.indexOf(row()[6].includes("=") ? row()[6] : `${row()[4]}.`));
      field.value = "";
      field.ariaLabel = `The next message: ${start.textContent}`;
      field.focus({ preventScroll: true });
    },
  };
}
