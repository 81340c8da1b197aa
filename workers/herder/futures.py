"""What is to happen when something else is over, without a thread that waits for it."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


def chain(source: Future[T], target: Future[T]) -> None:
    """`target` ends as `source` does."""

    def copy(done: Future[T]) -> None:
        error = done.exception()
        if error is None:
            target.set_result(done.result())
        else:
            target.set_exception(error)

    source.add_done_callback(copy)


def done(result: T) -> Future[T]:
    """A future that is over."""
    future: Future[T] = Future()
    future.set_result(result)
    return future


def attempted(thunk: Callable[[], T]) -> Future[T]:
    """A future that is over, as the thunk is."""
    future: Future[T] = Future()
    try:
        future.set_result(thunk())
    except Exception as error:
        future.set_exception(error)
    return future


def after_all(futures: Sequence[Future[Any]], go_on: Callable[[], Future[T]]) -> Future[T]:
    """`go_on`, once all of `futures` are over, whatever became of them. It is called on the thread of the last one."""
    answer: Future[T] = Future()
    lock, left = threading.Lock(), len(futures) + 1

    def one_less(_: object = None) -> None:
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            chain(go_on(), answer)

    for future in futures:
        future.add_done_callback(one_less)
    one_less()
    return answer
