"""Signatures, judged by botocore's own signer."""

from __future__ import annotations

import datetime as dt
from urllib.parse import quote

import pytest
from botocore import auth, awsrequest, credentials
from hypothesis import given
from hypothesis import strategies as st

from quire.signature import Credentials, Request, signed_headers

NOW = 1_790_000_000.0
BY = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "", "us-west-2")
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=20)
headers = st.dictionaries(
    st.sampled_from(["Range", "If-Match", "If-None-Match"]),
    st.text('abc"-=0123456789', min_size=1, max_size=20),
)


def botocores(request: Request, by: Credentials, monkeypatch: pytest.MonkeyPatch) -> str:
    """The Authorization header that botocore gives the request."""
    moment = dt.datetime.fromtimestamp(NOW, dt.UTC).replace(tzinfo=None)
    monkeypatch.setattr(auth, "get_current_datetime", lambda: moment)
    sent = awsrequest.AWSRequest(
        "GET",
        f"http://{request.host}{quote(request.path, safe='/-_.~')}",
        {**request.headers},
        params=dict(request.query),
    )
    auth.S3SigV4Auth(
        credentials.Credentials(by.key_id, by.secret, by.token or None), "s3", by.region
    ).add_auth(sent)
    return str(sent.headers["Authorization"])


@given(
    path=texts.filter(lambda text: "//" not in text),
    query=st.dictionaries(st.sampled_from(["prefix", "delimiter", "list-type", "continuation-token"]), texts),
    headers=headers,
    token=st.sampled_from(["", "IQoJb3JpZ2luX2VjE//token=="]),
)
def test_a_request_is_signed_as_botocore_signs_it(
    path: str, query: dict[str, str], headers: dict[str, str], token: str
) -> None:
    request = Request("127.0.0.1:9000", f"/{path}", query, headers)
    by = Credentials(BY.key_id, BY.secret, token, BY.region)
    with pytest.MonkeyPatch.context() as monkeypatch:
        wanted = botocores(request, by, monkeypatch)
    assert signed_headers(request, by, NOW)["Authorization"] == wanted


def test_another_secret_day_or_region_gives_another_signature() -> None:
    request = Request("bucket.s3.us-west-2.amazonaws.com", "/a", {}, {})
    others = (
        Credentials(BY.key_id, "another", "", BY.region),
        Credentials(BY.key_id, BY.secret, "", "eu-west-1"),
    )
    made = {signed_headers(request, by, NOW)["Authorization"] for by in (BY, *others)}
    made.add(signed_headers(request, BY, NOW + 86_400)["Authorization"])
    assert len(made) == 4
