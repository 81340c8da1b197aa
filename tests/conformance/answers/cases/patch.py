"""`PATCH /connectors/{c}/config` (KIP-477)."""

from tests.conformance.answers.case import Answer, Case

PATH = "/connectors/{c}/config"


def changing(what: str, body: object, given: str = "source") -> Case:
    return Case(f"patch {what}", "PATCH", PATH, body, given=given, changes=True, then=(PATH,))


def refused(what: str, body: object, given: str = "source") -> Case:
    return Case(f"patch {what}", "PATCH", PATH, body, given=given, then=(PATH,))


def malformed(what: str, body: object, text: str) -> Case:
    row = "malformed JSON, `null` or missing body, wrong type"
    return Case(f"patch with {what}", "PATCH", PATH, body, given="source", then=(PATH,), differs=row, drover=Answer(400, text))


CASES = [
    changing("a key", {"tasks.max": "3"}),
    changing("an unknown key", {"foo": "bar"}),
    changing("a key away", {"tasks.max": None}),
    changing("a key away that is not there", {"foo": None}),
    changing("nothing", {}),
    changing("its own name", {"name": "{c}"}),
    changing("with a number", b'{"foo":1.0E+2,"bar":true}'),
    changing("a stopped one", {"foo": "bar"}, "stopped"),
    changing("a paused one", {"foo": "bar"}, "paused"),
    changing(
        "a source to a sink",
        {"connector.class": "FileStreamSink", "topics": "{c}", "topic": None},
        "stopped",
    ),
    refused("a number that is none", {"tasks.max": "x"}),
    refused("a required key away", {"topic": None}),
    refused("the class away", {"connector.class": None, "file": None, "topic": None, "tasks.max": None}),
    refused("the name away", {"name": None}),
    refused("a blank name", {"name": " "}),
    refused("exactly once", {"exactly.once.support": "required"}),
    refused("topics in two ways", {"topics.regex": "x"}, "sink"),
    Case("patch an unknown one", "PATCH", PATH, {"a": "b"}),
    Case("patch an unknown one with nothing", "PATCH", PATH, {}),
    Case("patch without json", "PATCH", PATH, {"a": "b"}, headers={"Content-Type": "text/plain"}, given="source"),
    Case("patch a connector", "PATCH", "/connectors/{c}", {"a": "b"}, given="source"),
    Case("delete a config", "DELETE", PATH, given="source"),
    malformed("null", b"null", ""),
    malformed("no body", b"", ""),
    malformed("a list", b"[]", "Cannot deserialize value of type"),
    malformed("half an object", b"{", ""),
    malformed("a list as a value", {"foo": []}, "Cannot deserialize value of type `java.lang.String` from Array value"),
    Case(
        "patch to another name",
        "PATCH",
        PATH,
        {"name": "zzz"},
        given="stopped",
        changes=True,
        then=(PATH,),
        differs="`PATCH /connectors/{c}/config` with another name",
        drover=Answer(400, "Connector name configuration (zzz) doesn't match connector name in the URL ("),
    ),
    Case(
        "patch to an unknown class",
        "PATCH",
        PATH,
        {"connector.class": "NoSuch"},
        given="source",
        then=(PATH,),
        differs="a class that cannot be told, or is not here",
        drover=Answer(400, "Failed to find any class that implements Connector"),
    ),
]
