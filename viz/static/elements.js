// Elements of a page: any, a button with an icon, a text.

const ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z", back: "M11 3 9.5 1.5 3 8l6.5 6.5L11 13 6 8z", play: "M3 2l11 6-11 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z", next: "M5 3 6.5 1.5 13 8l-6.5 6.5L5 13l5-5z", last: "M12 2h2v12h-2zM2 2l9 6-9 6z",
  whole: "M1 1h5v2H3v3H1zM15 1v5h-2V3h-3V1zM1 15v-5h2v3h3v2zM15 15h-5v-2h3v-3h2z",
  in: "M7 2h2v5h5v2H9v5H7V9H2V7h5z", out: "M2 7h12v2H2z",
};

function make(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

// What stands there already is not written again: Python drew the picture at the stop at which it opens.
function write(text, words) {
  if (text.textContent !== words) text.textContent = words;
}

function icon(name) {
  const span = make("span");
  span.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  return span.firstChild;
}

function button(name, label, act) {
  return make("button", { type: "button", title: label, ariaLabel: label, onclick: act }, icon(name));
}

// An element of an SVG.
function draw(tag, look, words = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(look)) node.setAttribute(key, value);
  node.textContent = words;
  return node;
}

// Calls `act` on a change of the theme, and before print with its event. The page refers weakly to it, and the element
// `el` strongly, so that a view whose cell is run again leaves nothing.
function hears(el, act) {
  (self.mgHears ??= hearing()).add(new WeakRef(act));
  (el.mgHears ??= []).push(act);
}

function hearing() {
  const all = new Set(), call = (e) => all.forEach((ref) => ref.deref()?.(e));
  new MutationObserver(call).observe(document.body, { attributes: true });
  addEventListener("beforeprint", call);
  return all;
}

// The host's theme for `nodes` of the view `el`: JupyterLab, VS Code, otherwise the system's.
function themed(el, nodes) {
  const follow = () => {
    const { jpThemeLight: lab, vscodeThemeKind: code } = document.body.dataset;
    const name = lab ? (lab === "true" ? "light" : "dark") : code ? (/light/.test(code) ? "light" : "dark") : null;
    for (const node of nodes()) name ? (node.dataset.theme = name) : delete node.dataset.theme;
  };
  follow();
  hears(el, follow);
}
