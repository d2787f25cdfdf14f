/** Marks in rendered text: the words of a question, and the quote of a citation. */
import { h } from "./dom.js";

const COMMON = new Set("a an and are as at be by can do does for from how i in is it me my of on or so that the this to was what when where which who why will with you your".split(" "));

/** A pattern that finds the beginnings of the question's words; null without any. */
export function wordsOf(question) {
  const words = new Set();
  for (const [word] of question.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (word.length > 1 && !COMMON.has(word)) words.add(stemOf(word));
  }
  for (const [name] of question.matchAll(/[\p{L}\p{N}_]+/gu)) {
    // `validateCSRFToken` is found by its parts too.
    const parts = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? [];
    if (parts.length > 1) for (const part of parts) if (part.length > 2) words.add(stemOf(part.toLowerCase()));
  }
  if (!words.size) return null;
  const any = [...words].sort((a, b) => b.length - a.length).slice(0, 24).join("|");
  return new RegExp(any, "giu");
}

const stemOf = (word) => word.length > 5 ? word.replace(/(ing|ed|es|s|e)$/, "") : word.replace(/s$/, "");

/** Where the word ends that begins at `at`, or `at` where none does: it begins a word or a camelCase part, and has a short ending. */
function endOfWord(text, at, stem) {
  const before = at ? text[at - 1] : "";
  // A part begins where case rises, and where a run of capitals gives its last to a word: `CSRF|Token`.
  const isPart = /^\p{Lu}/u.test(stem) && (/[\p{Ll}\p{N}]/u.test(before) || /^\p{Lu}\p{Ll}/u.test(stem));
  if (/[\p{L}\p{N}]/u.test(before) && !isPart) return at;
  const isLoud = /\p{Lu}/u.test(stem) && stem === stem.toUpperCase();
  const [ending] = (isLoud ? /^(?!\p{Lu}\p{Ll})[\p{L}\p{N}]*|^/u : /^[\p{Ll}\p{N}]*/u).exec(text.slice(at + stem.length));
  return ending.length <= 4 ? at + stem.length + ending.length : at;
}

/** Wrap what the pattern finds in `mark`. */
export function markWords(root, pattern) {
  if (!pattern) return;
  for (const node of textNodes(root)) {
    const text = node.data;
    const parts = [];
    let last = 0;
    for (const { 0: stem, index } of text.matchAll(pattern)) {
      const end = index < last ? index : endOfWord(text, index, stem);
      if (end === index) continue;
      parts.push(text.slice(last, index), h("mark", null, text.slice(index, end)));
      last = end;
    }
    if (parts.length) node.replaceWith(...parts, text.slice(last));
  }
}

/**
 * Wrap the quote in `mark.quote`, wherever it stands in the rendered text: both are compared by their letters and digits,
 * since rendering takes the Markdown's own signs away. Returns the first mark, or null.
 */
export function markQuote(root, quote) {
  const nodes = textNodes(root);
  const places = [];
  let letters = "";
  for (const node of nodes) {
    for (let at = 0; at < node.data.length; at += 1) {
      const letter = folded(node.data[at]);
      for (const _ of letter) places.push([node, at]);
      letters += letter;
    }
  }
  const wanted = [...folded(quote)].join("");
  const from = wanted ? letters.indexOf(wanted) : -1;
  if (from < 0) return null;
  const [start, startAt] = places[from];
  const [end, endAt] = places[from + wanted.length - 1];
  let first = null;
  for (const node of nodes.slice(nodes.indexOf(start), nodes.indexOf(end) + 1)) {
    const begins = node === start ? startAt : 0;
    const ends = node === end ? endAt + 1 : node.data.length;
    if (!node.data.slice(begins, ends).trim()) continue;
    const mark = h("mark.quote", null, node.data.slice(begins, ends));
    node.replaceWith(node.data.slice(0, begins), mark, node.data.slice(ends));
    first ??= mark;
  }
  return first;
}

/** Letters and digits alone; targets of links and languages of fences are left out, since they are not shown. */
function folded(text) {
  return text.replace(/^([ \t]*(?:`{3,}|~{3,}))[^`\n]*$/gm, "$1").replace(/(!?\[[^\]]*\])\([^)\s]*\)/g, "$1").replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}
