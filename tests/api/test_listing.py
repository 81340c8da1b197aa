"""`GET /connectors` from ready JSON: what stands in it is what each connector's own answers say, whatever came before."""

import orjson

from tests.api.conftest import Api


def listed(api: Api) -> object:
    return orjson.loads(api.get("/connectors?expand=info&expand=status").content)


def one_by_one(api: Api) -> object:
    def body(path: str) -> object:
        return orjson.loads(api.get(path).content)

    names = orjson.loads(api.get("/connectors").content)
    return {name: {"status": body(f"/connectors/{name}/status"), "info": body(f"/connectors/{name}")} for name in names}


def test_after_each_change_the_list_says_what_the_connectors_themselves_say(api: Api) -> None:
    for name in "abc":
        api.create(name)
        assert listed(api) == one_by_one(api)
    changes = [
        ("PUT", "/connectors/a/config", {"connector.class": "fake.Source", "color": "red"}),
        ("PUT", "/connectors/b/stop", None),
        ("DELETE", "/connectors/c", None),
    ]
    for method, path, body in changes:
        assert api.request(method, path, body).status_code < 300
        api.herding.settle()
        assert listed(api) == one_by_one(api)


def test_what_is_expanded_is_kept_apart(api: Api) -> None:
    api.create()
    for _ in range(2):
        bodies = [api.get(f"/connectors{query}").content for query in ("", "?expand=info", "?expand=status", "?expand=foo")]
        assert [b'"info"' in body for body in bodies] == [False, True, False, False]
        assert [b'"status"' in body for body in bodies] == [False, False, True, False]
        assert (orjson.loads(bodies[0]), orjson.loads(bodies[3])) == (["a"], {"a": {}})
