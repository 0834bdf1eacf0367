// Keys, search while typing, and drafts. Without this file every page works: they are links and forms.
const field = (name) => document.querySelector(name);
const why = field("textarea[name=why]");
const keys = field("#keys");

// A key does what the element with that data-key does when it is clicked; none does so while somebody types.
if (keys) {
  keys.checked = localStorage.getItem("desk keys") !== "off";
  keys.addEventListener("change", () => localStorage.setItem("desk keys", keys.checked ? "on" : "off"));
}
function press(element) {
  if (element.type === "radio") {
    element.checked = true;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  } else if (element.matches("input, textarea")) {
    element.focus();
    element.select();
  } else {
    element.click();
  }
}
// Enter in the box of reasons does what the button says, and Shift-Enter begins a line. A digit straight after a key's
// sentence, before a mark is chosen, is the mark.
let keyed = false;
document.addEventListener("keydown", (event) => {
  const at = event.target, digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code); // also where digits need Shift
  const unmarked = why && !why.form.querySelector("input[name=marks]:checked");
  const isMark = keyed && at === why && digit && unmarked;
  keyed = false;
  if (at.matches("textarea, select, input:not([type=radio], [type=checkbox])")) {
    if (event.isComposing) return;
    if (event.key === "Escape") at.blur();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey || (at === why && !event.shiftKey))) at.form.requestSubmit();
    else if (isMark && field(`[data-key="${digit[1]}"]`)) press(field(`[data-key="${digit[1]}"]`));
    else return;
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  if (at.matches("button, a, summary, input[type=checkbox]") && [" ", "Enter"].includes(event.key)) return;
  if (event.key === "Tab" && !event.shiftKey && why && (at === document.body || at.type === "radio")) {
    writeOn();
    event.preventDefault();
    return;
  }
  if (keys && !keys.checked && !["Enter", "Escape"].includes(event.key)) return;
  const element = field(`[data-key="${CSS.escape(digit ? digit[1] : event.key)}"]`);
  if (element) {
    event.preventDefault();
    press(element);
  }
});

// A line of the rubric writes its sentence as the reason, but never over one that was typed.
let written = why ? why.value : "", rubric = written;
function writeOn() {
  why.focus();
  why.setSelectionRange(why.value.length, why.value.length);
}
function write(text) {
  why.value = written = text;
  why.setSelectionRange(text.length, text.length);
  why.dispatchEvent(new Event("input", { bubbles: true }));
}
document.addEventListener("change", (event) => {
  const says = event.target.dataset.says;
  if (why && says && (why.value === "" || why.value === rubric)) write((rubric = says));
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-reason]");
  if (!button) return;
  write(why.value && why.value !== written ? `${why.value.trimEnd()} ${button.dataset.reason}` : button.dataset.reason);
  writeOn();
  keyed = true;
});

// What is typed is kept in this browser until it is saved, and a form is sent without leaving the page.
function say(text) {
  const box = field("#said") || document.createElement("p");
  Object.assign(box, { id: "said", className: "said", textContent: text });
  box.setAttribute("role", "alert");
  field("h1").after(box);
}
for (const form of document.querySelectorAll("form[data-draft]")) {
  const name = `desk ${form.dataset.draft}`;
  const chosen = () => form.querySelector("input[name=marks]:checked, input[name=marks]:not([type=radio])");
  const keep = () => localStorage.setItem(name, JSON.stringify([chosen() ? chosen().value : "", form.elements.why.value]));
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
  const kept = localStorage.getItem(name);
  if (kept) {
    const [marks, text] = JSON.parse(kept);
    form.elements.why.value = text;
    for (const input of form.querySelectorAll("input[name=marks]")) {
      if (input.type === "radio") input.checked = input.value === marks;
      else input.value = marks;
    }
    const around = form.closest("details");
    if (around) around.open = true;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.sent) return; // Enter was pressed twice
    form.dataset.sent = "yes";
    try {
      const fields = new URLSearchParams([...new FormData(form), ["reply", "address"]]);
      const reply = await fetch(form.action, { method: "POST", body: fields });
      const text = await reply.text();
      if (reply.ok) {
        localStorage.removeItem(name);
        location = text;
        return;
      }
      if (reply.status === 403) {
        say("Not saved: the desk was started again. Open the address that it printed; what you wrote is kept.");
      } else {
        const page = new DOMParser().parseFromString(text, "text/html");
        say(page.querySelector(".said, main p").textContent);
        const now = page.querySelector(`form[data-draft="${CSS.escape(form.dataset.draft)}"]`);
        if (now) for (const hidden of ["after", "answer"]) form.elements[hidden].value = now.elements[hidden].value;
      }
    } catch {
      say("Not saved: the desk has stopped. What you wrote is kept; start it again, open the address that it prints, and come back here.");
    }
    delete form.dataset.sent;
  });
}

for (const select of document.querySelectorAll(".filter select")) select.addEventListener("change", () => select.form.requestSubmit());
for (const details of document.querySelectorAll("details.play")) {
  details.addEventListener("toggle", () => {
    const frame = details.querySelector("iframe");
    if (details.open && !frame.src) frame.src = frame.dataset.src;
  });
}
for (const search of document.querySelectorAll("[data-rows]")) {
  const rows = [...document.querySelectorAll(search.dataset.rows)].map((row) => [row, row.cells[0].textContent.toLowerCase()]);
  search.addEventListener("input", () => {
    const text = search.value.toLowerCase();
    for (const [row, name] of rows) row.hidden = !name.includes(text);
    field("#count").textContent = rows.filter(([row]) => !row.hidden).length;
  });
}
