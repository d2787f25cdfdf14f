/**
 * Quire beside any page:
 *
 *   <script src="https://HOST/widget.js" data-collection="textbook" defer></script>
 *
 * A button opens a dialog that asks the collection; text that is selected on the page can be asked about. Everything lies in
 * a shadow root. Colours and place are CSS variables of the page: --quire-accent, --quire-on-accent, --quire-paper,
 * --quire-ink, --quire-font, --quire-radius, --quire-right, --quire-bottom. Further attributes: data-label, data-title,
 * data-key (a key that may be public). The page's policy needs script-src and connect-src HOST; styles need nothing.
 * The tab keeps the last turns in sessionStorage, so that a reload, or the page that an answer leads to, loses none.
 * What is set up wrongly (an origin that may not ask, an unknown collection) is told in the console.
 */
(() => {
  const script = document.currentScript;
  /** Tell the site's owner, who reads the console; the site's readers see no button that would not work. */
  const complain = (words) => console.error(`Quire widget: ${words}`);
  if (!script) {
    complain('load it with a plain <script src="https://HOST/widget.js" …>: without type="module", not by import.');
    return;
  }
  const base = new URL(".", script.src).href;
  const collection = script.dataset.collection ?? "";
  const there = document.querySelector("quire-widget");
  if (there) {
    if (collection !== there.dataset.collection) complain(`this page asks "${there.dataset.collection}" already; one widget fits on a page, so "${collection}" is not asked.`);
    return;
  }
  if (!collection) {
    complain(`its <script> has no data-collection. ${base}collections lists the names that it may have.`);
    return;
  }
  const label = script.dataset.label ?? "Ask";
  const title = script.dataset.title ?? "Ask the documentation";
  const key = script.dataset.key ?? "";
  const MOST_SELECTED = 4000;
  const MOST_ASKED = 8000;
  const MOST_TURNS = 12;
  const SILENCE_MS = 20_000;

  // A page's rules for all elements reach the host, but lose to \`!important\` in here, even where they have it too. Sizes
  // are in em of a text that is not tiny where a page has \`html { font-size: 62.5% }\`, nor too large for a phone.
  const STYLE = `
:host{--a:var(--quire-accent,#0b6e53);--oa:var(--quire-on-accent,#fff);--p:var(--quire-paper,#fff);--i:var(--quire-ink,#1c1d1b);--r:var(--quire-radius,14px);--soft:color-mix(in srgb,var(--i) 68%,var(--p));--line:color-mix(in srgb,var(--i) 14%,var(--p));--wash:color-mix(in srgb,var(--i) 5%,var(--p));all:initial!important;position:absolute!important;font:clamp(16px,1rem,24px)/1.6 var(--quire-font,system-ui,sans-serif)!important;color:var(--i)!important}
:host([dark]){--a:var(--quire-accent,#6fd3ae);--oa:var(--quire-on-accent,#08231a);--p:var(--quire-paper,#1b1e1b);--i:var(--quire-ink,#e9e9e3)}
*{box-sizing:border-box}button,textarea{font:inherit;color:inherit}button{cursor:pointer}:focus-visible{outline:2px solid var(--a);outline-offset:2px}[hidden]{display:none!important}
.open,.about{position:fixed;z-index:2147483647;border:0;border-radius:999px;background:var(--a);color:var(--oa);font-weight:600;box-shadow:0 6px 24px -8px #0006}
.open{right:var(--quire-right,1.25em);bottom:var(--quire-bottom,1.25em);padding:.7em 1.3em}.about{padding:.4em 1em;font-size:.85em}
dialog{border:0;padding:0;margin:auto 1.25em 1.25em auto;width:min(27em,calc(100vw - 1.5em));max-height:min(40em,calc(100dvh - 2.5em));border-radius:var(--r);background:var(--p);color:var(--i);box-shadow:0 20px 60px -16px #0007}
dialog[open]{display:flex;flex-direction:column}dialog::backdrop{background:#0003}
header{display:flex;align-items:center;padding:1em 1.15em .4em}h2{font-size:1.05em;overflow-wrap:anywhere;margin:0;flex:1}.x{border:0;background:none;font-size:1.4em;line-height:1;padding:.2em .4em;color:var(--soft)}
.out{padding:.3em 1.2em;overflow:auto;flex:1;overflow-wrap:anywhere;font-size:.95em}.hello{color:var(--soft)}
form{padding:.7em 1.15em 1.1em}.box{display:flex;gap:.5em;align-items:flex-end;border:1px solid var(--line);border-radius:12px;padding:.4em .4em .4em .8em}.box:focus-within{border-color:var(--a)}.box:has(textarea:focus-visible){outline:1px solid var(--a)}
textarea,textarea:focus-visible{flex:1;min-width:0;border:0;background:none;resize:none;outline:0;padding:.25em 0;max-height:8em;field-sizing:content}.send{border:0;border-radius:9px;background:var(--a);color:var(--oa);font-weight:600;padding:.4em .9em}.send:disabled{opacity:.45;cursor:default}
.chosen{border-left:3px solid var(--a);margin:0 0 .7em;padding:.1em .8em;color:var(--soft);font-size:.85em;max-height:5.4em;overflow:hidden;display:flex;gap:.5em}.chosen span{flex:1}
.cite{border:0;border-radius:6px;background:color-mix(in srgb,var(--a) 16%,var(--p));color:var(--a);font-weight:600;font-size:.78em;line-height:1;padding:.35em .55em;margin:0 .15em;vertical-align:.1em}
.source{border:1px solid var(--line);border-radius:10px;padding:.65em .9em;margin:.6em 0;font-size:.9em}.source summary{cursor:pointer;font-weight:600}.source blockquote{margin:.6em 0;padding:0 0 0 .8em;border-left:3px solid var(--a)}.source a{color:var(--a)}
.turn+.turn{border-top:1px solid var(--line);margin-top:1em;padding-top:.4em}.where,.note{color:var(--soft);font-size:.85em}.source .where{font-size:.94em}p{margin:.5em 0}p.h{font-weight:650}pre{background:var(--wash);border-radius:9px;padding:.8em;overflow:auto;font-size:.85em}code{font-family:ui-monospace,monospace;font-size:.9em;background:var(--wash);border-radius:4px;padding:.05em .25em;direction:ltr;unicode-bidi:isolate}pre code{background:none;padding:0}ul,ol{padding-inline:1.3em 0}
a{color:var(--a)}.table{overflow:auto}td,th{padding:.2em .6em .2em 0}p,li,td,th{unicode-bidi:plaintext;text-align:start}
@media print{.open,.about,.x,form,dialog::backdrop{display:none!important}dialog{position:absolute;inset:0 0 auto;margin:0;width:auto;max-width:none;max-height:none;box-shadow:none}.out{overflow:visible}}`;

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const host = document.createElement("quire-widget");
  host.dataset.collection = collection;
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const out = make("div", { className: "out", tabIndex: -1 });
  out.setAttribute("aria-live", "polite");
  const field = make("textarea", { rows: 1, maxLength: MOST_ASKED, dir: "auto", placeholder: "Your question" });
  field.setAttribute("aria-label", "Your question");
  const send = make("button", { className: "send", type: "submit", disabled: true, textContent: "Ask" });
  const chosen = make("div", { className: "chosen", hidden: true });
  const form = make("form", {}, chosen, make("div", { className: "box" }, field, send));
  const heading = make("h2", { id: "t", textContent: title });
  const anew = make("button", { className: "x", type: "button", textContent: "↺", title: "Start over", hidden: true });
  anew.setAttribute("aria-label", "Start over");
  const shut = make("button", { className: "x", type: "button", textContent: "×" });
  shut.setAttribute("aria-label", "Close");
  const dialog = make("dialog", {}, make("header", {}, heading, anew, shut), out, form);
  dialog.setAttribute("aria-labelledby", "t");
  const opener = make("button", { className: "open", type: "button", textContent: label, hidden: true });
  opener.setAttribute("aria-haspopup", "dialog");
  const about = make("button", { className: "about", type: "button", textContent: "Ask about this", hidden: true });
  root.append(opener, about, dialog);

  const night = matchMedia("(prefers-color-scheme: dark)");
  let selected = "";
  let pressed = null;
  let turn = null;
  const thread = `quire-widget thread ${base} ${collection}`;
  const kept = keptTurns();
  // What was asked about selected text names no topic without it: "what does this mean?"
  const said = () => kept.flatMap(({ question, selected: marked, answer }) => [{ role: "user", content: marked ? `“${marked}” ${question}` : question }, { role: "assistant", content: answer }]);

  function open(text = "") {
    choose(text);
    const begins = !out.childNodes.length;
    if (begins) begin();
    dialog.showModal();
    if (begins) out.lastChild.scrollIntoView({ block: "start" });
    field.focus();
  }

  function choose(text) {
    selected = text.slice(0, MOST_SELECTED);
    chosen.hidden = !selected;
    const drop = make("button", { className: "x", type: "button", textContent: "×", onclick: () => choose("") });
    drop.setAttribute("aria-label", "Leave the selected text out");
    chosen.replaceChildren(make("span", { textContent: selected }), drop);
    field.placeholder = selected ? "What about it?" : "Your question";
  }

  /** What a question needs; it comes with the first one. */
  const load = () => Promise.race([Promise.all([import(`${base}{assets}/api.js`), import(`${base}{assets}/markdown.js`)]), silence()]).catch(() => {
    throw Object.assign(new Error("The server cannot be reached."), { status: 0 });
  });

  /** An import cannot be stopped; waiting for it can. */
  const silence = () => new Promise((_, refuse) => { setTimeout(refuse, SILENCE_MS); });

  /** What the tab keeps of the turns before, across pages and reloads; nothing where there is no storage. */
  function keptTurns() {
    try {
      const found = JSON.parse(sessionStorage.getItem(thread));
      return Array.isArray(found) ? found.filter((one) => one?.question && one.answer) : [];
    } catch { return []; }
  }

  function keep() {
    kept.splice(0, kept.length - MOST_TURNS);
    try { sessionStorage.setItem(thread, JSON.stringify(kept)); } catch { /* then the page keeps it while it is open */ }
  }

  /** The thread as it was before the page was loaded: at once as plain text, as soon as it can be with its sources. */
  function begin() {
    anew.hidden = !kept.length;
    out.replaceChildren(...(kept.length ? [] : [make("p", { className: "hello", textContent: "Answers quote their sources; each number opens one." })]));
    const shown = kept.map((one) => [shownTurn(one.question, one.answer, one.selected), one]);
    if (shown.length) load().then(([, { markdown }]) => { for (const [one, data] of shown) one.end(markdown, data); out.lastChild.scrollIntoView({ block: "start" }); }, () => {});
  }

  function startOver() {
    const mine = turn;
    turn = null;
    mine?.abort();
    kept.length = 0;
    keep();
    begin();
    field.focus();
  }

  /** A turn at the end of the thread, and how to write its answer and what belongs to that. */
  function shownTurn(question, words, marked = "") {
    const body = make("div", { className: "hello", textContent: words });
    const tail = make("div", {});
    const section = make("section", { className: "turn" }, ...(marked ? [make("div", { className: "chosen", textContent: marked })] : []), make("p", {}, make("strong", { textContent: question })), body, tail);
    let cited = null; // until the answer is whole
    const show = (n) => {
      const one = tail.querySelector(`[data-n="${n}"]`);
      if (one) { one.open = true; one.scrollIntoView({ block: "nearest" }); }
    };
    const cite = (n) => (cited ? cited.some((one) => one.n === n) : n > 0 && n < 10)
      && make("button", { className: "cite", type: "button", textContent: n, ariaLabel: `Citation ${n}${called(cited?.find((one) => one.n === n))}`, onclick: () => show(n) });
    const write = (markdown, text) => { body.className = ""; body.replaceChildren(markdown(text, cite)); };
    const end = (markdown, { answer, citations, notices }) => {
      cited = citations ?? [];
      write(markdown, answer);
      tail.replaceChildren(
        ...(notices ?? []).filter((line) => line !== answer).map((line) => make("p", { className: "note", textContent: line })),
        ...cited.map((one) => source(one, markdown)));
    };
    out.querySelector(":scope > .hello")?.remove();
    out.append(section);
    return { section, body, tail, write, end };
  }

  const called = (one) => one ? `: ${titleOf(one)}` : "";
  const titleOf = (one) => (one.heading || one.path || "Source").replaceAll("`", "");

  /** One more turn below the earlier ones: the thread stays until the tab is closed. */
  async function ask(question) {
    turn?.abort();
    const mine = turn = new AbortController();
    const marked = selected; // belongs to this question: the next one may be of anything
    choose("");
    const { section, body, tail, write, end } = shownTurn(question, "Looking it up…", marked);
    out.ariaBusy = "true"; // read out when it is whole, not once a piece
    // The question stays above its answer as that grows, until its reader scrolls.
    let follows = true;
    for (const one of ["wheel", "touchmove", "pointerdown", "keydown"]) out.addEventListener(one, () => { follows = false; }, { once: true, passive: true, signal: mine.signal });
    const follow = () => { if (follows) section.scrollIntoView({ block: "start" }); };
    follow();
    let text = "";
    try {
      const [{ Api, keepKey }, { markdown }] = await load();
      if (key) keepKey(key);
      const on = (event, data) => {
        if (event === "delta") { text += data.text; write(markdown, text); }
        else if (event === "done") {
          text = data.answer;
          const notices = [...(question.length < MOST_ASKED ? [] : [`The first ${MOST_ASKED.toLocaleString("en")} characters of the question were read.`]), ...(data.notices ?? [])];
          kept.push({ question, selected: marked, answer: text, citations: data.citations ?? [], notices });
          end(markdown, kept.at(-1));
          anew.hidden = false;
          keep();
        } else return;
        follow();
      };
      const asked = { collection, q: question, selected_text: marked || null, history: said() };
      await new Api(base).answer(asked, on, mine.signal);
    } catch (error) {
      if (!text) body.replaceChildren();
      const stopped = error.name === "AbortError";
      const words = stopped ? "Stopped." : error.status === undefined ? "The answer could not be shown." : error.message;
      tail.append(make("p", { className: "note", role: stopped ? "note" : "alert", textContent: words }));
      if (mine !== turn || field.value) return;
      field.value = question;
      choose(marked);
      send.disabled = false;
    } finally {
      if (mine === turn) out.ariaBusy = "false";
    }
  }

  function source(one, markdown) {
    const page = one.metadata?.page;
    const lines = one.start_line ? `:${one.start_line}-${one.end_line}` : page ? `, page ${page}` : "";
    const details = make("details", { className: "source" }, make("summary", { textContent: `${one.n}  ${titleOf(one)}` }), make("blockquote", {}, markdown(one.quote)), make("div", { className: "where", textContent: `${one.path ?? ""}${lines} · version ${one.version}` }));
    details.dataset.n = one.n;
    details.dir = "auto";
    if (/^https?:\/\//.test(one.url ?? "")) details.append(make("a", { href: one.url, textContent: "Open page", rel: "noopener" }));
    return details;
  }

  /** Dark where the page is: a page that says nothing of a dark scheme is light, whatever the reader's system prefers. */
  function followTheme() {
    const scheme = getComputedStyle(document.documentElement).colorScheme;
    host.toggleAttribute("dark", scheme.includes("dark") && (night.matches || !scheme.includes("light")));
  }

  function placeAbout() {
    const chosenNow = getSelection();
    const text = chosenNow.toString().trim();
    about.hidden = text.length < 3 || dialog.open;
    if (about.hidden) return;
    const box = chosenNow.getRangeAt(0).getBoundingClientRect();
    about.style.left = `${Math.min(Math.max(box.left, 8), innerWidth - 150)}px`;
    about.style.top = `${Math.min(box.bottom + 8, innerHeight - 44)}px`;
  }

  /**
   * Whether this page may ask: asked once a tab, before the button shows. What only the site's owner can mend is
   * told in the console, and there is no button; a server that is down for the moment hides none.
   */
  async function mayAsk() {
    const asked = `quire-widget ${base} ${collection} ${key}`;
    if (remembered(asked)) return true;
    const address = `${base}collections/${encodeURIComponent(collection)}`;
    let response;
    try {
      response = await fetch(address, { credentials: "omit", signal: AbortSignal.timeout(SILENCE_MS), headers: key ? { "x-api-key": key } : {} });
    } catch (error) {
      return error.name === "TimeoutError" || explained(await answers(`${base}health`));
    }
    if (response.ok) return remembered(asked, true);
    const { detail = "" } = await response.json().catch(() => ({}));
    const why = {
      401: key ? "data-key is not a key of this service." : "this service asks for a key: give it as data-key, if it may be public.",
      403: `data-key may not read ${collection}: ${detail}`,
      404: `there is no collection "${collection}" at ${base}; ${base}collections lists them.`,
    }[response.status];
    complain(why ?? `${base} answered ${response.status}: ${detail}`);
    return !why;
  }

  /** The browser does not say why it withheld a response; whether the server is there at all narrows it down. */
  function explained(isThere) {
    if (isThere) complain(`${location.origin} may not ask "${collection}" at ${base}. Add "${location.origin}" to options.origins of that collection in collections.toml.`);
    else complain(`${base} cannot be reached: it is down, or this page's Content-Security-Policy has no connect-src ${new URL(base).origin}.`);
    return !isThere;
  }

  const answers = (address) => fetch(address, { mode: "no-cors", credentials: "omit", signal: AbortSignal.timeout(SILENCE_MS) }).then(() => true, () => false);

  /** Whether this tab knows it; with `now`, it does from now on. A page without storage asks each time. */
  function remembered(asked, now = false) {
    try {
      if (now) sessionStorage.setItem(asked, "1");
      return now || sessionStorage.getItem(asked) === "1";
    } catch { return now; }
  }

  opener.addEventListener("click", () => open());
  about.addEventListener("pointerdown", (event) => event.preventDefault());
  about.addEventListener("click", () => { const text = getSelection().toString().trim(); about.hidden = true; open(text); });
  anew.addEventListener("click", startOver);
  shut.addEventListener("click", () => dialog.close());
  // Beside the dialog it closes: where a click begins and ends there, not where a selection of its text does.
  dialog.addEventListener("pointerdown", (event) => { pressed = event.target; });
  dialog.addEventListener("click", (event) => { if (event.target === dialog && pressed === dialog) dialog.close(); });
  dialog.addEventListener("close", () => turn?.abort());
  field.addEventListener("input", () => { send.disabled = !field.value.trim(); });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); } });
  form.addEventListener("submit", (event) => { event.preventDefault(); const question = field.value.trim(); if (!question) return; field.value = ""; send.disabled = true; ask(question); });
  night.addEventListener("change", followTheme);
  new MutationObserver(followTheme).observe(document.documentElement, { attributes: true, attributeFilter: ["class", "data-theme", "style"] });
  const watchSelection = () => document.addEventListener("selectionchange", () => { clearTimeout(placeAbout.timer); placeAbout.timer = setTimeout(placeAbout, 150); });
  document.documentElement.append(host); // beside the body, which Turbo and view transitions replace
  followTheme();
  mayAsk().then((may) => { opener.hidden = !may; if (may) watchSelection(); });
})();
