"""OpenAPI documents as YAML."""

import orjson
import yaml


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are read."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data.strip("\n") else None)


_Dumper.add_representer(str, _Dumper.represent_str)


def as_yaml_text(as_json: bytes) -> bytes:
    """By way of JSON: what is there twice is one object in memory, of which YAML would make anchors."""
    return yaml.dump(orjson.loads(as_json), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120).encode()
