"""The memory of a device, and the way of host rows to it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import array_api_compat
import numpy as np

from .namespaces import namespace, on_accelerator
from .typing import Array

Copy = Callable[[str, np.ndarray], Any]  # of an array, with the name of its part in the block


def device_free_bytes(x: Any) -> int | None:
    """Return the free memory of the device of `x`; None where it is that of the host."""
    if array_api_compat.is_cupy_array(x):
        return int(x.device.mem_info[0])
    if array_api_compat.is_torch_array(x) and x.device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(x.device)[0])
    return None


def device_memory(x: Any) -> int | None:
    """Return how many bytes the device of an array has in all, 0 where that is not known; None where it is the host."""
    if not on_accelerator(x):
        return None
    if array_api_compat.is_torch_array(x) and x.device.type == "cuda":
        return int(namespace(x).cuda.get_device_properties(x.device).total_memory)
    if array_api_compat.is_cupy_array(x):
        return int(x.device.mem_info[1])
    return 0


class Upload:
    """Copies host blocks to a device: by torch where it is installed, by CuPy otherwise.

    Attributes
    ----------
    sample : float64 array of no entries
        It lives on the device.
    """

    sample: Any

    def __init__(self, device: Any) -> None:
        try:
            import torch
        except ImportError:
            self.sample, self._copy = _cupy_copies(device)
            return
        there = torch.device(device)
        self.sample = torch.empty(0, dtype=torch.float64, device=there)
        if there.type == "cuda":
            self._copy = _PinnedCopies(torch, there)
        else:
            self._copy = lambda _, values: torch.as_tensor(values, device=there)

    def __call__(self, block: Any) -> Any:
        """Return the block with its arrays on the device."""
        return replace(block, **{name: self._moved(name, getattr(block, name)) for name in ("X", "y", "weight")})

    def _moved(self, name: str, values: Any) -> Any:
        return self._copy(name, np.ascontiguousarray(values)) if isinstance(values, np.ndarray) else values


def _cupy_copies(device: Any) -> tuple[Array, Copy]:
    import cupy

    if str(device).split(":")[0] not in ("cuda", "gpu"):
        raise ValueError(f"device={device!r}: without torch, blocks are copied to CUDA devices only")
    return cupy.empty(0), lambda _, values: cupy.asarray(values)


class _PinnedCopies:
    """Copies through pinned buffers, on a stream of their own: one runs while the block before it is computed with."""

    def __init__(self, torch: Any, device: Any) -> None:
        self.torch, self.device, self.stream = torch, device, torch.cuda.Stream(device)
        self.buffers: dict[str, deque[Any]] = defaultdict(
            lambda: deque([(None, None)] * 3)  # one is filled, one on its way, one computed with
        )

    def __call__(self, name: str, values: np.ndarray) -> Any:
        torch = self.torch
        held, done = self.buffers[name].popleft()
        if held is None or held.shape[0] < values.nbytes:
            held = torch.empty(values.nbytes, dtype=torch.uint8, pin_memory=True)
        else:
            done.synchronize()  # the copy that used this buffer three blocks ago
        held[: values.nbytes].numpy()[:] = values.reshape(-1).view(np.uint8)
        with torch.cuda.stream(self.stream):
            raw = held[: values.nbytes].to(self.device, non_blocking=True)
            finished = torch.cuda.Event()
            finished.record(self.stream)
        self.buffers[name].append((held, finished))
        current = torch.cuda.current_stream(self.device)
        current.wait_event(finished)
        raw.record_stream(current)
        return raw.view(getattr(torch, values.dtype.name)).reshape(values.shape)
