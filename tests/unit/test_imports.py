"""Imports flow one way (docs: design, "Layout"): found in the source, so that an import inside a function counts too."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("cli", "config", "connect_api", "connect_client", "dashboard", "standalone", "workers")
SPARK = ("pyspark", "py4j", "workers.runtime", "workers.connectors", "workers.converters", "workers.data", "workers.pipeline")
#: Where the parts are put together: the only modules below which everything may be named.
COMPOSITION_ROOT = ("workers.assembly", "workers.bootstep", "workers.tasks", "workers.management")

#: Who may not import what.
FORBIDDEN = {
    # Of `config` only what knows no settings.
    "cli": ("workers", "connect_api", "dashboard", "standalone", "web", "local", "config.settings", "config.declared", "django"),
    "dashboard": ("workers", "connect_api"),
    "connect_client": ("workers", "connect_api", "dashboard", "cli"),
    "workers": ("dashboard", "connect_api"),
    "connect_api": ("dashboard", *SPARK),
    "workers.herder": SPARK,
    "workers.storage": SPARK,
    "workers.loggers": SPARK,
    "workers.metrics": SPARK,
}


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("*.py")):
            parts = path.relative_to(PROJECT).with_suffix("").parts
            yield ".".join(parts).removesuffix(".__init__"), path


def imported(module: str, path: Path) -> Iterator[str]:
    """All that a module names in its imports: for `from a import b` both `a` and `a.b`, which may be a module."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_no_module_imports_what_lies_upstream_of_it(package: str) -> None:
    wrong = {
        f"{module} imports {name}"
        for module, path in modules()
        if within(module, (package,)) and not within(module, COMPOSITION_ROOT)
        for name in imported(module, path)
        if within(name, FORBIDDEN[package])
    }
    assert wrong == set()


def test_every_package_that_has_a_rule_exists() -> None:
    """A renamed package would otherwise obey its rule by having no modules."""
    names = {module for module, _ in modules()}
    assert set(FORBIDDEN) <= names | {"workers"}
    assert any(within(name, COMPOSITION_ROOT) for name in names)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a.b", {"a.b"}),
        ("from a import b", {"a", "a.b"}),
        ("from . import b", {"pkg", "pkg.b"}),
        ("from ..other import c", {"other", "other.c"}),
        ("def f():\n    import late", {"late"}),
    ],
)
def test_the_finder_sees_every_form_of_import(tmp_path: Path, source: str, expected: set[str]) -> None:
    path = tmp_path / "mod.py"
    path.write_text(source)
    module = "top.pkg.mod" if ".." in source else "pkg.mod"
    assert {name.removeprefix("top.") for name in imported(module, path)} == expected


def test_a_web_process_never_loads_spark() -> None:
    """In a process of its own: what other tests have imported must not count. The plug-ins are what it loads with a request."""
    program = (
        "import json, sys, django; django.setup(); "
        "import connect_api.urls, workers.herder.remote, workers.herder.distributed, workers.assembly; "
        "workers.assembly.discover(); print(json.dumps(list(sys.modules)))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert "workers.connectors.file.source" in loaded, "the plug-ins were loaded"
    assert [name for name in loaded if within(name, ("pyspark", "py4j", "pyarrow", "workers.runtime"))] == []
