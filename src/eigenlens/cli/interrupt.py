"""Ctrl-C ends within a second, whatever runs: a long library call cannot hold it back."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

PATIENCE = 0.6  # seconds that Python gets to end by itself
CODE = 130
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


def _wait(sent: socket.socket) -> None:
    while number := sent.recv(1):
        if number == bytes([signal.SIGINT]):
            time.sleep(PATIENCE)
            leave()


def leave() -> None:
    """End at once, removing what is half-written."""
    writing = sys.modules.get("eigenlens.sources.writing")
    for name in list(getattr(writing, "PENDING", ())):
        with suppress(OSError):
            os.unlink(name)
    try:
        sys.stderr.write("\nInterrupted; nothing half-written is left.\n")
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(CODE)
