"""A question and its answer through Redis: who may carry it out, and what its asker is told. After a time-out nobody does."""

from collections.abc import Callable

import pytest
from kombu.exceptions import OperationalError

from tests.unit.workers.herder.post import GONE, Message, Post
from workers.herder import requests as module
from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.errors import Conflict, HerderError, Unavailable
from workers.herder.requests import Claim, TimedOut

ANSWER = wire.answer(Done("it is so", {0: 7}, {1: 2}))


@pytest.fixture
def post() -> Post:
    return Post()


def answering(post: Post, answer: bytes = ANSWER) -> Callable[[Message], None]:
    """A leader that answers everything at once."""
    leader = post.replies("leader@1")

    def answer_it(message: Message) -> None:
        assert leader.claim(message.request) is Claim.OURS
        leader.send(message.request, answer)

    return answer_it


# --- asking -----------------------------------------------------------------------------------------------------------


def test_the_answer_comes_back(post: Post) -> None:
    post.celery.on_send = answering(post)
    assert post.requests().ask("create_connector", {"name": "a"}) == Done("it is so", {0: 7}, {1: 2})
    (message,) = post.celery.sent
    assert (message.queue, message.action, message.arguments) == ("leader", "create_connector", {"name": "a"})
    assert (message.timeout, message.forwarded) == (10.0, False)


def test_a_worker_may_be_asked_by_name(post: Post) -> None:
    post.celery.on_send = answering(post)
    assert post.requests().ask("loggers", {}, 2.0, worker_id="w2:8083").result == "it is so"
    (message,) = post.celery.sent
    assert (message.queue, message.timeout) == ("worker.w2:8083", 2.0)


def test_a_refusal_is_raised_as_it_is(post: Post) -> None:
    post.celery.on_send = answering(post, wire.failure(Conflict("Connector a already exists")))
    with pytest.raises(HerderError, match=r"^Connector a already exists$") as raised:
        post.requests().ask("create_connector", {})
    assert raised.value.status == 409


def test_each_question_has_an_id_of_its_own(post: Post) -> None:
    post.celery.on_send = answering(post)
    for _ in range(3):
        post.requests().ask("health", {})
    assert len({message.request for message in post.celery.sent}) == 3


@pytest.mark.parametrize("error", [OperationalError("down"), GONE])
def test_without_redis_nothing_is_asked(post: Post, error: Exception) -> None:
    post.celery.errors = [error]
    with pytest.raises(Unavailable, match="Nothing was changed") as raised:
        post.requests().ask("health", {})
    assert raised.value.status == 503


def test_redis_may_go_and_come_back_while_somebody_waits(post: Post) -> None:
    post.celery.on_send = answering(post)
    post.redis.before["blpop"] = lambda: post.redis.errors.extend([GONE, GONE])
    assert post.requests().ask("health", {}).result == "it is so"


def test_a_time_of_its_own_goes_before_the_usual_one(post: Post) -> None:
    with pytest.raises(TimedOut):
        post.requests(timeout=60.0).ask("health", {}, 0.01)


