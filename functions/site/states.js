/** What stands in place of results: the start, nothing found, a key wanted, too many questions, no server. */
import { ago, count, h } from "./dom.js";
import { keepKey } from "./api.js";

const OFFERED = 5;

export function startState(collections, chosen, onChoose) {
  const cards = collections.map((one) => h("button.shelf", { type: "button", "aria-pressed": String(one.name === chosen), onclick: () => onChoose(one.name) },
    h("strong", null, sentenceCase(one.title)),
    h("span", null, one.status === "unavailable" ? "cannot be served now" : `${count(one.documents, "document")}, ${count(one.chunks, "passage")}`),
    h("span", null, built(one))));
  return [
    h("h2", null, "Answers you can check."),
    h("p", null, "Every passage shows the file, the lines and the version it was read from. Type to search; press Enter for a cited answer."),
    h("div.shelves", null, ...cards),
  ];
}

export const sentenceCase = (text) => text.replace(/^the\s+/i, "").replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** "built 3 days ago from engine 0.735.0.7351131". */
export function built(one) {
  const when = one.age_s === null || one.age_s === undefined ? "" : `built ${ago(one.age_s)}`;
  const from = one.label ? `${one.face === "roblox" ? "engine" : "revision"} ${shortLabel(one.label)}` : "";
  return [when, from].filter(Boolean).join(" from ");
}

export const shortLabel = (label) => /^[0-9a-f]{16,}$/.test(label) ? label.slice(0, 10) : label;

export function emptyShelf() {
  return [h("h2", null, "Nothing to search yet."), h("p", null, "This store has no collection. Build one, and it appears here within seconds:"),
    h("pre", null, h("code", null, "python -m build_index build NAME --profile docs --source docs=PATH"))];
}

/** The address names a collection that is not there, or that this key may not read. */
export function unknownCollection(name, collections, onChoose) {
  const [, , shelves] = startState(collections, "", onChoose);
  return [h("h2", null, `There is no collection “${name.slice(0, 80)}”.`),
    h("p", null, "Its name may have changed, or your key may not read it. These are there:"), shelves];
}

/** Where else the question may be answered; nothing where there is one collection. */
export function elsewhere(collections, chosen, onChoose) {
  const others = collections.filter((one) => one.name !== chosen && one.status !== "unavailable").slice(0, OFFERED);
  return others.length && h("p.others", null, "Ask another collection: ",
    ...others.map((one) => h("button.quiet", { type: "button", onclick: () => onChoose(one.name) }, sentenceCase(one.title))));
}

export function nothingFound(question, hasFilters, onClear, notices = []) {
  return [h("h2", null, "No passage found."),
    h("p", null, hasFilters ? "Nothing fits both the question and the filters." : `Nothing here speaks of “${question.slice(0, 80)}”. Try fewer or other words.`),
    ...notices.map((line) => h("p", null, line)),
    hasFilters && h("button.solid", { type: "button", onclick: onClear }, "Remove the filters")];
}

export function keyWanted(wasRefused, onKey) {
  const input = h("input", { type: "password", id: "key", name: "key", required: true, autocomplete: "current-password", "aria-describedby": "key-help" });
  const form = h("form.key", { onsubmit: (event) => { event.preventDefault(); keepKey(input.value.trim()); onKey(); } },
    h("label", { htmlFor: "key" }, "Key"), h("div.row", null, input, h("button.solid", { type: "submit" }, "Continue")));
  return [h("h2", null, wasRefused ? "That key was not accepted." : "This service asks for a key."),
    h("p", { id: "key-help" }, "It stays in this tab and is forgotten when you close it."), form];
}

/** A failure as a person reads it: heading, explanation, and what a search that is tried again by itself says; "" where waiting does not help. */
export function failure(problem) {
  if (problem.status === 0) return navigator.onLine === false
    ? ["You are offline.", "", "The search goes on as soon as the connection is back."]
    : ["The server cannot be reached.", "It may be starting.", "The search is tried again by itself."];
  if (problem.status === 429) return ["A moment, please.", "Too many questions came at once.", "The search is tried again by itself."];
  if (problem.status === 503) return ["Not available just now.", "The index cannot be read at the moment.", "It is tried again by itself."];
  if (problem.status === 403) return ["This key may not read that collection.", problem.message, ""];
  if (problem.status === 404) return ["Not found.", problem.message, ""];
  if (problem.status === 422) return ["The question was not understood.", problem.message, ""];
  return ["Something went wrong.", problem.message, ""];
}

/** The failure's panel; counts down and calls `onRetry`. Returns the nodes and a function that stops the clock. */
export function failureState(problem, onRetry) {
  const [title, words, waits] = failure(problem);
  const clock = h("span", { "aria-hidden": "true" });
  let left = waits ? Math.min(Math.max(problem.retryAfter || 5, 1), 60) : 0;
  const tick = () => {
    clock.textContent = ` in ${left} s`;
    if (left === 0) { clearInterval(timer); onRetry(); }
    left -= 1;
  };
  const timer = waits ? setInterval(tick, 1000) : 0;
  if (waits) tick();
  return [[h("h2", null, title), h("p", null, [words, waits].filter(Boolean).join(" ")), h("button.solid", { type: "button", onclick: onRetry }, "Try again", clock)], () => clearInterval(timer)];
}

export function skeleton() {
  return Array.from({ length: 3 }, () => h("div.card.bones", { "aria-hidden": "true" }, h("i"), h("i"), h("i")));
}
