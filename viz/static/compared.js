// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.
const compared = (() => {
const { abs, floor, log10, max, min, trunc } = Math;
const LISTED = 4;
const FIRST = ["the", "that", "no", "each", "both", "not"];
const BOTH = "{start}{of}: {who 0} sends {sent 0}, {who 1} {sent 1}.";
const SENTENCES = {__proto__: null, "agree": "{start}, and they agree here: {same}.", "agree, but": "{start}, and they agree here: {same}. {Verdict}.", "the same here": "{start}{of}, the same here: {same}. {Verdict}.", "repaired": "{both} The rule repairs the {bad 0}.", "broken": "{both} The {bad 1}{of} is the rule's own.", "judged": "{both} {Verdict}.", "differ": "{both} They differ: {verdict}.", "another slope": "{both} The derived pass is right here, the rule is not.", "second wrong": "{both} Here {who 0} is right.", "first wrong": "{both} Here {who 1} is right.", "unlike": "{both} They differ.", "unknown": "{both}"};
const NOTHING = "Neither pass sends a gradient to an input.";
function capital(text) {
return (FIRST.includes(text.split(" ")[0]) ? (text[0].toUpperCase() + text.slice(1)) : text);
}
function names_in_a_row(names) {
let count;
count = names.length;
if ((count > LISTED)) {
return (((names.slice(0, (LISTED - 1)).join(", ") + " and ") + String(((count - LISTED) + 1))) + " more");
}
if ((count < 2)) {
return ((count > 0) ? names[0] : "");
}
return ((names.slice(0, (count - 1)).join(", ") + " and ") + names[(count - 1)]);
}
function compared(value, rule, who, table) {
let agreeing, holes, kind, more, row, rows, several, words;
rows = table.filter((row) => (row.kind !== "neither"));
if ((rows.length === 0)) {
return ((value !== "") ? ((value + ". ") + NOTHING) : NOTHING);
}
row = rows[0];
for (const other of rows) {
if ((other.rank < row.rank)) {
row = other;
}
}
kind = found_in(row, rule);
agreeing = names_in_a_row(rows.filter((other) => (found_in(other, rule).indexOf("agree") === 0)).map((other) => other.argument));
several = (rows.length > 1);
holes = {"both": BOTH, "start": ((value !== "") ? (value + ", two gradients") : "Two gradients"), "of": (several ? (" of " + row.argument) : ""), "who 0": who[0], "who 1": who[1], "sent 0": row.sent[0], "sent 1": row.sent[1], "bad 0": row.bad[0], "bad 1": row.bad[1], "same": ((several && (kind.indexOf("agree") === 0)) ? ("those of " + agreeing) : row.same), "verdict": row.verdict, "Verdict": capital(row.verdict)};
words = SENTENCES[kind];
for (const hole of Object.keys(holes)) {
words = words.replaceAll((("{" + hole) + "}"), holes[hole]);
}
more = ((agreeing !== "") && (kind.indexOf("agree") !== 0));
return (more ? (((words + " The gradients of ") + agreeing) + " agree.") : words);
}
function found_in(row, rule) {
let bad, kind, right;
[kind, bad] = [row.kind, ((row.bad[0] !== "") || (row.bad[1] !== ""))];
right = (kind.indexOf("both right") === 0);
if ((kind === "")) {
return (row.unlike ? "unlike" : "unknown");
}
if (row.agree) {
return (!right ? "the same here" : ((kind === "both right") ? "agree" : "agree, but"));
}
if ((rule && ((kind === "broken") || ((kind === "repaired") && (row.bad[0] !== ""))))) {
return kind;
}
if ((Object.keys(SENTENCES).includes(kind) && row.repeats)) {
return kind;
}
return ((bad || right || (kind === "many") || kind.endsWith("unequal")) ? "judged" : "differ");
}
return compared;
})();
