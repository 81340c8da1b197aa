"""Of Kafka Connect's own worker settings none is dropped without a word."""

import re
import subprocess

from config.declared import BY_KEY
from config.declared.without_effect import reason_of
from local import java
from tests.running import PROJECT
from workers.converters.catalogue import CONVERTERS, ROLES

#: Only a standalone worker's.
STANDALONE = {"offset.storage.file.filename"}
#: `listeners` is more than one variable (workers/worker_properties.py).
COMPUTED = {"listeners"}
#: Not of the worker's own definition, but of what it names: an override policy and Drover's own providers.
OF_OTHERS = {"connector.client.config.override.allowlist"}


def theirs() -> dict[str, str]:
    """Key → importance, as Apache Kafka Connect lists them itself."""
    command = [str(java.find().executable), "-cp", str(PROJECT / ".jars" / "peer" / "*")]
    main = "org.apache.kafka.connect.runtime.distributed.DistributedConfig"
    html = subprocess.run([*command, main], capture_output=True, text=True, timeout=60, check=True).stdout
    found = re.findall(r'<h4><a id="([^"]+)">.*?<th>Importance:</th><td>(\w+)</td>', html, re.DOTALL)
    return dict(found)


def test_each_is_a_setting_or_has_a_reason() -> None:
    keys = theirs()
    assert len(keys) > 100
    assert sorted(key for key in keys if key not in BY_KEY and key not in COMPUTED and reason_of(key) is None) == []


def test_none_is_made_up() -> None:
    of_converters = {f"{role}.converter.{key.name}" for role in ROLES for one in CONVERTERS for key in one.config_def.keys}
    assert set(BY_KEY) - set(theirs()) - of_converters == STANDALONE | OF_OTHERS


def test_they_are_of_the_same_importance() -> None:
    keys = theirs()
    ours = {key: setting.importance for key, setting in BY_KEY.items() if key in keys}
    assert ours == {key: keys[key] for key in ours}
