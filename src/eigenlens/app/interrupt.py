"""Ctrl-C, SIGTERM and SIGHUP end within a second, whatever runs: a long library call cannot hold them back."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time

from ..arrays import unfinished

PATIENCE = 0.6  # seconds that Python gets to end by itself
CODE = 130
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_SOCKETS: list[socket.socket] = []


def watch() -> None:
    """Start a thread that ends the process if an interrupt is not obeyed; files being written are removed."""
    if threading.current_thread() is not threading.main_thread():
        return
    if not _SOCKETS:  # one thread serves all commands of a process
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        _SOCKETS.extend((ours, theirs))  # a pair that is collected closes, and a closed one is read without end
        threading.Thread(target=_wait, args=(ours,), daemon=True).start()
    signal.set_wakeup_fd(_SOCKETS[1].fileno(), warn_on_full_buffer=False)
    for number in ENDING:
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, _end)


def release() -> None:
    """Ignore what comes after the last file is written, and leave the sockets to the end of the process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for end in _SOCKETS:
        end.detach()


def _wait(sent: socket.socket) -> None:
    while heard := sent.recv(1):
        if heard[0] in (signal.SIGINT, *ENDING):
            time.sleep(PATIENCE)
            leave(128 + heard[0])


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def leave(code: int = CODE) -> None:
    """End at once, removing what is half-written."""
    unfinished.remove()
    try:
        sys.stderr.write("\nInterrupted; nothing half-written is left.\n")
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
