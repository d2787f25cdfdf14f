"""Lambda handler of live documents and chat messages, of every face. May write to the bucket and the table."""

from __future__ import annotations

# isort: off
from functions.aws.starting import end_start  # before all that it leaves for later
# isort: on

from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import MEMORY
from quire.settings import read_settings

_settings = read_settings()
handler = LambdaHandler(lambda_app(_settings, [MEMORY]), base_path=_settings.base_path)
end_start()
