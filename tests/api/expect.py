"""What an answer has to look like. Bodies are compared as bytes: the order of the fields belongs to the contract."""

from django.http import HttpResponse


def expect_json(response: HttpResponse, status: int, body: str) -> None:
    assert response.content.decode() == body
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"


def expect_error(response: HttpResponse, status: int, message: str) -> None:
    escaped = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    expect_json(response, status, f'{{"error_code":{status},"message":"{escaped}"}}')


def expect_empty(response: HttpResponse, status: int) -> None:
    assert (response.status_code, response.content) == (status, b"")
    assert "Content-Type" not in response


def invalid(*messages: str) -> str:
    """What a config with these errors is refused with."""
    return (
        f"Connector configuration is invalid and contains the following {len(messages)} error(s):\n"
        + "\n".join(messages)
        + "\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`"
    )
