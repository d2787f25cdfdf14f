"""Lambda handler of the answering routes of every face. Reads the artifact bucket; holds the model's key."""

from __future__ import annotations

# isort: off
from functions.aws.starting import end_start  # before all that it leaves for later
# isort: on

from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import ANSWER
from quire.settings import read_settings

_settings = read_settings()
handler = LambdaHandler(lambda_app(_settings, [ANSWER]), base_path=_settings.base_path)
end_start()
