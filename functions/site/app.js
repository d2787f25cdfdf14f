/** The page: what is asked stands in the address, and everything shown follows from it. */
import { addressOf, readAddress, writeHistory } from "./address.js";
import { Api, apiKey, keepKey } from "./api.js";
import { $, count, h } from "./dom.js";
import { AnswerPanel } from "./answering.js";
import { wordsOf } from "./marking.js";
import { showPassage } from "./passage.js";
import { EXCERPT, card, facetFields, facetList, facetsOf } from "./results.js";
import * as states from "./states.js";

// The first letter is searched at once, further ones at most this often.
const GAP_MS = 90;
const SHOWN = 10;
// What can be turned to; facets count over as many, and are asked for once typing has paused.
const COUNTED = 50;
const PAUSE_MS = 250;
// Messages that a question takes along, questions and answers alike; the widget takes as many.
const MOST_TURNS = 24;
const api = new Api(new URL("./", location.href).href);
const view = { q: "", collection: "", filters: {}, ask: false, passage: "", version: "", turns: [] };
let collections = [];
let details = new Map();
let found = null;
let counted = null;
let more = 0;
let sentAt = 0;
let panel = null;
let searching = null;
let answering = null;
// The last answer, which the next question of the same collection may lean on: what was said before it, and with it.
let talk = null;
let timer = 0;
// Whether the place in the history that is shown is of a question that is being typed: then typing goes on in it.
let isTyping = false;
let stopClock = () => {};

/** Write the view to the address; `step` makes a place that the back button returns to. */
function writeAddress(step, opened = false) {
  writeHistory(addressOf(view), step, { opened, turns: view.turns });
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
  view.collection ||= collections[0]?.name ?? "";
  if (!view.q) $("q").focus({ preventScroll: true });
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
  const { ask, passage, version } = view;
  await search();
  if (ask && view.ask) await answer({ step: false });
  if (passage && passage === view.passage) await openLinked(passage, version);
}

/** Open the passage that the address names, as the version that it names has it, and say where that is not today's. */
async function openLinked(id, version) {
  const citation = panel?.citations.find((one) => one.id === id);
  const isIt = (one) => one.id === id && (!version || one.citation.version === version);
  const hit = [...(panel?.hits ?? []), ...(found?.hits ?? [])].find(isIt);
  if (hit) { await openPassage(hit, { citation, step: false }); return; }
  try {
    const [one, lost] = await linked(id, version);
    const notices = lost ? [`Version ${version}, which the link names, is not kept any more. This is the passage as version ${one.version} has it.`] : standing(one);
    if (id === view.passage) await openPassage(one, { citation, step: false, notices });
  } catch (problem) {
    if (problem.status !== 404) { fail(problem, follow); return; }
    notice([`The linked passage is gone: ${version ? `neither version ${version}, which the link names, nor the one served now has it` : "the version served now does not have it"}.`]);
    closePassage();
  }
}

/** The passage, and whether the version asked for could not give it and today's was read instead. */
async function linked(id, version) {
  try {
    return [await api.passage(view.collection, id, version), false];
  } catch (problem) {
    if (problem.status !== 404 || !version) throw problem;
    return [await api.passage(view.collection, id), true];
  }
}

/** What has become of a passage since its version. */
function standing(one) {
  const since = { unchanged: "has the same text", changed: "has another text here", gone: "does not have it any more" }[one.state];
  return since ? [`Read from version ${one.version}. Version ${one.current_version}, served now, ${since}.`] : [];
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
  if (!q || !current()) { found = null; showStart(); return; }
  sentAt = performance.now();
  const turn = searching = new AbortController();
  const waiting = setTimeout(showWaiting, 160);
  try {
    found = await api.query(body(q, SHOWN), turn.signal);
    if (turn !== searching) return;
    more = 0;
    showFound();
    timer = setTimeout(complete, PAUSE_MS, q, turn);
    if (view.ask && panel?.isCutOff) answer({ step: false }); // the server is back
  } catch (problem) {
    if (turn === searching && problem.name !== "AbortError") fail(problem, search);
  } finally {
    clearTimeout(waiting);
    if (turn === searching) $("found").classList.remove("stale");
  }
}

function body(q, most, offset = 0) {
  const asked = { collection: view.collection, q, top_k: most, offset, excerpt: EXCERPT };
  return Object.keys(view.filters).length ? { ...asked, filters: view.filters } : asked;
}

