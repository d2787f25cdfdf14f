/**
 * Markdown to elements, for text that nobody has checked: raw HTML stays text, images become their words, and links lead
 * to http and https alone. `cite(n)` may turn a mark such as [2] into an element;
 * where it gives null the mark stays text, so that a list of numbers is not taken for citations.
 */
import { codeBlock } from "./code.js";
import { h, safeLink } from "./dom.js";

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([\w+#.-]*)/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

export function markdown(text, cite = null) {
  const fragment = document.createDocumentFragment();
  fragment.append(...blocks(text.replaceAll("\r\n", "\n").split("\n"), cite, 0));
  return fragment;
}

function blocks(lines, cite, depth) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) { at += 1; continue; }
    const [element, next] = block(lines, at, cite, depth);
    found.push(element);
    at = next;
  }
  return found;
}

function block(lines, at, cite, depth) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence);
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return [h(`p.h.h${heading[1].length}`, null, ...inline(heading[2], cite)), at + 1];
  if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) return [h("hr"), at + 1];
  if (depth < 6 && /^\s{0,3}>/.test(line)) return quoted(lines, at, cite, depth);
  if (depth < 6 && ITEM.test(line)) return list(lines, at, cite, depth);
  if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "") && lines[at + 1].includes("-")) return table(lines, at, cite);
  return isRow(lines, at) ? rowsAlone(lines, at, cite) : paragraph(lines, at, cite);
}

function fenced(lines, at, [, indent, mark, language]) {
  let end = at + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(mark) && !lines[end].trim().slice(mark.length).replaceAll(mark[0], "").trim())) end += 1;
  const body = lines.slice(at + 1, end).map((line) => line.startsWith(indent) ? line.slice(indent.length) : line);
  return [codeBlock(body.join("\n"), language), end + 1];
}

function quoted(lines, at, cite, depth) {
  let end = at;
  while (end < lines.length && /^\s{0,3}>/.test(lines[end])) end += 1;
  const body = lines.slice(at, end).map((line) => line.replace(/^\s{0,3}>\s?/, ""));
  return [h("blockquote", null, ...blocks(body, cite, depth + 1)), end];
}

function list(lines, at, cite, depth) {
  const [, indent, ordinal] = ITEM.exec(lines[at]);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (item && item[1].length <= indent.length + 1 && Boolean(item[2]) === Boolean(ordinal)) items.push([item[3]]);
    else if (lines[end].trim() && (indentOf(lines[end]) > indent.length || !item) && !startsBlock(lines, end, indent)) items.at(-1).push(lines[end].slice(Math.min(indentOf(lines[end]), indent.length + 2)));
    else if (!lines[end].trim() && continues(lines, end + 1, indent)) items.at(-1).push("");
    else break;
    end += 1;
  }
  const rows = items.map((body) => h("li", null, ...unwrapped(blocks(body, cite, depth + 1))));
  return [h(ordinal ? "ol" : "ul", { dir: "auto", ...(ordinal && { start: Number(ordinal) }) }, ...rows), end];
}

const indentOf = (line) => line.length - line.trimStart().length;
const startsBlock = (lines, at, indent) => indentOf(lines[at]) <= indent.length && /^\s*(#{1,6}\s|`{3}|~{3}|>)/.test(lines[at]);
const continues = (lines, at, indent) => at < lines.length && lines[at].trim() !== "" && (indentOf(lines[at]) > indent.length || (ITEM.exec(lines[at])?.[1].length ?? 99) <= indent.length);
const unwrapped = (elements) => elements.length && elements[0].matches("p:not(.h)") ? [...elements[0].childNodes, ...elements.slice(1)] : elements;

function table(lines, at, cite) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const head = h("tr", null, ...cellsOf(lines[at]).map((cell) => h("th", { scope: "col" }, ...inline(cell, cite))));
  return [tableOf([h("thead", null, head), bodyOf(lines.slice(at + 2, end), cite)]), end];
}

const cellsOf = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
const bodyOf = (lines, cite) => h("tbody", null, ...lines.map((line) => h("tr", null, ...cellsOf(line).map((cell) => h("td", null, ...inline(cell, cite))))));
const tableOf = (parts) => h("div.table", { tabIndex: 0, role: "group", "aria-label": "Table" }, h("table", { dir: "auto" }, ...parts));

