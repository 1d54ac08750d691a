"""Fit every estimator in processes of joblib's loky, with rows it may not write to, and kill workers of a bootstrap.

    python benchmarks/stress_loky.py [kills=20]

Answers of the workers, and of the models that come back, must be those of this process to the last bit. A bootstrap
whose worker is killed must end in joblib's TerminatedWorkerError, and the next one must have the result of the first.
"""

from __future__ import annotations

import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import psutil
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import clone

from eigenlens import FDA
from eigenlens.inference import bootstrap
from eigenlens.testing import all_estimators, all_regressors, sample_for

VERBS = ("transform", "predict", "predict_proba")


def answers(model: Any, X: np.ndarray) -> list[bytes]:
    return [np.asarray(getattr(model, verb)(X)).tobytes() for verb in VERBS if hasattr(model, verb)]


def fitted(model: Any, arguments: tuple[np.ndarray, ...]) -> tuple[Any, list[bytes], bool]:
    warnings.simplefilter("ignore")
    model.fit(*arguments)
    return model, answers(model, arguments[0]), arguments[0].flags.writeable


def estimators() -> None:
    models = [found() if isinstance(found, type) else found for found in (*all_estimators(), *all_regressors())]
    given = [sample_for(model, 200, 6, target="table").arguments() for model in models]
    here = [fitted(clone(model), arguments)[1] for model, arguments in zip(models, given, strict=True)]
    there = Parallel(n_jobs=2, backend="loky", max_nbytes=100)(
        delayed(fitted)(clone(model), arguments) for model, arguments in zip(models, given, strict=True)
    )
    bad = []
    for (model, found, writeable), arguments, expected in zip(there, given, here, strict=True):
        if writeable or found != expected or answers(model, arguments[0]) != expected:
            bad.append(type(model).__name__)
    print(f"{len(models)} estimators on rows that cannot be written to: {len(bad)} differ {bad}", flush=True)


def kill_one(rng: np.random.Generator) -> None:
    time.sleep(rng.uniform(0.2, 1.5))
    for child in psutil.Process().children(recursive=True):
        command = " ".join(child.cmdline())
        if "loky" in command and "tracker" not in command:
            child.kill()
            return


def kills(wanted: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 12)), np.arange(400) % 3
    X[:, 0] += y
    ask = lambda: bootstrap(FDA(), X, y, n_boot=60, n_jobs=2, random_state=0)  # noqa: E731
    expected, ended, done = str(ask()), 0, 0
    for _ in range(wanted):
        killer = threading.Thread(target=kill_one, args=(rng,))
        killer.start()
        try:
            done += str(ask()) == expected
        except TerminatedWorkerError:
            ended += 1
        killer.join()
    same = str(ask()) == expected
    print(f"{wanted} workers killed: {ended} bootstraps ended, {done} were done; the next has the first result: {same}")


if __name__ == "__main__":
    estimators()
    kills(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
