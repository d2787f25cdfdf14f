"""Clients that others wrote, or that are generated from our document, make real calls: `make test-clients`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.collections import Collection
from tests.support.pages import running
from tests.support.real_clients import Clients, clients
from tests.support.served import Shelf

ASKED = "How far does gravity pull, in studs?"


@pytest.fixture(scope="module")
def environment() -> Clients:
    return clients()


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    shelf = Shelf(tmp_path)
    shelf.publish()
    shelf.publish("celery", profile="code")
    faces = {"textbook": "textbook", "book": "docs", "sites": "sites"}
    listed = {name: Collection(name, profile) for name, profile in faces.items()}
    with running(shelf.app(collections=listed)) as address:
        yield address


@pytest.fixture
def needs_node(environment: Clients) -> None:
    if not shutil.which("node") or not (environment.folder / "js/node_modules").exists():
        pytest.skip("npm is not on this machine")


GENERATED = """
import sys
from quire_client import Client
from quire_client.api.{module} import {operation}
from quire_client.models import {model}
client = Client(base_url=sys.argv[1])
reply = {operation}.sync_detailed(client=client, body={model}.from_dict({body}))
print(reply.status_code.value, "196.2" in reply.content.decode(), type(reply.parsed).__name__)
"""
CALLS = [
    ("native", "query", "QueryRequest", {"collection": "roblox", "q": ASKED}),
    ("native", "answer", "AnswerRequest", {"collection": "roblox", "q": ASKED}),
    ("roblox", "roblox_query", "RobloxQueryRequest", {"text": ASKED}),
    ("celery", "celery_query", "CodebaseQueryRequest", {"q": ASKED}),
    ("celery", "celery_answer", "CodebaseAnswerRequest", {"q": ASKED}),
    (
        "native",
        "create_chat_completion",
        "ChatRequest",
        {"model": "roblox", "messages": [{"role": "user", "content": ASKED}]},
    ),
]


def test_a_python_client_that_is_generated_has_every_operation_and_makes_calls(
    environment: Clients, url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "generated"
    config = tmp_path / "config.yml"
    config.write_text("package_name_override: quire_client\n", encoding="utf-8")
    told = environment.tool(
        "openapi-python-client", "generate", "--url", f"{url}/openapi.json", "--output-path", str(folder),
        "--config", str(config), "--meta", "none",
    )  # fmt: skip
    assert "pieces may be missing" not in told.replace("Skipping Integration", ""), told
    package = tmp_path / "quire_client"
    folder.rename(package)
    document = json.loads(environment.python(f"import httpx; print(httpx.get('{url}/openapi.json').text)"))
    ids = {one["operationId"] for item in document["paths"].values() for one in item.values()}
    generated = {path.stem for path in package.glob("api/*/*.py") if path.stem != "__init__"}
    assert ids - generated == set()
    environment.python(
        "import compileall, sys; sys.exit(not compileall.compile_dir(sys.argv[1], quiet=1))", str(package)
    )
    for module, operation, model, body in CALLS:
        code = GENERATED.format(module=module, operation=operation, model=model, body=json.dumps(body))
        status, has_text, kind = environment.python(code, url, path=str(tmp_path)).split()
        assert (status, has_text) == ("200", "True"), operation
        assert kind != "NoneType", operation


@pytest.mark.usefixtures("needs_node")
def test_a_typescript_client_that_is_generated_compiles_and_makes_a_call(
    environment: Clients, url: str, tmp_path: Path
) -> None:
    folder = environment.folder / "js"
    document = tmp_path / "openapi.json"
    environment.python(
        "import httpx, sys; open(sys.argv[2], 'w').write(httpx.get(sys.argv[1]).text)",
        f"{url}/openapi.json",
        str(document),
    )
    # Its own default takes a field that has a default for one that must be sent.
    environment.node_tool(
        "openapi-typescript", str(document), "-o", "schema.d.ts", "--default-non-nullable=false"
    )
    (folder / "call.ts").write_text(TYPESCRIPT.replace("ADDRESS", url), encoding="utf-8")
    options = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext")
    environment.node_tool("tsc", *options, "--moduleResolution", "nodenext", "call.ts", "schema.d.ts")
    assert environment.node("call.js").split() == ["true", "true", "404"]


TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

const client = createClient<paths>({ baseUrl: "ADDRESS" });
const found = await client.POST("/query", { body: { collection: "roblox", q: "gravity in studs" } });
const reply = found.data!;  // several questions at once are answered under `results`
console.log("hits" in reply && reply.hits.some((hit) => hit.text.includes("196.2")));
const named = await client.POST("/roblox/query", { body: { text: "gravity in studs" } });
console.log(JSON.stringify(named.data!).includes("196.2"));
const missing = await client.GET("/collections/{name}", { params: { path: { name: "robox" } } });
console.log(missing.error!.status);
"""


