/** The page: what is asked stands in the address, and everything shown follows from it. */
import { addressOf, readAddress, writeHistory } from "./address.js";
import { Api, apiKey, keepKey } from "./api.js";
import { $, count, h } from "./dom.js";
import { AnswerPanel } from "./answering.js";
import { wordsOf } from "./marking.js";
import { showPassage } from "./passage.js";
import { card, facetList, facetsOf } from "./results.js";
import * as states from "./states.js";

const DEBOUNCE_MS = 90;
const SHOWN = 10;
// Facets count over these; they are asked for once typing has paused, since fifty passages cost twice what ten do.
const COUNTED = 50;
const PAUSE_MS = 250;
const api = new Api(new URL("./", location.href).href);
const view = { q: "", collection: "", filters: {}, ask: false, passage: "" };
let collections = [];
let details = new Map();
let found = null;
let counted = null;
let shown = SHOWN;
let panel = null;
let searching = null;
let answering = null;
let timer = 0;
let stopClock = () => {};

/** Write the view to the address; `step` makes a place that the back button returns to. */
function writeAddress(step) {
  writeHistory(addressOf(view), step);
  document.title = view.q ? `${view.q} · Quire` : "Quire";
}

// ---- collections --------------------------------------------------------------------------------------------------

async function start() {
  readAddress(view);
  try {
    ({ collections } = await api.collections());
  } catch (problem) {
    fail(problem, start);
    return;
  }
  $("collection").replaceChildren(...collections.map((one) => h("option", { value: one.name }, states.sentenceCase(one.title))));
  $("collection").disabled = !collections.length;
  $("collection").parentElement.hidden = !collections.length;
  if (!collections.some((one) => one.name === view.collection)) view.collection = collections[0]?.name ?? "";
  await follow();
}

async function detail(name) {
  if (!details.has(name)) details.set(name, await api.describe(name));
  return details.get(name);
}

/** Show what the view says: after loading, a step back, or another collection. */
async function follow() {
  $("q").value = view.q;
  $("collection").value = view.collection;
  $("ask").disabled = !view.q.trim();
  showAbout();
  stopAnswer();
  $("answer").hidden = true;
  const { ask, passage } = view;
  await search();
  if (ask && view.ask) await answer({ step: false });
  if (passage && passage === view.passage) openLinked(passage);
}

function openLinked(id) {
  const citation = panel?.citations.find((one) => one.id === id);
  const hit = [...(found?.hits ?? []), ...(panel?.hits ?? [])].find((one) => one.id === id);
  if (hit) openPassage(hit, { citation, step: false });
  else notice(["The linked passage is not in this version any more."]);
}

function current() { return collections.find((one) => one.name === view.collection); }

function showAbout() {
  const one = current();
  if (!one) { $("about").textContent = ""; return; }
  $("about").replaceChildren(
    [states.sentenceCase(one.title), count(one.chunks, "passage"), states.built(one)].filter(Boolean).join(" · "),
    one.version ? h("span.badge", { title: "Version of the index" }, one.version) : "");
  notice(one.degraded);
}

function notice(lines) {
  const unique = [...new Set(lines)];
  $("notice").hidden = !unique.length;
  $("notice").replaceChildren(...unique.map((line) => h("p", null, line)));
}

// ---- searching ----------------------------------------------------------------------------------------------------

async function search() {
  clearTimeout(timer);
  searching?.abort();
  const q = view.q.trim();
  if (!q || !view.collection) { found = null; showStart(); return; }
  const turn = searching = new AbortController();
  const waiting = setTimeout(showWaiting, 160);
  try {
    found = await api.query(body(q, SHOWN), turn.signal);
    if (turn !== searching) return;
    shown = SHOWN;
    showFound();
    if (view.passage) await complete(q, turn);
    else timer = setTimeout(complete, PAUSE_MS, q, turn);
  } catch (problem) {
    if (turn === searching && problem.name !== "AbortError") fail(problem, search);
  } finally {
    clearTimeout(waiting);
    if (turn === searching) $("found").classList.remove("stale");
  }
}

function body(q, most, filters = view.filters) {
  const asked = { collection: view.collection, q, top_k: most };
  return Object.keys(filters).length ? { ...asked, filters } : asked;
}

