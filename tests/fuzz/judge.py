"""Running a case, and telling our own refusals from errors that come raw out of a library below."""

from __future__ import annotations

import contextlib
import dis
import signal
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from sklearn.exceptions import NotFittedError

import eigenlens
from eigenlens import exceptions

HOME = str(Path(eigenlens.__file__).parent)
OURS = tuple(
    kind
    for kind in (getattr(exceptions, name) for name in exceptions.__all__)
    if isinstance(kind, type) and not issubclass(kind, Warning)
)
OF_SKLEARN = {"_check_n_features", "_check_feature_names"}  # its words about columns, which its checks ask for
LIMIT = 10  # seconds of work a call may take
WAIT = 200  # seconds it may take on a busy machine; a call that waits for itself does no work


class Hung(BaseException):
    """A call has taken too long; not an Exception, so that nothing on the way catches it."""


@dataclass(frozen=True)
class Verdict:
    """What came of one call.

    Attributes
    ----------
    call : str
    outcome : str
        "answered", "refused", "raw" or "hung".
    error : str
        Kind, message and place of an error.
    trace : str
    """

    call: str
    outcome: str
    error: str = ""
    trace: str = ""


def verdict_of(call, action, work=LIMIT):
    """Run an action and judge it; return the verdict and what was answered."""
    try:
        with time_limit(work):
            return Verdict(call, "answered"), action()
    except Hung as error:
        return Verdict(call, "hung", f"too long @ {_place(error)}", traceback.format_exc()), None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        outcome = "refused" if is_refusal(error) else "raw"
        said = " ".join(str(error).split())[:110]
        return Verdict(call, outcome, f"{type(error).__name__}: {said} @ {_place(error)}", traceback.format_exc()), None


def is_refusal(error):
    """Tell whether an error is of our own making: by its class, or raised by a `raise` of ours in our own words."""
    if isinstance(error, (*OURS, NotFittedError)):
        return True
    if not isinstance(error, ValueError | TypeError):
        return False
    frame, instruction = _innermost(error)
    if frame.f_code.co_name in OF_SKLEARN and "sklearn" in frame.f_code.co_filename:
        return True
    raised = dis.opname[frame.f_code.co_code[instruction]] == "RAISE_VARARGS"
    return raised and frame.f_code.co_filename.startswith(HOME) and type(error) in (ValueError, TypeError)


def _innermost(error):
    step = error.__traceback__
    while step.tb_next is not None:
        step = step.tb_next
    return step.tb_frame, step.tb_lasti


def _place(error):
    """The last line of ours on the way to an error, and where it ended."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(HOME)]
    last = ours[-1] if ours else frames[-1]
    end = "" if last is frames[-1] else f" (in {Path(frames[-1].filename).name})"
    return f"{Path(last.filename).relative_to(HOME) if ours else last.filename}:{last.lineno}{end}"


@contextlib.contextmanager
def time_limit(work, wait=WAIT):
    """Raise `Hung` in whatever runs after so many seconds of work, or of waiting."""

    def ring(signum, frame):
        raise Hung

    before = {number: signal.signal(number, ring) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, work)
    signal.setitimer(signal.ITIMER_REAL, wait)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def quiet():
    """Let warnings pass: a case is judged by its answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
