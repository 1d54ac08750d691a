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


def watch() -> None:
    """Start a thread that ends the process if an interrupt is not obeyed; files being written are removed."""
    if threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        while True:
            if ours.recv(1) == bytes([signal.SIGINT]):
                time.sleep(PATIENCE)
                leave()

    threading.Thread(target=wait, daemon=True).start()
    watch.sockets = (ours, theirs)  # type: ignore[attr-defined]  # kept open


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
