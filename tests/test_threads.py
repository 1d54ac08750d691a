"""Threads of our own: results in order, nothing left behind, no waiting for oneself, and forks."""

import multiprocessing
import threading
import time

import numpy as np
import pytest

from eigenlens._core.threads import threaded


def test_results_come_in_order():
    assert list(threaded(lambda i: (time.sleep(0.002 * (7 - i % 7)), i)[1], iter(range(30)))) == list(range(30))


def test_work_may_hand_out_work():
    def outer(i):
        return sum(threaded(lambda j: i * j, iter(range(5))))

    assert list(threaded(outer, iter(range(20)))) == [10 * i for i in range(20)]


def test_two_callers_share_the_threads():
    found = {}

    def call(name):
        found[name] = list(threaded(lambda i: i * name, iter(range(50))))

    callers = [threading.Thread(target=call, args=(name,)) for name in (1, 2, 3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert found == {name: [i * name for i in range(50)] for name in (1, 2, 3)}


def test_nothing_runs_on_after_a_pass_is_left():
    running = []

    def work(i):
        running.append(i)
        time.sleep(0.01)
        running.remove(i)
        return i

    results = threaded(work, iter(range(1000)))
    assert next(results) == 0
    results.close()
    assert not running


def test_a_pass_may_be_collected_on_one_of_its_own_threads():
    go, done = threading.Event(), threading.Event()

    def work(i):
        if i == 1:
            go.wait(30)
            results.close()  # as the garbage collector does, on whatever thread it runs
            done.set()
        return i

    results = threaded(work, iter(range(2)))
    assert next(results) == 0
    go.set()
    assert done.wait(30)


def test_an_error_of_the_work_is_raised_and_the_threads_serve_on():
    def work(i):
        if i == 3:
            raise ZeroDivisionError("three")
        return i

    with pytest.raises(ZeroDivisionError, match="three"):
        list(threaded(work, iter(range(10))))
    assert list(threaded(abs, iter([-1, 2]))) == [1, 2]


def _fit_in_child(queue):
    from eigenlens import PCA

    X = np.random.default_rng(0).standard_normal((50_000, 50))
    queue.put(PCA(2).fit(X).singular_values_)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    from eigenlens import PCA

    X = np.random.default_rng(0).standard_normal((50_000, 50))
    ours = PCA(2).fit(X).singular_values_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(queue,))
    child.start()
    theirs = queue.get(timeout=60)
    child.join(30)
    np.testing.assert_array_equal(theirs, ours)
