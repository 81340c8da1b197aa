"""Membership through Kafka's consumer group protocol: whoever owns a partition of the membership topic is a member, the owner
of the last one leads. The last, because librdkafka's sticky assignor gives a newcomer the lowest ones: so the lead stays where
it is when somebody joins. Nothing is ever consumed through the group.

librdkafka keeps the session alive on a thread of its own. That is not enough to know that this member still counts: a process
that was stopped for a while goes on before anybody tells it. So a *lease* is kept, renewed by committing an offset: the broker
takes a commit only from a member of the current generation, and counts its session from then on. Without a lease no task writes.

While a rebalance lasts nothing can be committed: it waits behind the request to join, and is of the former generation then. One
who dies while he joins makes a rebalance last for a session. So a lease outlasts the session by half of it (`grace`), for which
the leader waits in its turn before it gives away what somebody ran who has left without a word.
"""

import logging
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import GroupMetadata

from workers.herder.membership import GroupView, Member, member_of, new_life
from workers.storage.kafka import Kafka

logger = logging.getLogger(__name__)

_POLL = 0.1
_LOOK = 1.0
_LOOK_TIMEOUT = 3.0
#: What an error means that Kafka's own words leave open.
_MEANINGS = {
    KafkaError.INCONSISTENT_GROUP_PROTOCOL: ": members of another kind are in the group, workers of Kafka Connect perhaps; this "
    "one waits until they have left"
}


