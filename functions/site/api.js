/** The native API as the page and the widget call it. Errors arrive as `Problem`. */

const KEY = "quire-key";
// Nothing is waited for that says nothing for so long: a streamed answer shows a sign of life every 10 s, and a gateway waits 29 for a reply.
const SILENCE_MS = 45_000;
let memory = null;

export class Problem extends Error {
  /** `status` is 0 where no response came; `retryAfter` is in seconds. */
  constructor(status, detail, retryAfter = 0) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export function apiKey() {
  try { return sessionStorage.getItem(KEY); } catch { return memory; }
}

export function keepKey(key) {
  memory = key;
  try { key ? sessionStorage.setItem(KEY, key) : sessionStorage.removeItem(KEY); } catch { /* storage is off: memory holds it */ }
}

export class Api {
  /** `base` ends with a slash; a stage prefix is part of it. */
  constructor(base) { this.base = base; }

  collections(signal) { return this.#json("collections", { signal }); }
  describe(name, signal) { return this.#json(`collections/${encodeURIComponent(name)}`, { signal }); }
  passage(collection, id, version) {
    const which = version ? `?version=${encodeURIComponent(version)}` : "";
    return this.#json(`collections/${encodeURIComponent(collection)}/passages/${encodeURIComponent(id)}${which}`, {});
  }
  query(body, signal) { return this.#json("query", { body, signal }); }

  /** Calls `on(event, data)` for each event of a streamed answer; a whole answer comes as `done`. */
  answer(body, on, signal) {
    return this.#send("answer", { body: { ...body, stream: true }, signal }, async (response, heard) => {
      if ((response.headers.get("content-type") ?? "").startsWith("text/event-stream")) await readEvents(response.body, on, heard);
      else on("done", await response.json());
    });
  }

  #json(path, options) { return this.#send(path, options, (response) => response.json()); }

  /** Send, and give what `read` makes of the response; all of it ends where the server falls silent. */
  async #send(path, { body, signal }, read) {
    const headers = { accept: "application/json, text/event-stream" };
    const key = apiKey();
    if (key) headers["x-api-key"] = key;
    if (body) headers["content-type"] = "application/json";
    const line = listening(signal);
    try {
      const response = await fetch(this.base + path, { method: body ? "POST" : "GET", headers, signal: line.signal, body: body && JSON.stringify(body), credentials: "omit" })
        .catch(() => { throw new Problem(0, "The server cannot be reached."); });
      if (!response.ok) throw await problemOf(response);
      return await read(response, line.heard);
    } catch (error) {
      throw line.signal.aborted ? line.signal.reason : error;
    } finally {
      line.close();
    }
  }
}

/** A signal that ends with the one given, and where nothing was `heard` for too long. */
function listening(signal) {
  const ending = new AbortController();
  let clock = 0;
  const heard = () => {
    clearTimeout(clock);
    clock = setTimeout(() => ending.abort(new Problem(0, "The server does not answer.")), SILENCE_MS);
  };
  const end = () => ending.abort(signal.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  heard();
  return { signal: ending.signal, heard, close() { clearTimeout(clock); signal?.removeEventListener("abort", end); } };
}

async function problemOf(response) {
  let detail = "";
  try {
    const body = await response.json();
    detail = body.detail ?? body.message ?? "";
  } catch { /* a gateway's own error page */ }
  return new Problem(response.status, detail || `The server answered ${response.status}.`, Number(response.headers.get("retry-after")) || 0);
}

async function readEvents(stream, on, heard) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  for (;;) {
    const { value, done } = await reader.read().catch(() => { throw new Problem(0, "The answer broke off before its end."); });
    heard();
    rest = (rest + (value ?? "")).replaceAll("\r\n", "\n");
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const { name, data } = parseEvent(block);
      if (!data) continue;
      const value = JSON.parse(data);
      if (name === "error") throw new Problem(value.status ?? 502, value.detail ?? value.message ?? "The answer broke off.");
      ended ||= name === "done";
      on(name, value);
    }
    if (done) break;
  }
  if (!ended) throw new Problem(0, "The answer broke off before its end.");
}

function parseEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return { name, data: data.join("\n") };
}