/** The rest of the hits, and what the facets count: the best passages without any filter. */
async function complete(q, turn) {
  const of = `${view.collection}\n${q}`;
  const isFiltered = Object.keys(view.filters).length > 0;
  try {
    const wanted = api.query(body(q, COUNTED), turn.signal);
    const all = !isFiltered ? wanted : counted?.of === of ? counted : api.query(body(q, COUNTED, {}), turn.signal);
    const [one, every, about] = await Promise.all([wanted, all, detail(view.collection)]);
    if (turn !== searching) return;
    found = one;
    counted = { of, hits: every.hits };
    showFacets(facetsOf(counted.hits, about.filters, view.filters));
    showMoreButton();
  } catch (problem) {
    // The first hits stand; what is missing here comes with the next search.
    if (turn === searching && problem.name !== "AbortError") $("facets").hidden = true;
  }
}

function showStart() {
  settle();
  $("found").hidden = $("answer").hidden = true;
  $("state").hidden = false;
  document.body.classList.add("at-start");
  $("state").replaceChildren(...(collections.length ? states.startState(collections, view.collection, choose) : states.emptyShelf()));
}

function showWaiting() {
  document.body.classList.remove("at-start");
  $("state").hidden = true;
  $("found").hidden = false;
  if (found) $("found").classList.add("stale");
  else $("results").replaceChildren(...states.skeleton());
}

function showFound() {
  settle();
  document.body.classList.remove("at-start");
  notice([...(current()?.degraded ?? []), ...found.degraded]);
  const isFiltered = Object.keys(view.filters).length > 0;
  $("found").hidden = !found.hits.length && !isFiltered;
  $("state").hidden = found.hits.length > 0;
  if (!found.hits.length) $("state").replaceChildren(...states.nothingFound(view.q, isFiltered, clearFilters).filter(Boolean));
  // The place of the facets is kept, so that nothing moves when their counts come.
  if ($("facets").hidden || counted?.of.split("\n")[0] !== view.collection) showFacets([]);
  $("facets").classList.add("stale");
  showCards();
  $("live").textContent = found.hits.length === SHOWN ? "Passages found, the best first" : found.hits.length ? `${count(found.hits.length, "passage")} found` : "No passage found";
}

function showFacets(groups) {
  const focused = document.activeElement?.dataset?.facet;
  const chosen = Object.values(view.filters).flat().length;
  $("facets").hidden = Boolean(counted) && !groups.length && !found.hits.length;
  $("facets").classList.remove("stale");
  $("narrow").open ||= matchMedia("(min-width: 60rem)").matches;
  $("narrow").firstElementChild.textContent = chosen ? `Narrow (${chosen})` : "Narrow";
  $("groups").replaceChildren(
    groups.length ? h("p.basis", null, `Counts among the ${count(counted.hits.length, "best passage")}.`) : "",
    chosen ? h("button.quiet", { type: "button", onclick: clearFilters }, "Remove filters") : "",
    ...facetList(groups, view.filters, toggle));
  if (focused) $("groups").querySelector(`[data-facet="${CSS.escape(focused)}"]`)?.focus();
}

function showCards() {
  const words = wordsOf(view.q);
  const one = current();
  const options = { words, label: states.shortLabel(one?.label || found.version), onOpen: (hit) => openPassage(hit, {}), onCopy: copyLink };
  $("results").replaceChildren(...found.hits.slice(0, shown).map((hit) => card(hit, options)));
  showMoreButton();
}

function showMoreButton() {
  const left = found.hits.length - shown;
  $("results").querySelector(".more, .end")?.remove();
  if (left > 0) $("results").append(h("button.more", { type: "button", onclick: showMore }, `Show ${Math.min(SHOWN, left)} more`));
  else if (shown >= COUNTED) $("results").append(h("p.end", null, `These are the best ${COUNTED}. Other words find other passages.`));
}

function showMore() {
  const at = shown;
  shown += SHOWN;
  showCards();
  titles()[at]?.focus();
}

function settle() { stopClock(); stopClock = () => {}; }

function fail(problem, again) {
  settle();
  if (problem.status === 0) notice([]);
  $("found").hidden = true;
  $("state").hidden = false;
  document.body.classList.remove("at-start");
  if (problem.status === 401) {
    const refused = Boolean(apiKey());
    if (refused) keepKey("");
    $("state").replaceChildren(...states.keyWanted(refused, again));
    $("key").focus();
    return;
  }
  const [nodes, stop] = states.failureState(problem, () => { settle(); again(); });
  stopClock = stop;
  $("state").replaceChildren(...nodes);
  $("live").textContent = nodes[0].textContent;
}

// ---- answering ----------------------------------------------------------------------------------------------------

function stopAnswer() { answering?.abort(); answering = null; panel = null; }

