"""Whether this worker leads: takes the lead up when the group says so, lays it down when the group or another leader does."""

import logging
from collections.abc import Callable
from functools import partial

from workers.herder.leader import Leader
from workers.herder.loop import Loop
from workers.herder.membership import Group, GroupView
from workers.storage.assignment_store import AssignmentStore
from workers.storage.log import Fenced, LogError

logger = logging.getLogger(__name__)

_RETRY = 1.0


class Leadership:
    """Used on the herder's thread only, which is `loop`'s. `view` is the group as this worker knows it by now; `on_lead` hears
    when it begins and ceases to lead."""

    def __init__(
        self,
        leader: Leader,
        group: Group,
        view: Callable[[], GroupView],
        assignments: AssignmentStore,
        loop: Loop,
        on_lead: Callable[[bool], None],
    ) -> None:
        self._leader = leader
        self._group = group
        self._view = view
        self._assignments = assignments
        self._loop = loop
        self._on_lead = on_lead
        self._balance_queued = False
        self._waiting = False

    # --- beginning and ending -------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Leads or does not, as the group has it; tries again later if it cannot be taken up now."""
        try:
            self._follow(self._view())
            self._await_end_of_grace()
        except Fenced as error:
            self.step_down(error)
        except LogError as error:
            logger.warning("The lead could not be taken up yet: %s", error)
            self._loop.later(_RETRY, self.follow)

    def _follow(self, view: GroupView) -> None:
        if view.leads and not self._leader.leads and not self._group.holds():
            # Cut off, perhaps, and only not told yet: what it knows of the members would be of the past.
            self._loop.later(_RETRY, self.follow)
        elif view.leads and not self._leader.leads:
            self._begin(view)
        elif view.leads:
            self._leader.see(view.members, view.settled)
        elif self._leader.leads:
            self._end()

    def _begin(self, view: GroupView) -> None:
        self._leader.begin(view.me, view.members)
        self._on_lead(True)
        # What workers asked the one before for, and he did not get to.
        for name in self._assignments.wanted_tasks():
            self.commit_wanted_tasks(name)
        self.restate_offsets()

    def _end(self) -> None:
        self._leader.end()
        self._on_lead(False)

    def step_down(self, error: Fenced) -> None:
        """Somebody else writes. As long as the group holds that this one leads, it claims the lead back, but not at once."""
        logger.warning("Stepping down: %s", error)
        self._end()
        self._loop.later(_RETRY, self.follow)

    # --- leading, if this one does --------------------------------------------------------------------------------------

    def commit_wanted_tasks(self, name: str) -> None:
        self._lead(partial(self._leader.commit_wanted_tasks, name))

    def restate_offsets(self) -> None:
        self._lead(self._leader.restate_offsets)

    def balance_soon(self) -> None:
        # Once for all that is queued already.
        if self._leader.leads and not self._balance_queued:
            self._balance_queued = True
            self._loop.post(self._balance)

    def _balance(self) -> None:
        self._balance_queued = False
        self._lead(self._leader.balance)
        self._await_end_of_grace()

    def _await_end_of_grace(self) -> None:
        seconds = self._leader.next_end_of_grace()
        # One after the other: whoever was missed later is waited for when the first has been.
        if self._leader.leads and seconds is not None and not self._waiting:
            self._waiting = True
            self._loop.later(seconds, self._end_of_grace)

    def _end_of_grace(self) -> None:
        self._waiting = False
        self.balance_soon()

    def _lead(self, work: Callable[[], None]) -> None:
        """Does what the leader does, if this one leads; later again if Kafka does not take it now."""
        if not self._leader.leads:
            return
        try:
            work()
        except Fenced as error:
            self.step_down(error)
        except LogError as error:
            logger.warning("Trying again: %s", error)
            self._loop.later(_RETRY, partial(self._lead, work))
