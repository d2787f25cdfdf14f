/** Marks in rendered text: the words of a question, and the quote of a citation. */
import { h } from "./dom.js";

const COMMON = new Set("a an and are as at be by can do does for from how i in is it me my of on or so that the this to was what when where which who why will with you your".split(" "));

/** A pattern that finds the question's words at the start of words, their endings left open; null without any. */
export function wordsOf(question) {
  const words = new Set();
  for (const [word] of question.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (word.length > 1 && !COMMON.has(word)) words.add(word.length > 5 ? word.replace(/(ing|ed|es|s|e)$/, "") : word.replace(/s$/, ""));
  }
  if (!words.size) return null;
  const any = [...words].sort((a, b) => b.length - a.length).slice(0, 24).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})[\\p{Ll}\\p{N}]{0,4}(?![\\p{Ll}\\p{N}])|(?<=[\\p{Ll}])(?:${any})(?=\\p{Lu}|(?![\\p{L}]))`, "giu");
}

/** Wrap what the pattern finds in `mark`. */
export function markWords(root, pattern) {
  if (!pattern) return;
  for (const node of textNodes(root)) {
    const text = node.data;
    const parts = [];
    let last = 0;
    for (const match of text.matchAll(pattern)) {
      parts.push(text.slice(last, match.index), h("mark", null, match[0]));
      last = match.index + match[0].length;
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
  const spans = new Map();
  for (const [node, at] of places.slice(from, from + wanted.length)) {
    const span = spans.get(node) ?? spans.set(node, [at, at]).get(node);
    span[1] = at;
  }
  let first = null;
  for (const [node, [start, end]] of spans) {
    const mark = h("mark.quote", null, node.data.slice(start, end + 1));
    node.replaceWith(node.data.slice(0, start), mark, node.data.slice(end + 1));
    first ??= mark;
  }
  return first;
}

/** Letters and digits alone; the targets of links are left out, since they are not shown. */
function folded(text) {
  return text.replace(/(!?\[[^\]]*\])\([^)\s]*\)/g, "$1").replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}