const FRAMED = /^\s*\|.*\|\s*$/;
/** Whether rows of a table without a head begin here, as passages of long tables and of office documents have: two in a frame, or three of as many cells. */
function isRow(lines, at) {
  const width = FRAMED.test(lines[at]) || lines[at].includes(" | ") ? cellsOf(lines[at]).length : 0;
  const alike = (line) => line?.includes("|") && cellsOf(line).length === width;
  return width > 1 && alike(lines[at + 1]) && (FRAMED.test(lines[at]) || alike(lines[at + 2]));
}

function rowsAlone(lines, at, cite) {
  const width = cellsOf(lines[at]).length;
  let end = at;
  while (end < lines.length && lines[end].includes("|") && cellsOf(lines[end]).length === width) end += 1;
  return [tableOf([bodyOf(lines.slice(at, end).filter((line) => !TABLE_RULE.test(line)), cite)]), end];
}

function paragraph(lines, at, cite) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !FENCE.test(lines[end]) && !ITEM.test(lines[end]) && !/^\s{0,3}(#{1,6}\s|>)/.test(lines[end]) && !isRow(lines, end)) end += 1;
  return [h("p", null, ...inline(lines.slice(at, end).map((line) => line.trim()).join("\n"), cite)), end];
}

// Each part has a longest length: else what nothing closes would be looked for to the end of the text, again and again.
const INLINE = /(?<code>(`+)(?!`)([\s\S]{0,1000}?[^`])\2(?!`))|(?<image>!\[([^\]]{0,300})\]\([^)]{0,2000}\))|(?<link>\[([^\][]{1,500})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,2000}){0,4})[^)]{0,300}\))|(?<mark>\[(\d+(?:,\s*\d+)*)\])|(?<bold>\*\*(\S(?:[\s\S]{0,1000}?\S)?)\*\*)|(?<soft>(?<![\w*])[*](\S(?:[^*\n]{0,1000}?\S)?)[*](?![\w*]))|(?<under>(?<!\w)_(\S(?:[^_\n]{0,1000}?\S)?)_(?!\w))|<(?<auto>https?:\/\/[^\s<>]+)>|(?<bare>https?:\/\/[^\s<>()\[\]"'`]*[^\s<>()\[\]"'`.,;:!?])|(?<escape>\\[\\`*_#<[\]])|(?<formula>\$\$(?:(?!\[\d)[^$\\]|\\[^])+\$\$|\$(?![\s$])(?:(?!\[\d)[^$\\`\n]|\\.)+(?<!\s)\$(?!\w))/g;
const BRACED_BRACKET = /\{\[\}(?=\d)/g; // of an interval `$[0,1]$`, kept apart from marks

function inline(text, cite) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(last, match.index), ...span(match, cite));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)].filter((part) => part !== "");
}

function span(match, cite) {
  const g = match.groups;
  if (g.code) return [h("code", null, match[3].trim() || match[3])];
  if (g.image) return [h("span.image", null, match[5] || "image")];
  if (g.link) return [anchor(match[7], match[8], cite)];
  if (g.mark) {
    const marks = cite ? match[10].split(",").map((n) => cite(Number(n))) : [null];
    return marks.every(Boolean) ? marks : [match[0]];
  }
  if (g.bold) return [h("strong", null, ...inline(match[12], cite))];
  if (g.soft) return [h("em", null, ...inline(match[14], cite))];
  if (g.under) return [h("em", null, ...inline(match[16], cite))];
  if (g.escape) return [g.escape.slice(1)];
  if (g.formula) return [g.formula.replace(BRACED_BRACKET, "[")]; // TeX: its stars and backslashes mark nothing; a citation is none of it
  const url = g.auto ?? g.bare;
  return [anchor(url, url, null)];
}

function anchor(words, url, cite) {
  const href = safeLink(url);
  const inner = words === url ? [words] : inline(words, cite);
  return href ? h("a", { href, rel: "noopener noreferrer", target: "_blank" }, ...inner) : h("span", null, ...inner);
}
