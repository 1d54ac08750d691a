"""Kernels of wavelets: Daubechies' as a multiresolution kernel, Morlet's as a translation-invariant one."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..arrays import errors, namespaces
from ..arrays.parameters import check_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction
from .kernel import Kernel, Shift


@stored("kernel.Wavelet")
class Wavelet(Kernel):
    r"""A kernel of wavelets on each column, multiplied over the columns. Positive definite.

    An orthogonal wavelet gives the multiresolution kernel

    .. math:: k(x, z) = \sum_k \varphi_{0k}(x)\varphi_{0k}(z)
              + \sum_{j=0}^{J-1} 2^{-2sj} \sum_k \psi_{jk}(x)\psi_{jk}(z),

    on columns divided by `length_scale`: details of level j cost 4^(sj) times as much. "morlet" is
    :math:`\cos(\omega t)\, e^{-t^2/2}` of t = (x − z)/length_scale.

    Parameters
    ----------
    wavelet : str
        "morlet", or an orthogonal wavelet of PyWavelets: "db2" … "db38" (Daubechies), "sym4", "coif1", …
    length_scale : float or None
        None means the median distance between the rows of a fit.
    levels : int
        J, for orthogonal wavelets.
    smoothness : float
        s, for orthogonal wavelets; 0 is the kernel of projection on the finest resolution.
    frequency : float
        ω, for "morlet".

    Examples
    --------
    >>> from eigenlens.kernels import Wavelet
    >>> Wavelet("morlet", 1.0)([[0.0]], [[0.0], [1.0]]).round(4)
    array([[ 1.    , -0.1081]])
    """

    _from_rows = ("length_scale",)

    def __init__(
        self,
        wavelet: str = "db4",
        length_scale: float | None = None,
        levels: int = 3,
        smoothness: float = 1.0,
        frequency: float = 1.75,
    ) -> None:
        self.wavelet = wavelet
        self.length_scale = length_scale
        self.levels = levels
        self.smoothness = smoothness
        self.frequency = frequency

    @property
    def shift(self) -> Shift:
        return Shift.INVARIANT if self.wavelet == "morlet" else Shift.CHANGES

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("levels", self.levels, 0, 12, integer=True)
        check_number("smoothness", self.smoothness, 0.0)
        check_number("frequency", self.frequency, 0.0)
        if self.wavelet != "morlet":
            _tables(self.wavelet)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        assert self.length_scale is not None
        unit = float(self.length_scale)

        def function(X: Array) -> Array:
            one = self._morlet if self.wavelet == "morlet" else self._resolution
            values: Any = prod(one(X[:, j], Z[:, j], unit) for j in range(Z.shape[1]))
            return values

        return function

    def _morlet(self, x: Array, z: Array, unit: float) -> Array:
        xp = namespaces.namespace(x)
        t = (x[:, None] - z[None, :]) / unit
        return xp.cos(float(self.frequency) * t) * xp.exp(-0.5 * t * t)

    def _resolution(self, x: Array, z: Array, unit: float) -> Array:
        u, v = (np.asarray(namespaces.to_numpy(a)) / unit for a in (x, z))
        scaling, detail, width = _tables(self.wavelet)
        total = _translates(scaling, width, u, v, 1.0)
        for j in range(int(self.levels)):
            fine = 2.0**j
            total = total + fine ** (1 - 2 * float(self.smoothness)) * _translates(detail, width, u, v, fine)
        return namespaces.like(total, x)

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return (
            namespaces.namespace(X).sum(namespaces.namespace(X).zeros_like(X), axis=1) + 1.0
            if self.wavelet == "morlet"
            else super()._diagonal(X)
        )


def _translates(table: np.ndarray, width: int, u: np.ndarray, v: np.ndarray, fine: float) -> np.ndarray:
    """Return Σ_k f(fine·u − k) f(fine·v − k) for a function f on [0, width], given by its table."""
    x = fine * np.concatenate([u, v])
    k = np.floor(x)[:, None] - np.arange(width, -1, -1)  # the translates that a row is in the support of
    values = np.interp(x[:, None] - k, np.linspace(0.0, width, len(table)), table)
    places = np.unique(k, return_inverse=True)[1]
    f = csr_array((values.ravel(), places.ravel(), np.arange(len(x) + 1) * (width + 1)))
    return np.asarray((f[: len(u)] @ f[len(u) :].T).toarray())


@cache
def _tables(name: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the scaling function and the wavelet on a fine grid of [0, width]."""
    try:
        import pywt
    except ImportError as error:
        raise ImportError(
            "Daubechies wavelets come from PyWavelets, which is not installed: pip install PyWavelets. "
            "Wavelet('morlet') does not need it."
        ) from error
    known = [w for family in ("db", "sym", "coif") for w in pywt.wavelist(family)]
    if name not in known:
        raise errors.InputError(
            f"wavelet={name!r} is not an orthogonal wavelet with a scaling function; use 'morlet' or one of "
            f"{errors.listed(known, 8)}."
        )
    scaling, detail, grid = pywt.Wavelet(name).wavefun(level=12)  # at 2^12 points for each unit
    width = round(float(grid[-1]))
    return np.asarray(scaling), np.asarray(detail), width
