"""A deployment rehearsed from its template, with nothing of AWS: `make rehearse`, here and in CI.

    python -m tests.support.rehearsal [--template cdk.out/quire.template.json]

The template's storage stands at moto's server, its functions in the rig with the environments that the template gives
them, and its API in `tests.support.api_gateway`. It is synthesized three times: before, while and after the key is
rotated.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from build_index.release.publishing import ReleaseTarget, roll_back
from quire.service.jobs import LARGE_CHARACTERS
from tests.support.account import Account
from tests.support.api_gateway import Answered, ApiGateway
from tests.support.aws import CREDENTIALS
from tests.support.deployed import Bucket
from tests.support.rig import Function, Root
from tests.support.s3_faults import DENIED, GONE, THROTTLED, WELL, FaultyS3

QUESTION = {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}
SITE = "site_id=acme&user_id=u1"
ROTATION = {
    "first": {"key_generation": "1"},
    "rotated": {"key_generation": "2", "key_oldest": "1"},
    "retired": {"key_generation": "2", "key_oldest": "2"},
}
"""What the deployments choose whose key is rotated and whose older one is retired, in their order."""
NO_LONGER_S = 29.0
"""API Gateway gives up then."""
WORD = "oar" * 40
LARGE = "".join(f"{WORD} {WORD} {number}\n\n" for number in range(LARGE_CHARACTERS // 240))
"""Few tokens for so many characters: a word so long is one."""
Template = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One line of the report."""

    name: str
    said: str
    took_s: float
    is_right: bool


