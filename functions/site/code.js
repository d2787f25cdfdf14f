/** Syntax colours for the languages that documentation shows: comments, strings, numbers, words of the language. */
import { h } from "./dom.js";

const WORDS = new Set((
  "and as assert async await begin break case catch class const continue def default del do elif else elseif end enum except " +
  "export extends extern false final finally fn for foreach from func function global goto if impl implements import in inline " +
  "instanceof interface is lambda let local loop match mod module mut namespace new nil none None not null of or package pass " +
  "private protected pub public raise repeat require return self Self sizeof static struct super switch then this throw trait " +
  "true True False try type typedef typeof union until use using var void when where while with yield int float double bool " +
  "boolean char string number long short unsigned signed any SELECT FROM WHERE INSERT UPDATE DELETE JOIN CREATE TABLE AND OR NOT"
).split(" "));
const HASH = /^(py|python|rb|ruby|sh|bash|shell|zsh|console|yaml|yml|toml|dockerfile|make|makefile|r|perl|ini|conf)/i;
const DASH = /^(lua|luau|sql|haskell|ada|elm)/i;
const PLAIN = /^(text|txt|plain|output|mermaid|diff)?$/i;
const STRING = "\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`(?:\\\\.|[^`\\\\])*`";
const REST = `(?<string>${STRING})|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_$][\\w$]*)`;
const SLASHES = /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.source;
const KINDS = {
  hash: new RegExp(`(?<comment>(?:^|(?<=\\s))#[^\\n]*)|${REST}`, "gm"),
  dash: new RegExp(`(?<comment>--\\[\\[[\\s\\S]*?\\]\\]|--[^\\n]*)|${REST}`, "g"),
  slash: new RegExp(`${SLASHES}|${REST}`, "g"),
};

/** A `pre` of the code; `language` is what its fence says. */
export function codeBlock(text, language = "") {
  const code = h("code", null, ...(PLAIN.test(language) ? [text] : coloured(text, language)));
  return h("pre", { tabIndex: 0, dir: "ltr", "aria-label": language ? `Code, ${language}` : "Code", role: "group" }, code);
}

function coloured(text, language) {
  const rule = KINDS[HASH.test(language) ? "hash" : DASH.test(language) ? "dash" : "slash"];
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(rule)) {
    const kind = kindOf(match.groups, text[match.index + match[0].length]);
    if (!kind) continue;
    parts.push(text.slice(last, match.index), h(`span.${kind}`, null, match[0]));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}

function kindOf({ comment, string, number, word }, next) {
  if (comment) return "tk-c";
  if (string) return "tk-s";
  if (number) return "tk-n";
  if (WORDS.has(word)) return "tk-k";
  return word && next === "(" ? "tk-f" : "";
}
