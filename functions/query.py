"""Lambda handler of the retrieval routes of every face. Reads the artifact bucket, nothing else."""

from __future__ import annotations

from functools import partial

# isort: off
from functions.aws.starting import end_start  # before all that it leaves for later
# isort: on

from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import QUERY
from functions.web.freshness import tell_ages
from quire.settings import read_settings

_settings = read_settings()
_app = lambda_app(_settings, [QUERY])
handler = LambdaHandler(_app, base_path=_settings.base_path, tell_ages=partial(tell_ages, _app.state.service))
end_start()