async function answer({ step = true } = {}) {
  const q = view.q.trim();
  if (!q || !view.collection) return;
  stopAnswer();
  view.ask = true;
  view.passage = step ? "" : view.passage;
  writeAddress(step);
  const turn = answering = new AbortController();
  const mine = panel = new AnswerPanel($("answer"), { onCite: (hit, citation) => openPassage(hit, { citation }), onStop: () => turn.abort() });
  if (step) $("answer").scrollIntoView({ block: "nearest" });
  try {
    await api.answer({ collection: view.collection, q, filters: view.filters }, (event, data) => mine.on(event, data), turn.signal);
    $("live").textContent = `Answer: ${mine.body.textContent.slice(0, 400)}`;
  } catch (problem) {
    if (problem.name === "AbortError") mine.end("Stopped.");
    else if (problem.status === 401) { $("answer").hidden = true; fail(problem, follow); }
    else mine.end(states.failure(problem).slice(0, 2).join(" "), () => answer({ step: false }));
  }
}

// ---- passages -----------------------------------------------------------------------------------------------------

function openPassage(hit, { citation = null, step = true }) {
  const one = current();
  view.passage = hit.id;
  if (step) writeAddress(true);
  showPassage($("passage"), hit, { quote: citation?.quote, number: citation?.n, words: wordsOf(view.q), label: one?.label ? states.shortLabel(one.label) : "", onCopy: copyLink });
}

function closePassage() {
  if (!view.passage) return;
  view.passage = "";
  writeAddress(true);
}

async function copyLink(hit, button) {
  const link = new URL(addressOf({ ...view, passage: hit.id }), location.href).href;
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = "Copied";
    $("live").textContent = "Link copied";
  } catch {
    button.replaceWith(h("input.link", { value: link, readOnly: true, "aria-label": "Link to this passage", onfocus: (event) => event.target.select() }));
    return;
  }
  setTimeout(() => { button.textContent = before; }, 1600);
}

// ---- what people do -----------------------------------------------------------------------------------------------

function typed() {
  view.q = $("q").value;
  $("ask").disabled = !view.q.trim();
  view.ask = false;
  view.passage = "";
  stopAnswer();
  $("answer").hidden = true;
  writeAddress(false);
  clearTimeout(timer);
  timer = setTimeout(search, DEBOUNCE_MS);
}

function choose(name) {
  view.collection = name;
  view.filters = {};
  view.passage = "";
  found = null;
  writeAddress(true);
  follow();
  $("q").focus();
}

function toggle(field, value) {
  const values = view.filters[field] ?? [];
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  const { [field]: _, ...others } = view.filters;
  refine(left.length ? { ...others, [field]: left } : others);
}

const clearFilters = () => refine({});

function refine(filters) {
  view.filters = filters;
  view.ask = false;
  stopAnswer();
  $("answer").hidden = true;
  writeAddress(true);
  search();
}

const titles = () => [...$("results").querySelectorAll(".title")];

function moveFocus(step) {
  const all = titles();
  const at = all.indexOf(document.activeElement);
  if (at < 0 && step < 0) return false;
  const next = at + step;
  if (next < 0) $("q").focus();
  else all[Math.min(next, all.length - 1)]?.focus();
  return all.length > 0;
}

function onKey(event) {
  if ($("passage").open || event.isComposing) return;
  const inField = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "/" && !inField && !event.ctrlKey && !event.metaKey) { event.preventDefault(); $("q").focus(); $("q").select(); }
  else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && (event.target === $("q") || event.target.matches(".title"))) {
    if (moveFocus(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
  } else if (event.key === "Escape") onEscape(event);
}

function onEscape(event) {
  if (event.target !== $("q")) { $("q").focus(); return; }
  event.preventDefault();
  if ($("q").value) { $("q").value = ""; typed(); }
  else $("q").blur();
}

$("form").addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); answer(); if (!found) search(); });
$("q").addEventListener("input", typed);
$("collection").addEventListener("change", (event) => choose(event.target.value));
$("passage").addEventListener("close", closePassage);
$("passage").addEventListener("click", (event) => { if (event.target === $("passage")) $("passage").close(); });
document.addEventListener("keydown", onKey);
addEventListener("popstate", () => { readAddress(view); if (!view.passage && $("passage").open) $("passage").close(); follow(); });
addEventListener("online", () => (collections.length ? search() : start()));
addEventListener("offline", () => { if (!$("found").hidden) notice(["You are offline. What is shown may be old."]); });
start();
