"""Requests made from the document of the control room's API, and answers held against it: no 5xx, no status and no body that it
does not tell of. DROVER_FUZZ_SECONDS=600 looks for some minutes, at other requests each time."""

import os
from datetime import UTC, datetime
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance, unsupported_method

from dashboard.activity import Who
from dashboard.api import openapi
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster
from dashboard.people import tokens
from dashboard.rights.roles import Role
from tests.dashboard.api.test_openapi import served
from tests.dashboard.conftest import PaperCluster

SECONDS = int(os.environ.get("DROVER_FUZZ_SECONDS", "0"))
#: For each operation.
EXAMPLES = 8 + SECONDS // 4
#: No schema can tell which clusters, people and plug-ins there are; and a 405 needs no `Allow` here, as in Kafka Connect.
NOT_OURS = [positive_data_acceptance, unsupported_method]
THERE = {"cluster": "eu", "name": "orders"}


@pytest.fixture(scope="module")
def schema() -> Any:
    made = schemathesis.openapi.from_dict(openapi.document())
    made.app = get_wsgi_application()
    return made


@pytest.fixture
def eu(cluster: Cluster, paper: PaperCluster) -> None:
    """A fleet of one cluster, with `orders` and `lake`, both stopped."""
    for name in ("orders", "lake"):
        paper.put(name, "STOPPED")
        paper.stand(name, {("t", 0): 20}, {("t", 0): 100})
    recorder = Recorder(cluster)
    recorder.listing(paper.entries, datetime.now(UTC))
    recorder.reached("4.3.0", datetime.now(UTC))


@pytest.fixture
def headers(db: None) -> dict[str, str]:
    """Of an administrator who reads no gzip."""
    admin = User.objects.create_superuser("operator")
    token = tokens.make(Who("operator"), admin, "fuzz", Role.ADMIN, None)[1]
    return {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}


@pytest.mark.timeout(60 + SECONDS)
@pytest.mark.parametrize(("method", "path"), sorted(served()))
def test_nothing_is_answered_that_the_document_does_not_tell(
    method: str, path: str, schema: Any, eu: None, headers: dict[str, str]
) -> None:
    @settings(
        max_examples=EXAMPLES,
        derandomize=not SECONDS,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(), there=st.booleans())
    def asks(case: schemathesis.Case[Any], there: bool) -> None:
        if there:
            case.path_parameters.update({word: told for word, told in THERE.items() if word in case.path_parameters})
        response = case.call(headers=headers)
        # The cluster here answers some calls with nothing, which the room takes for no answer.
        excluded = [*NOT_OURS, not_a_server_error] if response.status_code == 502 else NOT_OURS
        case.validate_response(response, excluded_checks=excluded, headers=headers)

    asks()