class KafkaGroup:
    """See `workers.herder.membership.Group`. Times in seconds."""

    def __init__(
        self, kafka: Kafka, group_id: str, topic: str, partitions: int, me: Member, *, session_timeout: float, heartbeat: float
    ) -> None:
        self._kafka = kafka
        self._group_id = group_id
        self._topic = topic
        self._leading_partition = partitions - 1
        self._me = me
        self._session_timeout = session_timeout
        self._heartbeat = heartbeat
        self._owned: set[int] = set()
        self._view = GroupView(me)
        self._listener: Callable[[GroupView], None] = lambda view: None
        self._leased_until = -1.0
        #: How many times this was cut off from what may run still.
        self._unstopped = 0
        self._stopped = threading.Condition()
        #: Not counted as a member any more: whatever this life was assigned may be given to others.
        self._given_up = False
        self._sent: dict[int, float] = {}
        self._renewals = 0
        self._renewed_at = -1e9
        self._admin = kafka.new_admin()
        self._looking = ThreadPoolExecutor(1, "members")
        self._looked_at = -1e9
        self._look: Future[GroupMetadata | None] | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="membership", daemon=True)

    @property
    def me(self) -> Member:
        return self._me

    @property
    def grace(self) -> float:
        return self._session_timeout / 2

    def holds(self) -> bool:
        return not self._unstopped and self._leased()

    def stopped(self) -> None:
        with self._stopped:
            self._unstopped -= 1
            self._stopped.notify_all()

    def join(self, listener: Callable[[GroupView], None]) -> None:
        self._listener = listener
        self._thread.start()

    def leave(self) -> None:
        """The others hear of it at once."""
        self._stopping.set()
        with self._stopped:
            self._stopped.notify_all()
        if self._thread.ident is not None:
            self._thread.join(self._session_timeout)

    # --- the group's thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._live()
            with self._stopped:
                self._stopped.wait_for(lambda: not self._unstopped or self._stopping.is_set())
            # The leader may have seen it gone, and not said so yet: what the life before was assigned is not this one's.
            self._me = Member(self._me.worker_id, new_life())

    def _live(self) -> None:
        """One life in the group: until this is to leave, or the group has given it up."""
        consumer = self._kafka.group_member(self._group_id, str(self._me), self._session_timeout, self._heartbeat, self._renewed)
        consumer.subscribe([self._topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost)
        self._given_up = False
        while not (self._stopping.is_set() or self._given_up):
            message = consumer.poll(_POLL)
            if message is not None and (error := message.error()) is not None:
                logger.warning("Group %s: %s%s", self._group_id, error.str(), _MEANINGS.get(error.code(), ""))
            self._renew(consumer)
            self._look_around()
            self._tell(replace(self._view, me=self._me, joined=bool(self._owned) and self._leased()))
        self._leased_until = -1.0
        consumer.close()

    def _leased(self) -> bool:
        return time.monotonic() < self._leased_until

    def _tell(self, view: GroupView) -> None:
        view = view if view.joined and view.leads else GroupView(view.me, joined=view.joined)
        if view != self._view:
            if self._view.joined and not view.joined:
                with self._stopped:
                    self._unstopped += 1
            self._view = view
            self._listener(view)

    # --- the coordinator's word -----------------------------------------------------------------------------------------

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        consumer.incremental_assign(partitions)
        # Owning is all that is wanted of them; what is written there is read elsewhere.
        consumer.pause(partitions)
        self._owned |= {partition.partition for partition in partitions}
        self._renewed_at = self._looked_at = -1e9
        self._view = replace(self._view, settled=False)

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._owned -= {partition.partition for partition in partitions}
        self._given_up = not self._owned
        if self._leading_partition not in self._owned:
            self._tell(replace(self._view, leads=False))
        # What follows is another rebalance.
        self._renewed_at = -1e9
        self._renew(consumer)
        consumer.incremental_unassign(partitions)

    def _lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        logger.warning("Member %s was cut off from group %s", self._me, self._group_id)
        self._owned.clear()
        self._given_up = True
        self._leased_until = -1.0
        self._tell(GroupView(self._me))
        consumer.incremental_unassign(partitions)

    # --- the lease ------------------------------------------------------------------------------------------------------

    def _renew(self, consumer: Consumer) -> None:
        now = time.monotonic()
        if not self._owned or now < self._renewed_at + self._session_timeout / 6:
            return
        self._renewed_at = now
        self._renewals += 1
        self._sent[self._renewals] = now
        try:
            # The offset committed is the number of the renewal: by it the answer is told from those to others.
            consumer.commit(offsets=[TopicPartition(self._topic, min(self._owned), self._renewals)], asynchronous=True)
        except KafkaException as error:
            logger.warning("Group %s: %s", self._group_id, error.args[0].str())

    def _renewed(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        for partition in partitions:
            sent = self._sent.pop(partition.offset, None)
            if error is not None or partition.error is not None:
                # Between two rebalances there may be little time.
                self._renewed_at = -1e9
            elif sent is not None and self._owned:
                # Counted from the question: when the broker answered is not known here.
                self._leased_until = max(self._leased_until, sent + self._session_timeout + self.grace)

    # --- the leader's look at the others ----------------------------------------------------------------------------------

    def _look_around(self) -> None:
        if self._leading_partition not in self._owned:
            self._look = None
            return
        if self._look is not None and self._look.done():
            self._take(self._look)
            self._look = None
        if self._look is None and time.monotonic() > self._looked_at + _LOOK:
            self._looked_at = time.monotonic()
            self._look = self._looking.submit(self._describe)

    def _describe(self) -> GroupMetadata | None:
        # Not `describe_consumer_groups`, which is to replace it: what librdkafka's admin client asks a coordinator ends the whole
        # process when the connection drops at that moment (its issue 4605).
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            groups = self._admin.list_groups(self._group_id, timeout=_LOOK_TIMEOUT)
        return next((group for group in groups if group.id == self._group_id and group.error is None), None)

    def _take(self, look: "Future[GroupMetadata | None]") -> None:
        try:
            group = look.result()
        except KafkaException as error:
            logger.warning("The members of group %s cannot be seen: %s", self._group_id, error.args[0].str())
            return
        if group is None:
            return
        settled = group.state == "Stable"
        members = frozenset(filter(None, (member_of(str(member.client_id)) for member in group.members)))
        if not settled or self._me not in members:
            # Whoever has left is still listed until the others have answered.
            self._looked_at = time.monotonic() - _LOOK + _POLL
            self._tell(replace(self._view, joined=self._leased(), settled=False))
            return
        self._tell(replace(self._view, joined=self._leased(), leads=True, settled=True, members=members))
