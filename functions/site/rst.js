/** reStructuredText as Markdown, as far as documentation's passages use it: titles, roles, links, blocks of code, notes. */

const LINE = /^([=\-~^"'`+*#.:_])\1{2,}\s*$/;
const DIRECTIVE = /^(\s*)\.\.\s+(?:[a-z]+:)?([\w-]+)::\s*(.*)$/;
const GRID = /^\s*\+[-=]{2,}[-=+]*\+\s*$/;
const RULES = /^\s*={2,}(?:\s+={2,})+\s*$/;
const CODE = new Set(["code", "code-block", "sourcecode", "literalinclude", "parsed-literal"]);

export function fromRst(text) {
  const lines = text.split("\n");
  const out = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const directive = DIRECTIVE.exec(line);
    if (directive && CODE.has(directive[2])) at = fence(lines, at, directive[3], out);
    else if (directive) at = note(lines, at, directive, out);
    else if (GRID.test(line) || RULES.test(line)) at = table(lines, at, out);
    else if (/^\s*\.\.(\s|$)/.test(line)) continue;
    else if (line.trim() && LINE.test(lines[at + 1] ?? "") && !LINE.test(line)) { out.push(`## ${inline(line.trim())}`, ""); at += 1; }
    else if (LINE.test(line)) continue;
    else if (/::\s*$/.test(line)) { out.push(inline(line.replace(/\s*::\s*$/, line.trim() === "::" ? "" : ":"))); at = fence(lines, at, "", out); }
    else out.push(inline(line));
  }
  return out.join("\n");
}

/** The indented lines after `at` as a block of code; gives the last line of it. */
function fence(lines, at, language, out) {
  const depth = indentOf(lines[at]);
  let start = at + 1;
  while (start < lines.length && (!lines[start].trim() || /^\s+:[\w-]+:/.test(lines[start]))) start += 1;
  let end = start;
  while (end < lines.length && (!lines[end].trim() || indentOf(lines[end]) > depth)) end += 1;
  const body = lines.slice(start, end);
  const shift = Math.min(...body.filter((line) => line.trim()).map(indentOf));
  while (body.length && !body.at(-1).trim()) body.pop();
  if (body.length) out.push("", `\`\`\`${language}`, ...body.map((line) => line.slice(shift)), "```", "");
  return end - 1;
}

/** A table as it is drawn; gives the last line of it. */
function table(lines, at, out) {
  const grid = GRID.test(lines[at]);
  let end = at + 1;
  if (grid) while (end < lines.length && /^\s*[+|]/.test(lines[end])) end += 1;
  else while (end < lines.length && !(RULES.test(lines[end - 1]) && end > at + 1 && !lines[end].trim())) end += 1;
  out.push("", "```", ...lines.slice(at, end).map((line) => line.replace(/``([^`]+)``/g, "$1    ").trimEnd()), "```", "");
  return end - 1;
}

/** Any other directive: what it says in bold, then its own lines as text. */
function note(lines, at, [, indent, name, words], out) {
  out.push("", `**${[name[0].toUpperCase() + name.slice(1), inline(words)].filter(Boolean).join(": ")}**`, "");
  let end = at + 1;
  while (end < lines.length && /^\s+:[\w-]+:/.test(lines[end])) end += 1;
  for (let next = end; next < lines.length && (!lines[next].trim() || indentOf(lines[next]) > indent.length); next += 1) lines[next] = lines[next].trim() ? lines[next].slice(Math.min(indentOf(lines[next]), indent.length + 4)) : "";
  return end - 1;
}

const indentOf = (line) => line.length - line.trimStart().length;

function inline(text) {
  return text
    .replace(/:[\w:+-]+:`([^`<]+?)\s*<[^>`]*>`/g, "`$1`")
    .replace(/:[\w:+-]+:`~?@?([^`]+)`/g, (_, name) => `\`${name.replace(/^[~@!]+/, "")}\``)
    .replace(/`([^`<]+?)\s*<(https?:[^>`]+)>`__?/g, "[$1]($2)")
    .replace(/(?<!`)`([^`]+)`_(?!\w)/g, "$1");
}