/** What the facets count, and how many more hits there are. */
async function complete(q, turn) {
  try {
    const about = await detail(view.collection);
    const wanted = { ...body(q, 1), facets: facetFields(about.filters, view.filters) };
    const { facets } = wanted.facets.length ? await api.query(wanted, turn.signal) : { facets: null };
    if (turn !== searching) return;
    counted = { of: `${view.collection}\n${q}`, number: facets?.of ?? 0 };
    more = Math.max((facets?.matching ?? COUNTED) - found.hits.length, 0);
    showFacets(facets ? facetsOf(facets.counts, view.filters) : []);
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
  const isUnknown = view.collection && !current();
  $("state").replaceChildren(...(!collections.length ? states.emptyShelf()
    : isUnknown ? states.unknownCollection(view.collection, collections, choose)
    : states.startState(collections, view.collection, choose)));
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
  notice([...cutOff(), ...(current()?.degraded ?? []), ...found.degraded, ...(found.hits.length ? found.notices : [])]);
  const isFiltered = Object.keys(view.filters).length > 0;
  $("found").hidden = !found.hits.length && !isFiltered;
  $("state").hidden = found.hits.length > 0;
  if (!found.hits.length) {
    const others = states.elsewhere(collections, view.collection, choose);
    $("state").replaceChildren(...[...states.nothingFound(view.q, isFiltered, clearFilters, found.notices), others].filter(Boolean));
  }
  // The place of the facets is kept, so that nothing moves when their counts come.
  if ($("facets").hidden || counted?.of.split("\n")[0] !== view.collection) showFacets([]);
  $("facets").classList.add("stale");
  showCards();
  $("live").textContent = found.hits.length === SHOWN ? "Passages found, the best first" : found.hits.length ? `${count(found.hits.length, "passage")} found` : "No passage found";
}

/** What a browser does not say of a long text that was pasted. */
function cutOff() {
  const most = $("q").maxLength;
  return view.q.length < most ? [] : [`The first ${most.toLocaleString("en")} characters of the question were read.`];
}

function showFacets(groups) {
  const focused = document.activeElement?.dataset?.facet;
  const chosen = Object.values(view.filters).flat().length;
  $("facets").hidden = Boolean(counted) && !groups.length && !found.hits.length;
  $("facets").classList.remove("stale");
  $("narrow").open ||= matchMedia("(min-width: 60rem)").matches;
  $("narrow").firstElementChild.textContent = chosen ? `Narrow (${chosen})` : "Narrow";
  $("groups").replaceChildren(
    groups.length ? h("p.basis", null, `Counts among the ${count(counted.number, "best passage")}.`) : "",
    chosen ? h("button.quiet", { type: "button", onclick: clearFilters }, "Remove filters") : "",
    ...facetList(groups, view.filters, toggle));
  if (focused) $("groups").querySelector(`[data-facet="${CSS.escape(focused)}"]`)?.focus();
}

function showCards() {
  const words = wordsOf(view.q);
  const one = current();
  const options = { words, label: states.shortLabel(one?.label || found.version), onOpen: (hit) => openPassage(hit, {}), onCopy: copyLink };
  $("results").replaceChildren(...found.hits.map((hit) => card(hit, options)));
  showMoreButton();
}

function showMoreButton() {
  $("results").querySelector(".more, .end")?.remove();
  if (more > 0) $("results").append(h("button.more", { type: "button", onclick: showMore }, `Show ${Math.min(SHOWN, more)} more`));
  else if (found.hits.length >= COUNTED) $("results").append(h("p.end", null, `These are the best ${COUNTED}. Other words find other passages.`));
}

async function showMore() {
  const turn = searching;
  const at = found.hits.length;
  try {
    const next = await api.query(body(view.q.trim(), Math.min(SHOWN, more), at), turn.signal);
    if (turn !== searching) return;
    more = next.hits.length ? more - next.hits.length : 0;
    found.hits.push(...next.hits);
  } catch (problem) {
    if (turn === searching && problem.name !== "AbortError") notice([states.failure(problem).slice(0, 2).join(" ")]);
    return;
  }
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
  if (!q) return;
  view.ask = true; // before the collections are known too: it is answered as soon as they are
  if (!current()) return;
  stopAnswer();
  if (step) {
    view.passage = view.version = "";
    view.turns = said(q);
  }
  writeAddress(step && !isTyping);
  isTyping = false;
  const turn = answering = new AbortController();
  const { collection, filters, turns } = view;
  const before = turns.filter((one) => one.role === "user").at(-1)?.content;
  const mine = panel = new AnswerPanel($("answer"), { before, onAlone: askAlone, onCite: (hit, citation) => openPassage(hit, { citation }), onStop: () => turn.abort() });
  if (step) $("answer").scrollIntoView({ block: "nearest" });
  try {
    await api.answer({ collection, q, filters, history: turns }, (event, data) => {
      mine.on(event, data);
      if (event === "done") talk = { collection, q, before: turns, with: [...turns, { role: "user", content: q }, { role: "assistant", content: data.answer }].slice(-MOST_TURNS) };
    }, turn.signal);
    $("live").textContent = `Answer: ${mine.body.innerText.slice(0, 400)}`;
  } catch (problem) {
    if (problem.name === "AbortError") mine.end("Stopped.");
    else if (problem.status === 401) { $("answer").hidden = true; fail(problem, follow); }
    else {
      mine.isCutOff = problem.status === 0;
      mine.end(states.failure(problem).slice(0, 2).join(" "), () => answer({ step: false }));
    }
  }
}

/** What was said before the question; the same one asked again follows what it followed the first time. */
function said(q) {
  if (talk?.collection !== view.collection) return [];
  return talk.q === q ? talk.before : talk.with;
}

function askAlone() {
  view.turns = [];
  answer({ step: false });
}

// ---- passages -----------------------------------------------------------------------------------------------------

async function openPassage(hit, { citation = null, step = true, notices = [] }) {
  const one = current();
  view.passage = hit.id;
  view.version = hit.citation.version;
  if (step) writeAddress(true, true);
  const [whole, missing] = await wholeOf(hit);
  if (view.passage !== hit.id) return;
  showPassage($("passage"), whole, {
    quote: citation?.quote, number: citation?.n, words: wordsOf(view.q), label: one?.label ? states.shortLabel(one.label) : "",
    notices: [...notices, ...missing], onCopy: copyLink,
  });
}

/** The hit with its whole text, and what is to be said where that did not come. */
async function wholeOf(hit) {
  if (!hit.excerpt || hit.excerpt.end - hit.excerpt.start === hit.excerpt.of) return [hit, []];
  try {
    return [await api.passage(view.collection, hit.id, hit.citation.version), []];
  } catch {
    return [hit, ["Only a part of this passage is shown: the rest could not be read just now."]];
  }
}

/** The dialog has closed: a step that opened it is gone back over, so that Back does not open it again. */
function closePassage() {
  if (!view.passage) return;
  view.passage = view.version = "";
  if (history.state?.opened) history.back();
  else writeAddress(false);
}

async function copyLink(hit, button) {
  const link = new URL(addressOf({ ...view, passage: hit.id, version: hit.citation.version }), location.href).href;
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
  view.passage = view.version = "";
  view.turns = [];
  stopAnswer();
  $("answer").hidden = true;
  clearTimeout(timer);
  const wait = sentAt + GAP_MS - performance.now();
  if (wait > 0) timer = setTimeout(search, wait);
  else search();
  writeAddress(!isTyping); // while the question is on its way
  isTyping = true;
}

function choose(name) {
  isTyping = false;
  view.collection = name;
  view.filters = {};
  view.passage = view.version = "";
  view.turns = [];
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
  isTyping = false;
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
  if (event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if ($("passage").open) $("passage").close();
    $("q").focus();
    $("q").select();
    return;
  }
  if ($("passage").open) return;
  const inField = event.target.matches("input:not([type=checkbox]), textarea, select");
  // Pressed out of habit where the field has the focus from the start, it is no question either.
  const isFree = !inField || (event.target === $("q") && !$("q").value);
  if (event.key === "/" && isFree && !event.ctrlKey && !event.metaKey) { event.preventDefault(); $("q").focus(); $("q").select(); }
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
addEventListener("popstate", () => {
  isTyping = false;
  const asked = () => JSON.stringify([view.q, view.collection, view.filters, view.ask]);
  const before = asked();
  readAddress(view);
  if (!view.passage && $("passage").open) $("passage").close();
  if (asked() !== before) follow();
  else if (view.passage) openLinked(view.passage, view.version);
});
addEventListener("online", () => (collections.length ? search() : start()));
addEventListener("offline", () => { if (!$("found").hidden) notice(["You are offline. What is shown may be old."]); });
start();