@pytest.mark.usefixtures("needs_node")
def test_the_official_javascript_client_chats_streams_and_embeds(environment: Clients, url: str) -> None:
    (environment.folder / "js/official.js").write_text(OFFICIAL.replace("ADDRESS", url), encoding="utf-8")
    assert environment.node("official.js").split() == [
        "roblox",
        "true",
        "true",
        "true",
        "true",
        "true",
        "model_not_found",
    ]


OFFICIAL = """
import OpenAI from "openai";

const client = new OpenAI({ baseURL: "ADDRESS/v1", apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "How far does gravity pull, in studs?" }];
console.log((await client.models.retrieve("roblox")).id);
const whole = (await client.chat.completions.create({ model: "roblox", messages })).choices[0].message.content;
console.log(whole.includes("196.2"));
let text = "";
for await (const chunk of await client.chat.completions.create({ model: "roblox", messages, stream: true })) {
  text += chunk.choices[0]?.delta?.content ?? "";
}
console.log(text === whole);
const input = messages[0].content;
const given = await client.responses.create({ model: "roblox", input });
console.log(given.output_text === whole && given.output[0].content[0].annotations.length > 0);
text = "";
for await (const event of client.responses.stream({ model: "roblox", input })) {
  if (event.type === "response.output_text.delta") text += event.delta;
}
console.log(text === whole);
const rows = await client.embeddings.create({ model: "roblox", input: ["gravity", "studs"] });
console.log(rows.data.length === 2 && rows.data[0].embedding.length > 10);
try { await client.models.retrieve("robox"); } catch (error) { console.log(error.code); }
"""


def test_langchains_wrappers_chat_stream_and_embed(environment: Clients, url: str) -> None:
    told = environment.python(LANGCHAIN, f"{url}/v1")
    assert told.split() == ["True"] * 6


LANGCHAIN = """
import sys
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
chat = ChatOpenAI(model="roblox", base_url=sys.argv[1], api_key="none", max_retries=0)
messages = [("system", "Be brief."), ("user", "How far does gravity pull, in studs?")]
whole = chat.invoke(messages)
print("196.2" in whole.content)
print("".join(piece.content for piece in chat.stream(messages)) == whole.content)
print(whole.usage_metadata["total_tokens"] > 0)
newer = ChatOpenAI(model="roblox", base_url=sys.argv[1], api_key="none", max_retries=0, use_responses_api=True)
print(newer.invoke(messages).text == whole.content)
print("".join(piece.text for piece in newer.stream(messages)) == whole.content)
vectors = OpenAIEmbeddings(model="roblox", base_url=sys.argv[1], api_key="none", check_embedding_ctx_length=False)
print(len(vectors.embed_documents(["gravity", "studs"])) == 2)
"""


def test_llamaindexes_wrappers_chat_complete_and_embed(environment: Clients, url: str) -> None:
    told = environment.python(LLAMAINDEX, f"{url}/v1")
    assert told.split() == ["True", "True", "True"]


LLAMAINDEX = """
import sys
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
asked = "How far does gravity pull, in studs?"
model = OpenAILike(model="roblox", api_base=sys.argv[1], api_key="none", is_chat_model=True, max_retries=0)
whole = model.chat([ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content=asked)])
print("196.2" in whole.message.content)
print("196.2" in "".join(piece.delta or "" for piece in model.stream_complete(asked)))
vectors = OpenAILikeEmbedding(model_name="roblox", api_base=sys.argv[1], api_key="none", max_retries=0)
print(len(vectors.get_text_embedding_batch(["gravity", "studs"])) == 2)
"""
