/** What is asked, as the address says it: `?c=collection&q=question&f.field=value&ask=1&p=passage&v=version`. What was said
 *  before it is no part of the address but of its place in the history, which a reload and a step back return to. */

/** Take what the address says into the view; a collection that it does not name stays. */
export function readAddress(view) {
  const given = new URLSearchParams(location.search);
  view.q = given.get("q") ?? "";
  view.collection = given.get("c") ?? view.collection;
  view.ask = given.has("ask");
  view.passage = given.get("p") ?? "";
  view.version = given.get("v") ?? "";
  view.turns = history.state?.turns ?? [];
  view.filters = Object.create(null); // `f.__proto__` is a field like any other
  for (const [key, value] of given) if (key.startsWith("f.")) (view.filters[key.slice(2)] ??= []).push(value);
}

/** The address of a view, relative to the page. */
export function addressOf({ collection, q, filters, ask, passage, version }) {
  const parts = new URLSearchParams();
  if (collection) parts.set("c", collection);
  if (q) parts.set("q", q);
  for (const [field, values] of Object.entries(filters)) for (const value of values) parts.append(`f.${field}`, value);
  if (ask) parts.set("ask", "1");
  if (passage) parts.set("p", passage);
  if (passage && version) parts.set("v", version);
  const text = parts.toString();
  return text ? `?${text}` : location.pathname;
}

/** `opened` marks a step that opened a passage: closing it goes back over that step. */
export function writeHistory(address, step, { opened, turns }) {
  const state = opened || turns.length ? { opened, turns } : null;
  if (step && address !== (location.search || location.pathname)) history.pushState(state, "", address);
  else history.replaceState(state, "", address);
}
