"""Settings are read once, at import: a command that finds other ones on its command line starts again with them."""

import os
import sys
from collections.abc import Mapping


def start_again_with(wanted: Mapping[str, str]) -> None:
    """Returns if the environment says so already. What `NAME_FILE` names gives way to a `NAME` that is wanted."""
    others = {f"{name}_FILE" for name in wanted} & set(os.environ)
    if others or any(os.environ.get(name) != value for name, value in wanted.items()):
        kept = {name: value for name, value in os.environ.items() if name not in others}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**kept, **wanted})
