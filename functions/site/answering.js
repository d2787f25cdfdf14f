/** The answer as it streams: text with numbered citations, then what it was made of. */
import { h } from "./dom.js";
import { markdown } from "./markdown.js";
import { place, titleOf } from "./results.js";

/** One answer on the page: the text grows, the citations come at its end. `before` is the question that it follows, if any. */
export class AnswerPanel {
  constructor(root, { before, onAlone, onCite, onStop }) {
    this.root = root;
    this.onCite = onCite;
    this.text = "";
    this.hits = [];
    this.citations = [];
    this.body = h("div.md.text", { "aria-live": "off" });
    this.tail = h("div.tail");
    this.stop = h("button.quiet", { type: "button", onclick: onStop }, "Stop");
    root.replaceChildren(h("header", null, h("h2", { id: "answer-title" }, "Answer"), h("span.dots", { role: "img", "aria-label": "writing" }, h("i"), h("i"), h("i")), this.stop),
      before ? h("p.by", null, `Asked after “${before.slice(0, 120)}”.`, h("button.quiet", { type: "button", onclick: onAlone }, "Ask it alone")) : "", this.body, this.tail);
    root.hidden = false;
    root.classList.add("writing");
  }

  on(event, data) {
    if (event === "sources") this.hits = data.hits ?? [];
    else if (event === "delta") this.#later(data.text ?? data.delta ?? "");
    else if (event === "citations") this.citations = data.citations ?? data;
    else if (event === "done") this.#finish(data);
  }

  /** Stop writing; `words` say why the text ends here, and `onAgain` is offered where asking again may help. */
  end(words = "", onAgain = null) {
    this.root.classList.remove("writing");
    this.stop.remove();
    this.body.hidden = !this.text;
    if (words) this.tail.append(h("p.broken", { role: "alert" }, words, onAgain && h("button.quiet", { type: "button", onclick: onAgain }, "Ask again")));
  }

  #later(text) {
    this.text += text;
    this.frame ??= requestAnimationFrame(() => { this.frame = undefined; this.#paint(); });
  }

  #paint() { this.body.replaceChildren(markdown(this.text, (n) => this.#mark(n))); }

  /** The button behind a mark; null where the number names no source. */
  #mark(n) {
    const isKnown = this.citations.length ? this.citations.some((one) => one.n === n) : n >= 1 && n <= this.hits.length;
    if (!isKnown) return null;
    const hit = this.hits.find((one) => one.id === this.citations.find((citation) => citation.n === n)?.id);
    return h("button.cite", { type: "button", "data-cite": n, "aria-label": hit ? `Citation ${n}: ${titleOf(hit)}` : `Citation ${n}`, onclick: () => this.open(n) }, String(n));
  }

  #finish(data) {
    this.text = data.answer ?? this.text;
    this.citations = data.citations ?? this.citations;
    this.hits = data.hits ?? this.hits;
    this.answerable = data.answerable !== false;
    this.root.classList.toggle("unanswered", !this.answerable);
    this.#paint();
    this.end();
    if (!this.answerable && this.hits.length) this.root.querySelector("h2").textContent = "Not in the sources";
    const by = !this.answerable ? "" : data.model_used === "extractive" ? "quoted from the sources" : data.model_used ? `written by ${data.model_used}` : "";
    this.tail.replaceChildren(
      ...[...(data.notices ?? []), ...(data.degraded ?? [])].filter((one) => one !== data.answer).map((one) => h("p.note", null, one)),
      this.citations.length ? h("ol.cited", null, ...this.citations.map((one) => this.#cited(one))) : "",
      by ? h("p.by", null, this.citations.length ? `${sentence(by)}. Each number opens the passage it quotes.` : `${sentence(by)}.`) : "");
  }

  #cited(citation) {
    const own = { metadata: citation.metadata ?? {}, citation }; // lines, page and heading of the quote, not of the whole passage
    return h("li", null, h("button.source", { type: "button", onclick: () => this.open(citation.n) },
      h("span.cite", { "aria-hidden": "true" }, String(citation.n)), h("span.name", null, titleOf(own)), place(own)));
  }

  /** Open the passage behind a mark; before the citations have come there is none. */
  open(n) {
    const citation = this.citations.find((one) => one.n === n);
    if (citation) this.onCite(hitOf(citation, this.hits), citation);
  }
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

/** The hit that a citation quotes; where it is not among them, a hit made of the quote alone. */
export function hitOf(citation, hits) {
  const known = hits.find((one) => one.id === citation.id);
  if (known) return known;
  const { id, path, start_line, end_line, heading, url, sha256, version, quote } = citation;
  return { id, text: quote, metadata: citation.metadata ?? {}, citation: { id, path, start_line, end_line, heading, url, sha256, version } };
}