class Rehearsal:
    """A template deployed at emulators, and what was tried on it, as `steps`.

    Args:
        root: the unpacked archives.
        work: a folder for the functions' disks.
        model: the exported embedding model.
        account: where the template's storage is made.
        s3, tables: proxies before its S3 and its DynamoDB, which can be taken away.
    """

    def __init__(
        self, root: Root, work: Path, model: Path, account: Account, *, s3: FaultyS3, tables: FaultyS3
    ) -> None:
        self._root, self._work, self._model, self._account = root, work, model, account
        self._s3, self._tables = s3, tables
        self.steps: list[Step] = []
        self.slowest_s = 0.0
        self._template: Template = {}
        self._functions: dict[str, Function] = {}
        self._gateway: ApiGateway
        self._bucket: Bucket
        self._jobs: list[threading.Thread] = []

    def run(self, template: Template, *, later: Sequence[Template] = ()) -> list[Step]:
        """Try everything on the template; `later` are those of the deployments that rotate and retire the key."""
        with invocations(self._run_job) as url:
            self._lambda_url = url
            try:
                self._step("deploy", partial(self._deploy, template))
                for name, act in self._acts().items():
                    self._step(name, act)
                if later:  # it takes as long as all of those
                    self._step("leave a job", self._leave_job)
                for number, after in enumerate(later):
                    self._step(("rotate the key", "retire the old key")[number], partial(self._renew, after))
            finally:
                self._stop_functions()
        return self.steps

    def _acts(self) -> dict[str, Callable[[], str]]:
        return {
            "nothing is published": self._ask_before_publishing,
            "publish": self._publish,
            "keys": self._try_keys,
            "throttles": self._try_throttles,
            "stream": self._stream,
            "publish anew and roll back": self._swap,
            "tell ages on schedule": self._tell_ages,
            "kill the store": self._kill_store,
            "kill the table": self._kill_table,
            "state machines": self._count_state_machines,
        }

    # ---- steps ----------------------------------------------------------------------------------------------------

    def _deploy(self, template: Template) -> str:
        """Make what the account has not, and start the functions anew with the environments that the template gives."""
        self._account.deploy(template)
        self._stop_functions()
        self._template = template
        for name, said in self._lambdas().items():
            known = self._account.resolve(said["Environment"]["Variables"])
            streams = bool(known.pop("AWS_LAMBDA_EXEC_WRAPPER", ""))
            environment = known | self._elsewhere(name)
            self._functions[name] = Function(self._root, said["Handler"], environment, streaming=streams)
        for one in self._functions.values():
            one.wait_ready()
        invoke = {name: partial(one.invoke, key="") for name, one in self._functions.items()}
        self._gateway = ApiGateway(template, self._account.resolve, invoke)
        made = ", ".join(f"{count} {kind}" for kind, count in self._account.made.items())
        return (
            f"{made}; {len(self._functions)} functions; {self._account.left_out.total()} resources left out"
        )

    def _ask_before_publishing(self) -> str:
        assert self._ask("GET", "/health", key="").status == 200
        answered = self._ask("POST", "/query", QUESTION)
        assert (answered.status, answered.json()["type"]) == (503, "urn:quire:problem:not-published")
        return str(answered.json()["detail"])

    def _publish(self) -> str:
        place = self._account.resolve(self._lambdas()["query"]["Environment"]["Variables"]["QUIRE_STORE"])
        folder = self._work / "publisher"
        self._bucket = Bucket(self._account.url, folder, self._model, name=place.removeprefix("s3://"))
        self._bucket.publish("0.732.0.1", members=6)
        self._bucket.publish_others()
        body = self._query()
        assert (body["mode"], body["degraded"]) == ("hybrid", [])
        for path, asked in (("/roblox/query", {"text": "Died"}), ("/textbook/api/query", {"query": "boats"})):
            answered = self._ask("POST", path, asked)
            assert answered.status == 200, answered.body
        return f"version {body['version']} answers at three faces"

    def _try_keys(self) -> str:
        for key, status in (("", 401), ("wrong", 401), (self._keys()[0], 200)):
            answered = self._ask("POST", "/query", QUESTION, key=key)
            assert answered.status == status, (key, answered)
        assert self._ask("GET", "/nowhere/at/all").status == 404
        return f"{len(self._keys())} key(s) open, none and a wrong one are 401"

    def _try_throttles(self) -> str:
        statuses = Counter(self._ask("POST", "/query", QUESTION, wait_s=0.0).status for _ in range(24))
        assert statuses[429] >= 1, statuses
        open_ = Counter(self._ask("GET", "/health", key="", wait_s=0.0).status for _ in range(24))
        assert open_[429] >= 1, open_
        refused = self._ask("GET", "/health", key="", wait_s=0.0)
        assert (refused.status, refused.headers["retry-after"], refused.by) == (429, "5", "")
        assert self._ask("POST", "/query", QUESTION, wait_s=60.0).status == 200
        return f"{statuses[200]} of 24 calls at once pass with a key, {open_[200]} without"

    def _stream(self) -> str:
        answered = self._ask("POST", "/answer", {**QUESTION, "stream": True})
        assert answered.headers["content-type"].startswith("text/event-stream"), answered
        events = [line[7:] for line in answered.body.decode().splitlines() if line.startswith("event: ")]
        assert (events[0], events[-1]) == ("sources", "done")
        assert answered.pieces > 1
        return f"{len(events)} events in {answered.pieces} pieces"

    def _swap(self) -> str:
        old = self._query()["version"]
        new = self._bucket.publish("0.735.0.1")
        self._follow(new)
        back = roll_back(ReleaseTarget(self._bucket.objects, self._bucket.store), "roblox", "0.732")
        self._follow(back.version)
        assert back.version == old
        return f"{old} to {new} and back"

    def _tell_ages(self) -> str:
        scheduler = self._account.client("scheduler")
        names = [one["Name"] for one in scheduler.list_schedules()["Schedules"] if "AgeCheck" in one["Name"]]
        target = scheduler.get_schedule(Name=names[0])["Target"]
        reply = self._functions["query"].invoke(json.loads(target["Input"]), key="")
        ages = json.loads(reply.data)["ages"]
        assert ages["roblox"] < 1, ages
        return f"hours: {ages}"

    def _leave_job(self) -> str:
        body = {"site_id": "acme", "source": "oars.txt", "content": LARGE}
        accepted = self._ask("POST", "/sites/documents", body)
        assert accepted.status == 202, accepted
        for thread in self._jobs:
            thread.join(NO_LONGER_S)
        told = self._ask("GET", f"/sites/documents/jobs/{accepted.json()['job']}?site_id=acme").json()
        assert told["status"] == "done", told
        return f"{len(LARGE):,} characters are written by the function `jobs`"

    def _kill_store(self) -> str:
        said = {}
        for state in (GONE, THROTTLED, DENIED):
            self._s3.state = state
            body = self._query()
            said[state] = body["degraded"]
            assert body["hits"], state
            assert body["degraded"], state
            assert self._ask("GET", "/status").status == 200
        self._s3.state = WELL
        return f"{self._healed()} degraded answers until it is back; {said[GONE][0]}"

    def _kill_table(self) -> str:
        asked = {"site_id": "acme", "user_id": "u1", "query": "Which oars?"}
        assert self._ask("POST", "/sites/retrieve-context", asked).status == 200
        self._tables.state = GONE
        without = self._ask("POST", "/sites/retrieve-context", asked)
        refused = self._ask("GET", f"/sites/chat-messages?{SITE}")
        self._tables.state = WELL
        assert without.status == 200, without
        assert "chat memory unavailable" in without.headers["x-quire-degraded"]
        assert refused.status == 503, refused
        return "contexts come without messages, messages are 503"

    def _renew(self, template: Template) -> str:
        before = set(self._keys())
        self._deploy(template)
        statuses = {key: self._ask("POST", "/query", QUESTION, key=key).status for key in before}
        counts = set(self._keys())
        assert all((status == 200) == (key in counts) for key, status in statuses.items()), statuses
        assert self._ask("POST", "/query", QUESTION).status == 200
        return f"{len(counts - before)} new, {len(counts & before)} of before count on, {len(before - counts)} do not"

    def _count_state_machines(self) -> str:
        machines = self._account.client("stepfunctions").list_state_machines()["stateMachines"]
        return ", ".join(one["name"] for one in machines) or "none in this template"

    # ---- means ----------------------------------------------------------------------------------------------------

    def _step(self, name: str, act: Callable[[], str]) -> None:
        """Try one thing; what fails is reported, and the next is tried."""
        began = time.monotonic()
        try:
            said, is_right = act(), True
        except (AssertionError, LookupError, ValueError, TypeError, AttributeError) as error:
            said, is_right = f"{type(error).__name__}: {error}"[:500], False
        self.steps.append(Step(name, said, time.monotonic() - began, is_right))

    def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        wait_s: float = 1.0,
    ) -> Answered:
        """One call through the gateway, so long after the one before; with the newest key unless another is given."""
        self._gateway.now_s += wait_s
        sent = self._keys()[0] if key is None else key
        answered = self._gateway.request(method, f"/{self._gateway.stage}{path}", body, key=sent)
        self.slowest_s = max(self.slowest_s, answered.took_s)
        assert answered.took_s < NO_LONGER_S, f"{method} {path}: took {answered.took_s:.1f} s"
        return answered

    def _query(self) -> Any:
        answered = self._ask("POST", "/query", QUESTION)
        assert answered.status == 200, answered.body
        return answered.json()

    def _follow(self, version: str) -> None:
        """Ask until that version answers: it is fetched beside the one that serves."""
        for _ in range(100):
            if self._query()["version"] == version:
                return
            time.sleep(0.1)
        raise AssertionError(f"version {version}: another one answers still")

    def _healed(self) -> int:
        """How many answers lacked something until one lacked nothing."""
        for number in range(100):
            if not self._query()["degraded"]:
                return number
            time.sleep(0.1)
        raise AssertionError("the store is back, and answers are degraded still")

    def _keys(self) -> list[str]:
        """The keys that the functions take, the newest first."""
        said = self._lambdas()["query"]["Environment"]["Variables"]
        both = self._account.resolve([said["QUIRE_API_KEY"], said["QUIRE_API_KEYS_BEFORE"]])
        return [one for value in both for one in value.split(",") if one]

    def _lambdas(self) -> dict[str, Any]:
        """Our functions' properties by their names."""
        found = {}
        for one in self._template["Resources"].values():
            handler = one.get("Properties", {}).get("Handler", "")
            if one["Type"] == "AWS::Lambda::Function" and handler.startswith("functions."):
                found[handler.split(".")[1]] = one["Properties"]
        return found

    def _elsewhere(self, name: str) -> dict[str, str]:
        """What lies elsewhere than in AWS."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": self._account.url,
            "AWS_ENDPOINT_URL_S3": self._s3.url,
            "AWS_ENDPOINT_URL_DYNAMODB": self._tables.url,
            "AWS_ENDPOINT_URL_LAMBDA": self._lambda_url,
            "QUIRE_CACHE": str(self._work / f"tmp-{name}"),
            "QUIRE_COLLECTIONS": str(self._root / "task/collections.toml"),
            "QUIRE_MODEL_FOLDERS": str(self._root / "opt/models"),
            "QUIRE_REFRESH_S": "0",
        }

    def _run_job(self, event: Any) -> None:
        thread = threading.Thread(target=partial(self._functions["jobs"].invoke, event, key=""))
        thread.start()
        self._jobs.append(thread)

    def _stop_functions(self) -> None:
        for one in self._functions.values():
            one.__exit__()
        self._functions.clear()


@contextmanager
def invocations(run: Callable[[Any], None]) -> Iterator[str]:
    """The part of Lambda's API that takes invocations nobody waits for: its URL."""

    class Requests(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            run(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Requests) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def report(steps: Sequence[Step], slowest_s: float) -> str:
    """The steps as lines, and what went wrong at the end."""
    lines = [
        f"{'ok  ' if one.is_right else 'FAIL'} {one.name:<27} {one.took_s:5.1f} s  {one.said}"
        for one in steps
    ]
    wrong = sum(not one.is_right for one in steps)
    return "\n".join(
        [*lines, f"{len(steps)} steps, {wrong} wrong; slowest call {slowest_s:.2f} s of {NO_LONGER_S:.0f}"]
    )


def main() -> int:
    """Rehearse and print the report."""
    from infra.packaging.layers import OUT
    from tests.support.aws import moto_server
    from tests.support.deployment import synthesize
    from tests.support.model import exported_model
    from tests.support.rig import unpacked

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--template", type=Path, help="this one alone, without a job and without rotating the key"
    )
    asked = parser.parse_args()
    root = unpacked()
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        if asked.template:
            templates: list[Template] = [json.loads(asked.template.read_text(encoding="utf-8"))]
        else:
            templates = [one.template for one in synthesize(work / "cdk", OUT, ROTATION).values()]
        url = stack.enter_context(moto_server())
        s3, tables = (stack.enter_context(FaultyS3(url)) for _ in range(2))
        rehearsal = Rehearsal(root, work, exported_model(), Account(url), s3=s3, tables=tables)
        steps = rehearsal.run(templates[0], later=templates[1:])
    sys.stdout.write(report(steps, rehearsal.slowest_s) + "\n")
    return 0 if all(one.is_right for one in steps) else 1


if __name__ == "__main__":
    sys.exit(main())
