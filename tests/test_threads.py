"""Threads of our own: results in order, nothing left behind, no waiting for oneself, and forks."""

import multiprocessing
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import threadpoolctl
from sklearn.base import clone

import eigenlens
from eigenlens.arrays import linalg
from eigenlens.arrays.threads import thread_count, threaded
from eigenlens.testing import all_estimators, all_regressors, sample_for

SOURCES = str(Path(eigenlens.__file__).parent)


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
    before = thread_count()

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
    assert thread_count() == before


def test_an_error_of_the_work_is_raised_and_the_threads_serve_on():
    def work(i):
        if i == 3:
            raise ZeroDivisionError("three")
        return i

    with pytest.raises(ZeroDivisionError, match="three"):
        list(threaded(work, iter(range(10))))
    assert list(threaded(abs, iter([-1, 2]))) == [1, 2]


def test_the_fit_that_ends_last_gives_blas_its_threads_back():
    before = thread_count()
    first, second = linalg.one_blas_thread(), linalg.one_blas_thread()
    first.__enter__()
    other = threading.Thread(target=second.__enter__)
    other.start()
    other.join()
    first.__exit__(None, None, None)
    last = threading.Thread(target=second.__exit__, args=(None, None, None))
    last.start()
    last.join()
    assert thread_count() == before


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


def _threads_in_child(queue):
    from eigenlens.arrays.threads import thread_count

    seen = list(threaded(lambda i: threading.current_thread().name, iter(range(4))))
    queue.put((thread_count(), all(name.startswith("eigenlens") for name in seen)))


def _fork_while(inside):
    """Fork in the middle of work, on the thread that `inside` calls from; return what the child sees."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_threads_in_child, args=(queue,))
    inside(child.start)
    try:
        return queue.get(timeout=60)
    finally:
        child.join(30)


def _from_the_caller(fork):
    with linalg.one_blas_thread():
        fork()


def _from_another_thread(fork):
    entered, leave = threading.Event(), threading.Event()

    def work(i):
        entered.set()
        leave.wait(30)

    fit = threading.Thread(target=lambda: list(threaded(work, iter(range(4)))))
    fit.start()
    entered.wait(30)
    fork()
    leave.set()
    fit.join(30)


def _from_a_worker(fork):
    list(threaded(lambda i: fork() if i == 0 else None, iter(range(2))))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("inside", [_from_the_caller, _from_another_thread, _from_a_worker])
def test_a_process_forked_during_a_fit_uses_all_its_threads(inside):
    before = thread_count()
    assert _fork_while(inside) == (before, True)
    assert thread_count() == before


# -- one model, shared by threads while another refits it -----------------------------------------------------------

MODELS = [cls() for cls in (*all_estimators(), *all_regressors())]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def two_samples(model):
    target = "table" if type(model) in all_regressors() else "none"
    return [sample_for(model, 60, 4, target=target, seed=seed) for seed in (0, 1)]


def answers(model, X):
    for name in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(model, name):
            found = getattr(model, name)(X)
            yield name, found if isinstance(found, tuple) else (found,)


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def refits(model):
    return [name for name in ("fit", "partial_fit", "fit_moments") if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "name"), [pytest.param(model, name, id=f"{model!r}-{name}") for model in MODELS for name in refits(model)]
)
def test_a_fit_publishes_what_it_found_in_one_assignment(model, name):
    first, second = two_samples(model)
    given = (clone(model).fit(*second.arguments()).moments_,) if name == "fit_moments" else second.arguments()
    model = clone(model).fit(*first.arguments())
    before = vars(model).copy()
    seen = []

    def look(frame, event, argument):
        state = vars(model)
        changed = state.keys() != before.keys() or any(state[name] is not before[name] for name in before)
        if event == "call" and changed and frame.f_code.co_filename.startswith(SOURCES):
            seen.append(frame.f_code.co_qualname)

    sys.setprofile(look)
    try:
        getattr(model, name)(*given)
    finally:
        sys.setprofile(None)
    assert not seen, f"{seen[0]} ran while the model was half of one fit and half of the other"


@pytest.mark.filterwarnings("ignore")
@each_model
def test_answers_are_of_one_fit_while_a_thread_refits(model):
    data = two_samples(model)
    X = data[0].X
    fits = [clone(model).fit(*one.arguments()) for one in data]
    expected = [dict(answers(fit, X)) for fit in fits]
    shared = clone(model).fit(*data[0].arguments())
    done = threading.Event()

    def refit():
        k = 1
        while not done.is_set():
            shared.__dict__ = vars(fits[k]).copy()  # as a fit publishes, and much more often
            k = 1 - k
            time.sleep(0)

    interval = sys.getswitchinterval()
    refitter = threading.Thread(target=refit)
    wrong = []
    try:
        sys.setswitchinterval(1e-5)
        refitter.start()
        for _ in range(30):
            for name, found in answers(shared, X):
                if not any(same(found, said[name]) for said in expected):
                    wrong.append(name)
    finally:
        done.set()
        sys.setswitchinterval(interval)
        refitter.join(60)
    assert not wrong


def test_classes_of_others_are_left_as_they_are():
    class Theirs:
        def chained(self):
            return self

    class Model(Theirs, eigenlens.PCA):
        def again(self):
            return self

    methods = dict(vars(Theirs)), dict(vars(Model))
    model = Model()
    assert model.chained() is model.again() is model
    assert (dict(vars(Theirs)), dict(vars(Model))) == methods


# -- BLAS ------------------------------------------------------------------------------------------------------------

LOOPS = {
    "RobustPCA": lambda X, y: eigenlens.RobustPCA().fit(X),
    "parallel analysis": lambda X, y: eigenlens.PCA("parallel").fit(X),
    "shared directions": lambda X, y: eigenlens.PCA().fit(X).test_dimension(X),
    "cross-validated PCA": lambda X, y: eigenlens.PCA("cv").fit(X),
    "rows with missing cells": lambda X, y: (
        eigenlens.PCA(1, missing="ml").fit(few_missing(X)).test_dimension(n_draws=19)
    ),
    "permuted rows": lambda X, y: eigenlens.PDA().fit(X, y).test_dimension(X, y),
    "slices": lambda X, y: eigenlens.SIR().fit(X, X[:, 0]).test_dimension(X, X[:, 0]),
    "limits of rows": lambda X, y: eigenlens.PCA(2).fit(X).diagnose(X),
    "folds": lambda X, y: eigenlens.QDA(pooling="cv").fit(X, y),
}


def few_missing(X):
    X = X[:, :40].copy()
    X[:100:5, 1] = np.nan
    return X


@pytest.mark.parametrize("name", LOOPS)
def test_decompositions_in_loops_run_on_one_thread(name, monkeypatch):
    """BLAS threads meet at every column: a busy machine makes each meeting wait, 50 times the work of one thread."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 60)), np.repeat([0, 1], 100)
    X[:, :3] += y[:, None]
    seen = []

    def watched(module, function):
        original = getattr(module, function)

        def counted(A, *args, **named):
            if 1024 < np.size(A) <= linalg.ONE_THREAD_CELLS:
                seen.append(max(library.num_threads for library in linalg.blas_libraries()))
            return original(A, *args, **named)

        monkeypatch.setattr(module, function, counted)

    for function in ("eigh", "eigvalsh", "svd", "qr", "cholesky"):
        watched(np.linalg, function)
    watched(scipy.linalg, "eigh")
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        LOOPS[name](X, y)
    assert len(seen) > 5
    assert sum(threads > 1 for threads in seen) <= 2  # outside loops