def test_a_question_is_asked_again_under_the_same_id_for_the_time_that_is_left(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first message may have been lost with the worker that was taking it."""
    monkeypatch.setattr(module, "_ASK_AGAIN", 0.02)
    answer = answering(post)
    post.celery.on_send = lambda message: answer(message) if len(post.celery.sent) == 3 else None
    assert post.requests(timeout=5.0).ask("delete_connector", {"name": "a"}).result == "it is so"
    first, second, third = post.celery.sent
    assert first.request == second.request == third.request
    assert first.arguments == third.arguments
    assert 5.0 >= first.timeout > second.timeout > third.timeout > 0


def test_asking_again_may_fail(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ASK_AGAIN", 0.02)
    answer = answering(post)

    def lost(message: Message) -> None:
        if len(post.celery.sent) == 1:
            post.celery.errors.append(OperationalError("down"))
        else:
            answer(message)

    post.celery.on_send = lost
    assert post.requests(timeout=5.0).ask("health", {}).result == "it is so"


# --- time-outs --------------------------------------------------------------------------------------------------------


def test_what_nobody_took_in_time_nobody_takes_afterwards(post: Post) -> None:
    with pytest.raises(TimedOut, match=r"^Request timed out$") as raised:
        post.requests(timeout=0.01).ask("create_connector", {})
    assert raised.value.status == 500
    assert post.replies("w@1").claim(post.celery.sent[0].request) is Claim.WITHDRAWN


def test_what_was_taken_in_time_is_waited_for(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    leader, requests = post.replies("leader@1"), post.requests(timeout=0.2)
    post.celery.on_send = lambda message: leader.claim(message.request)
    withdraw = requests._withdraw

    def in_vain(request: str) -> bool:
        withdrawn = withdraw(request)
        leader.send(request, ANSWER)
        return withdrawn

    monkeypatch.setattr(requests, "_withdraw", in_vain)
    assert requests.ask("create_connector", {}).result == "it is so"


def test_what_was_taken_and_never_answered_is_given_up_in_the_end(post: Post) -> None:
    leader = post.replies("leader@1")
    post.celery.on_send = lambda message: leader.claim(message.request)
    with pytest.raises(TimedOut):
        post.requests(timeout=0.01).ask("create_connector", {})


def test_without_redis_at_the_end_it_is_given_up(post: Post) -> None:
    requests = post.requests(timeout=0.01)
    post.celery.on_send = lambda message: post.redis.errors.extend([GONE] * 3)
    with pytest.raises(TimedOut):
        requests.ask("create_connector", {})


# --- claims -----------------------------------------------------------------------------------------------------------


def test_the_first_who_claims_it_has_it(post: Post) -> None:
    assert post.replies("a@1").claim("r") is Claim.OURS


def test_the_next_leader_takes_what_the_last_one_had(post: Post) -> None:
    """What he has written of it stands in the topic."""
    assert post.replies("a@1").claim("r") is Claim.OURS
    assert post.replies("b@1").claim("r") is Claim.OURS


def test_without_redis_nothing_is_carried_out(post: Post) -> None:
    post.redis.errors = [GONE]
    assert post.replies("a@1").claim("r") is Claim.WITHDRAWN


def test_nothing_of_a_request_is_kept_for_ever(post: Post) -> None:
    post.celery.on_send = answering(post)
    post.requests().ask("health", {})
    post.celery.on_send = lambda message: None
    with pytest.raises(TimedOut):
        post.requests(timeout=0.01).ask("health", {})
    post.replies("a@1").forward("r", "queue.of.b", "restart_task", {}, 5.0)
    keys = {*post.redis.values, *post.redis.lists}
    assert keys
    # A list that was waited at and never filled is none in Redis.
    assert all(post.redis.expiry.get(key) for key in keys if key in post.redis.values or post.redis.lists[key])


# --- handed on --------------------------------------------------------------------------------------------------------


def test_who_gets_it_handed_on_answers_its_asker(post: Post) -> None:
    leader, owner = post.replies("leader@1"), post.replies("owner@1")

    def serve(message: Message) -> None:
        if message.forwarded:
            assert owner.claim(message.request) is Claim.OURS
            owner.send(message.request, ANSWER)
        else:
            assert leader.claim(message.request) is Claim.OURS
            leader.forward(message.request, "queue.of.owner", message.action, message.arguments, 4.0)

    post.celery.on_send = serve
    assert post.requests().ask("restart_task", {"connector": "a", "task": 0}).result == "it is so"
    first, second = post.celery.sent
    assert (second.queue, second.request, second.forwarded) == ("queue.of.owner", first.request, True)
    assert (second.action, second.arguments, second.timeout) == (first.action, first.arguments, 4.0)


@pytest.mark.parametrize("where", ["redis", "celery"])
def test_what_cannot_be_handed_on_is_refused(post: Post, where: str) -> None:
    leader = post.replies("leader@1")
    leader.claim("r")
    (post.redis.errors if where == "redis" else post.celery.errors).append(GONE)
    with pytest.raises(Unavailable):
        leader.forward("r", "queue.of.owner", "restart_task", {}, 5.0)


def handed_on(post: Post) -> None:
    """To a worker that may be gone."""
    leader = post.replies("leader@1")

    def serve(message: Message) -> None:
        if not message.forwarded:
            leader.claim(message.request)
            leader.forward(message.request, "queue.of.owner", message.action, message.arguments, 5.0)

    post.celery.on_send = serve


def test_what_was_handed_on_to_one_that_is_gone_can_be_withdrawn(post: Post) -> None:
    handed_on(post)
    with pytest.raises(TimedOut):
        post.requests(timeout=0.01).ask("restart_task", {})
    assert post.replies("owner@1").claim(post.celery.sent[0].request) is Claim.WITHDRAWN


def test_one_that_takes_what_is_being_withdrawn_answers_or_drops_it(post: Post) -> None:
    """Whoever comes second must learn so, however close they are."""
    handed_on(post)
    owner, claims = post.replies("owner@1"), list[Claim]()

    def quicker() -> None:
        request = post.celery.sent[0].request
        claims.append(owner.claim(request))
        if claims[-1] is Claim.OURS:
            owner.send(request, ANSWER)

    # Between the asker's look and its withdrawal.
    post.redis.before["set"] = lambda: post.redis.before.update(set=quicker)
    try:
        post.requests(timeout=0.05).ask("restart_task", {})
        answered = True
    except TimedOut:
        answered = False
    if not claims:
        quicker()
    assert (claims[-1] is Claim.OURS) is answered


def test_one_that_withdraws_what_is_being_taken_waits_or_has_withdrawn_it(post: Post) -> None:
    leader, owner = post.replies("leader@1"), post.replies("owner@1")
    leader.claim("r")
    leader.forward("r", "queue.of.owner", "restart_task", {}, 5.0)
    withdrawn: list[bool] = []
    # Between the owner's look and its claim.
    post.redis.before["set"] = lambda: withdrawn.append(post.requests()._withdraw("r"))
    claim = owner.claim("r")
    assert (claim is Claim.WITHDRAWN) is any(withdrawn)


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_that_cannot_be_sent_harms_nobody(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    post.redis.errors = [GONE]
    post.replies("a@1").send("r", ANSWER)
    assert "The answer to request r could not be sent" in caplog.text
