"""A REST API as its template describes it: stage, paths, keys, throttles, its own refusals, what it hands to Lambda."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.events import event_v1
from tests.support.runtime_api import Reply

Invoke = Callable[[dict[str, Any]], Reply]
ALIAS = re.compile(r"Functions(\w+?)Alias")


@dataclass(frozen=True)
class Answered:
    """What a caller gets. `pieces` is how many parts it came in; `by` is the function, "" where the gateway refused."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    pieces: int = 1
    took_s: float = 0.0
    by: str = ""

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class _Node:
    id: str
    part: str = ""
    children: dict[str, _Node] = field(default_factory=dict)
    methods: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def step(self, part: str) -> _Node | None:
        """A fixed part is taken before a variable, and is never left again for one."""
        if part in self.children:
            return self.children[part]
        return next((one for name, one in self.children.items() if name.startswith("{")), None)


@dataclass
class _Bucket:
    """Tokens for `burst` calls, refilled at `rate` a second."""

    rate: float
    burst: float
    left: float = -1.0
    at: float = 0.0

    def take(self, now: float) -> bool:
        self.left = self.burst if self.left < 0 else min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class ApiGateway:
    """`request` is what a caller does; `now_s` is the caller's clock, for throttles and quotas.

    Args:
        template: of the stack.
        resolve: gives a value with its references filled in.
        invoke: function's name, as in `functions/<name>.py` -> how it is invoked.
    """

    def __init__(
        self, template: Mapping[str, Any], resolve: Callable[[Any], Any], invoke: Mapping[str, Invoke]
    ) -> None:
        self._resources, self._resolve, self._invoke = template["Resources"], resolve, invoke
        self.now_s = 0.0
        self._root = _Node("")
        self._paths: dict[str, str] = {}
        self._add_paths()
        (stage,) = self._of("ApiGateway::Stage").values()
        self.stage: str = stage["StageName"]
        self._throttles = {
            (one["ResourcePath"].replace("~1", "/").strip("/"), one["HttpMethod"]): _Bucket(
                one["ThrottlingRateLimit"], one["ThrottlingBurstLimit"]
            )
            for one in stage["MethodSettings"]
        }
        self._refusals = {
            one["ResponseType"]: one for one in self._of("ApiGateway::GatewayResponse").values()
        }
        self._keys: dict[str, tuple[_Bucket, list[int]]] = {}
        plans = list(self._of("ApiGateway::UsagePlan").values())
        for key in self._of("ApiGateway::ApiKey").values():
            throttle = plans[0]["Throttle"]
            bucket = _Bucket(throttle["RateLimit"], throttle["BurstLimit"])
            self._keys[resolve(key["Value"])] = (bucket, [plans[0]["Quota"]["Limit"]])

    def request(
        self, method: str, url: str, body: Any = None, *, key: str = "", headers: dict[str, str] | None = None
    ) -> Answered:
        """One call of `https://API/STAGE/…`; `url` begins with the stage."""
        path, separator, query = url.partition("?")
        if not path.startswith(f"/{self.stage}/"):
            return Answered(403, {}, b'{"message":"Forbidden"}')
        path = path.removeprefix(f"/{self.stage}")
        found = self._find(path)
        said = found and (found.methods.get(method) or found.methods.get("ANY"))
        if not found or not said:
            return self._refuse("MISSING_AUTHENTICATION_TOKEN")
        refusal = self._refusal(found, method, said, key)
        if refusal:
            return self._refuse(refusal)
        sent = {**(headers or {}), **({"x-api-key": key} if key else {})}
        event = event_v1(method, path + separator + query, body, headers=sent, stage=self.stage)
        return self._answer(said["Integration"], event)

    def _answer(self, integration: Mapping[str, Any], event: dict[str, Any]) -> Answered:
        alias = ALIAS.search(json.dumps(integration["Uri"]))
        assert alias is not None, integration
        name = alias[1].lower()
        streams = integration.get("ResponseTransferMode") == "STREAM"
        reply = self._invoke[name](event)
        took_s = reply.pieces[-1][0] if reply.pieces else 0.0
        if reply.error is not None or reply.is_streamed != streams:
            return Answered(502, {}, json.dumps(reply.error).encode(), took_s=took_s, by=name)
        if took_s * 1000 > integration["TimeoutInMillis"]:
            return Answered(504, {}, b'{"message":"Endpoint request timed out"}', took_s=took_s, by=name)
        head = json.loads(reply.data.partition(b"\0" * 8)[0]) if streams else reply.proxy()
        told = {key.lower(): value for key, value in head["headers"].items()}
        return Answered(reply.status(), told, reply.body(), len(reply.pieces), took_s, name)

    def _refusal(self, node: _Node, method: str, said: Mapping[str, Any], key: str) -> str:
        """The type of the gateway's own answer; "" lets the call pass."""
        if said.get("ApiKeyRequired"):
            if key not in self._keys:
                return "INVALID_API_KEY"
            bucket, left = self._keys[key]
            if left[0] < 1:
                return "QUOTA_EXCEEDED"
            left[0] -= 1
            if not bucket.take(self.now_s):
                return "THROTTLED"
        path = self._paths[node.id]
        own = self._throttles.get((path, method)) or self._throttles.get(("*", "*"))
        return "THROTTLED" if own and not own.take(self.now_s) else ""

    def _refuse(self, kind: str) -> Answered:
        one = self._refusals[kind]
        parameters = one.get("ResponseParameters", {})
        headers = {name.rpartition(".")[2].lower(): value.strip("'") for name, value in parameters.items()}
        text = one["ResponseTemplates"]["application/json"].replace("$context.requestId", "0d6d1f3a")
        return Answered(int(one["StatusCode"]), headers, text.encode())

    def _find(self, path: str) -> _Node | None:
        node: _Node | None = self._root
        for part in filter(None, path.split("/")):
            node = node.step(part) if node else None
            if node is not None and node.part.endswith("+}"):
                return node
        return node

    def _add_paths(self) -> None:
        nodes = {name: _Node(name, one["PathPart"]) for name, one in self._of("ApiGateway::Resource").items()}
        self._paths[""] = ""
        for name, said in self._of("ApiGateway::Resource").items():
            parent = nodes[said["ParentId"]["Ref"]] if "Ref" in said["ParentId"] else self._root
            parent.children[said["PathPart"]] = nodes[name]
        for said in self._of("ApiGateway::Method").values():
            reference = said["ResourceId"]
            node = nodes[reference["Ref"]] if "Ref" in reference else self._root
            node.methods[said["HttpMethod"]] = said
        stack = [self._root]
        while stack:
            node = stack.pop()
            for part, one in node.children.items():
                self._paths[one.id] = f"{self._paths[node.id]}/{part}".lstrip("/")
                stack.append(one)

    def _of(self, kind: str) -> dict[str, Any]:
        return {
            name: one.get("Properties", {})
            for name, one in self._resources.items()
            if one["Type"] == f"AWS::{kind}"
        }
