/** The dialog that shows one passage whole, with the quote of a citation marked. */
import { h, safeLink } from "./dom.js";
import { markQuote, markWords } from "./marking.js";
import { asMarkdown, place, rendered, titleOf } from "./results.js";

/** Fill the dialog and open it. `quote` is what a citation quotes; `words` are marked where there is none. */
export function showPassage(dialog, hit, { quote = "", number = 0, words = null, label = "", notices = [], onCopy }) {
  const body = h("div.md", null, rendered(hit));
  const mark = quote ? markQuote(body, asMarkdown(hit, quote)) : null;
  if (!quote) markWords(body, words);
  const page = safeLink(hit.citation.url);
  dialog.replaceChildren(
    h("header", null,
      number > 0 && h("span.cite", { "aria-label": `Citation ${number}` }, String(number)),
      h("h2", { id: "passage-title" }, titleOf(hit)),
      h("button.close", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×")),
    place(hit),
    ...notices.map((line) => h("p.note", null, line)),
    quote && !mark ? h("blockquote.lead", null, h("mark.quote", null, quote)) : "",
    body,
    h("footer", null,
      h("span.proof", { title: `sha256 of the stored text: ${hit.citation.sha256}` }, `${label ? `${label} · ` : ""}version ${hit.citation.version} · sha256 ${hit.citation.sha256.slice(0, 12)}`),
      h("span.actions", null,
        h("button.quiet", { type: "button", onclick: (event) => onCopy(hit, event.currentTarget) }, "Copy link"),
        page && h("a.quiet", { href: page, target: "_blank", rel: "noopener noreferrer" }, "Open page"))));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  mark?.scrollIntoView({ block: "center" });
}
