"""What of a path is routed, and how a name becomes a segment of one."""

import pytest

from connect_api.paths import Malformed, decoded, routed, segment


@pytest.mark.parametrize(
    ("came", "path"),
    [
        ("/", "/"),
        ("/connectors/a", "/connectors/a"),
        ("/connectors/a;v=1", "/connectors/a"),
        ("/connectors;x/a;v=1;w/status;", "/connectors/a/status"),
        ("/connectors/a%3Bv=1", "/connectors/a%3Bv=1"),
        ("/connectors/a%2Fb/status", "/connectors/a%2Fb/status"),
        ("/connectors/a%25", "/connectors/a%25"),
        ("//connectors", "//connectors"),
        ("/connectors/../health", "/connectors/../health"),
        ("/connectors/.a/status", "/connectors/.a/status"),
        ("/connectors/%2e%2E/status", "/connectors/%2e%2E/status"),
    ],
)
def test_routed(came: str, path: str) -> None:
    assert routed(came) == path


@pytest.mark.parametrize("came", ["/a%", "/a%2", "/a%zz", "/%00", "/a%0A", "/%7f", "/a%ff"])
def test_what_means_nothing(came: str) -> None:
    with pytest.raises(Malformed, match=r"^Bad URI: "):
        routed(came)


@pytest.mark.parametrize(
    "name", ["a", "a/b", "/", "%", "%2F", "\\", "{x}", "a b", "+", "žluť", "😀", "a;b", ".", "..", "...", "?", "#"]
)
def test_a_name_survives_the_way(name: str) -> None:
    came = f"/connectors/{segment(name)}/status"
    assert routed(came) == came
    empty, connectors, there, status = came.split("/")
    assert (empty, connectors, status) == ("", "connectors", "status")
    assert decoded({"name": there}) == {"name": name}
