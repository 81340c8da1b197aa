"""The list of cases. Each module of this folder has `CASES` for some endpoints."""

import importlib
import pkgutil

from tests.conformance.answers.case import Case


def all_cases() -> list[Case]:
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return [case for module in modules for case in module.CASES]
