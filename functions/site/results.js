/** Result cards and the facets beside them. */
import { count, h, safeLink } from "./dom.js";
import { codeBlock } from "./code.js";
import { markdown } from "./markdown.js";
import { markWords } from "./marking.js";
import { fromRst } from "./rst.js";

const MOST_VALUES = 7;
/** Characters that are asked for of each hit: a card shows six lines, more would only cost at each keystroke. */
export const EXCERPT = 600;
const LABELS = { class_name: "Class", member_type: "Kind", member_name: "Member", file_path: "File", path: "File", filename: "File", source: "Source", chapter: "Chapter", section: "Section", tags: "Tag", deprecated: "Deprecated", language: "Language", lang: "Language", is_test: "Test code" };
const HIDDEN = new Set(["filename", "chapter_dir", "heading", "internal", "member_name", "file_path", "path", "section", "symbol", "repository"]);

/** The name that a hit goes by: its member, its heading, its title or its file. */
export function titleOf({ metadata: m, citation: c }) {
  if (m.class_name && m.member_name && m.class_name !== m.member_name) return `${m.class_name}.${m.member_name}`;
  const title = m.symbol || c.heading || m.title || m.class_name || m.enum_name || c.path?.split("/").at(-1) || "Passage";
  return String(title).replaceAll("`", "");
}

/** Where a hit stands: path and lines, or what kind of thing it is. A long path loses its beginning, never its lines. */
export function place(hit, words = null) {
  const { citation: c, metadata: m } = hit;
  const lines = c.path && c.start_line ? `:${c.start_line}${c.end_line && c.end_line !== c.start_line ? `-${c.end_line}` : ""}` : partsOf(m);
  const path = h("bdi", null, c.path || [m.source?.replaceAll("_", " "), m.member_type?.toLowerCase()].filter(Boolean).join(" · "));
  markWords(path, words);
  return h("span.place", { title: `${c.path ?? ""}${lines}` || null }, h("span.path", null, path), lines && h("span.lines", null, lines));
}

/** The pages, cells or slides of a file without lines. */
function partsOf(m) {
  const unit = ["page", "cell", "slide"].find((one) => m[one]), last = m[`end_${unit}`];
  return !unit ? "" : last > m[unit] ? `, ${unit}s ${m[unit]}-${last}` : `, ${unit} ${m[unit]}`;
}

/** Where a hit stands above its name: the page's title or the chapter, unless it says the same. */
function trailOf(hit) {
  const { metadata: m } = hit;
  return [m.chapter, m.title].filter((one, at, all) => one && one !== titleOf(hit) && one !== hit.citation.path && all.indexOf(one) === at).join(" › ");
}

export function card(hit, { words, label, onOpen, onCopy }) {
  const title = h("button.title", { type: "button", onclick: () => onOpen(hit) }, titleOf(hit));
  markWords(title, words);
  const body = h("div.excerpt.md", null, rendered(hit, withoutTitle(hit)));
  markWords(body, words);
  body.addEventListener("click", (event) => { if (!event.target.closest("a") && !getSelection().toString()) onOpen(hit); });
  const page = safeLink(hit.citation.url);
  const trail = trailOf(hit);
  return h("article.card", { "data-id": hit.id },
    trail && h("p.trail", null, trail),
    h("h2", null, title),
    place(hit, words),
    body,
    h("footer", null,
      hit.metadata.deprecated === true && h("span.badge.warn", null, "deprecated"),
      label && h("span.badge", { title: `Version ${hit.citation.version}` }, label),
      h("span.actions", null,
        h("button.quiet", { type: "button", onclick: (event) => onCopy(hit, event.currentTarget) }, "Copy link"),
        page && h("a.quiet", { href: page, target: "_blank", rel: "noopener noreferrer" }, "Open page"))));
}

const PROSE = new Set(["markdown", "mdx", "text", "rst", "asciidoc", "html"]);

/** A hit's text: code as code, anything else as Markdown. */
export function rendered(hit, text = hit.text) {
  const language = hit.metadata.lang;
  return language && !PROSE.has(language) ? codeBlock(text, language) : markdown(asMarkdown(hit, text));
}

/** What of a hit is rendered, so that a quote is looked for in the same words. */
export const asMarkdown = (hit, text) => hit.metadata.lang === "rst" ? fromRst(text) : text;

/** The part of the text that speaks of the question, without a first line that only repeats the card's title. */
function withoutTitle(hit) {
  const { start, end, of } = hit.excerpt ?? { start: 0, end: hit.text.length, of: hit.text.length };
  const text = `${start ? "… " : ""}${bodyOf(hit)}${end < of ? " …" : ""}`;
  // A fence that only closes: the excerpt begins inside of a block of code.
  const fences = [...text.matchAll(/^[ \t]*(`{3,}|~{3,})(.*)$/gm)];
  return start && fences.length % 2 && !fences[0][2].trim() ? `${fences[0][1]}\n${text}` : text;
}

function bodyOf(hit) {
  const lines = hit.text.split("\n");
  const first = lines[0].replace(/^#+\s*/, "").trim();
  return first === titleOf(hit) && lines.length > 1 && !hit.excerpt?.start ? lines.slice(1).join("\n") : hit.text;
}

const ORDER = ["chapter", "source", "member_type", "class_name", "kind", "language", "lang", "tags", "deprecated", "is_test"];
const rankOf = (field) => (ORDER.indexOf(field) + 1 || 99);

/** The fields whose values are worth choosing from. */
export const facetFields = (fields, chosen) => fields.filter((field) => !HIDDEN.has(field) || chosen[field]).slice(0, 20);

/** Counts of each field's values, most frequent first; fields that do not divide the passages are left out. */
export function facetsOf(counted, chosen) {
  const groups = [];
  for (const field of Object.keys(counted).sort((a, b) => rankOf(a) - rankOf(b))) {
    const counts = new Map(Object.entries(counted[field]));
    for (const one of chosen[field] ?? []) if (!counts.has(one)) counts.set(one, 0);
    if (counts.size > 1 || chosen[field]) groups.push([field, [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))]);
  }
  return groups;
}

export function facetList(groups, chosen, onToggle) {
  return groups.map(([field, values]) => {
    const picked = chosen[field] ?? [];
    const shown = values.filter(([value], at) => at < MOST_VALUES || picked.includes(value));
    const rows = shown.map(([value, number]) => h("label.value", null,
      h("input", { type: "checkbox", checked: picked.includes(value), onchange: () => onToggle(field, value), "data-facet": `${field}:${value}` }),
      h("span.words", { title: valueLabel(field, value) }, valueLabel(field, value)), h("span.number", { "aria-label": count(number, "result") }, String(number))));
    return h("fieldset", null, h("legend", null, fieldLabel(field)), ...rows);
  });
}

export const fieldLabel = (field) => LABELS[field] ?? field.replaceAll("_", " ").replace(/^\w/, (letter) => letter.toUpperCase());
const valueLabel = (field, value) => field === "source" ? value.replaceAll("_", " ") : { true: "yes", false: "no" }[value] ?? value;
