"""What can be done to the connectors that somebody has selected, in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.jobs.preview import Candidate, preview
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.rights.roles import Rights


@dataclass(frozen=True, slots=True)
class Choice:
    """A button: `Restart 5 failed in 3`. `why_not`: what keeps it from being pressed."""

    verb: JobVerb
    label: str
    only_failed: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """`others`: how many more the filter finds."""

    ids: tuple[int, ...]
    choices: tuple[Choice, ...]
    others: int

    @property
    def count(self) -> int:
        return len(self.ids)

    @property
    def csv(self) -> str:
        return ",".join(map(str, self.ids))


def bar(candidates: Sequence[Candidate], found: Sequence[int], rights: Rights) -> Bar:
    ids = tuple(one.id for one in candidates)
    others = len(set(found).difference(ids))
    return Bar(ids, tuple(_choice(verb, candidates, rights) for verb in JobVerb), others)


def _choice(verb: JobVerb, candidates: Sequence[Candidate], rights: Rights) -> Choice:
    failed = preview(verb, Options(), candidates, rights)
    if verb is JobVerb.RESTART and failed.lines:
        return Choice(verb, f"{failed.button} in {failed.connectors:,}", True)
    all_of_them = preview(verb, Options(only_failed=False), candidates, rights)
    label = f"{verb.capitalize()} {all_of_them.connectors:,}" if all_of_them.lines else verb.capitalize()
    reasons = {out.reason for out in all_of_them.left_out}
    why_not = "" if all_of_them.lines else f"Each {'; or '.join(sorted(reasons))}" if reasons else "Nothing is selected"
    return Choice(verb, label, verb is not JobVerb.RESTART, why_not)
