r"""The law of the largest root of Roy: of ρ₁², where two normal tables have nothing to do with each other.

The squared correlations θ₁ ≥ … ≥ θ_k of tables of p and s columns, k = min(p, s), have a density proportional to

    Π θⱼ^m (1 − θⱼ)^e · Π_{i<j} |θᵢ − θⱼ|,     m = (|p − s| − 1)/2,  e = (n − p − s − 2)/2.

Its integral over a cube [0, x]^k is a Pfaffian (de Bruijn): with φᵢ any k functions that span polynomial times weight,

    P(θ₁ ≤ x) = Pf A(x) / Pf A(1),     aᵢⱼ(x) = ∫∫_{[0,x]²} sign(v − u) φᵢ(u) φⱼ(v) du dv,

bordered by ∫₀ˣ φᵢ where k is odd. With θ = sin² t the weights are smooth, and Gauss's rule is exact to round-off. Upper
tails are taken from A(1) − A(x), which is small there, so that small p-values keep their digits.

References
----------
de Bruijn (1955), On some multiple integrals involving determinants. Roy (1945), The individual sampling distribution of
the maximum, the minimum and any intermediate of the p-statistics on the null hypothesis.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

NODES, PANELS = 40, 8  # on either side of the root
NEGLIGIBLE = 90.0  # in logarithms: what lies farther below the peak does not count
MOST = 100  # roots; of more, the law of Tracy and Widom is near enough


def largest_root_survival(x: float, k: int, m: float, e: float) -> float:
    """Return P(θ₁ > x) for k roots with exponents m and e.

    Parameters
    ----------
    x : float
        Between 0 and 1.
    k : int
        Number of roots, at most 100.
    m, e : float
        At least −1/2, both.

    Examples
    --------
    >>> from eigenlens.inference.largest_root import largest_root_survival
    >>> round(largest_root_survival(0.5, 1, 0.0, 3.0), 10)                 # a single root is beta: (1 − x)⁴
    0.0625
    """
    low, high = _support(k, m, e)
    cut = float(np.arcsin(np.sqrt(x)))
    if cut <= low:
        return 1.0
    if cut >= high:
        return 0.0
    t, w = _panels(np.concatenate([np.linspace(low, cut, PANELS + 1), np.linspace(cut, high, PANELS + 1)[1:]]))
    phi = _basis(t, w, k, m, e)
    upto = _cumulated(phi, w)
    above = slice(PANELS * NODES, None)
    whole, tail = (_matrix(phi[part], upto[part], w[part], k) for part in (slice(None), above))
    share = np.linalg.eigvals(np.linalg.solve(whole, tail))  # each of them twice
    log_cdf = np.sum(np.log1p(np.abs(share) ** 2 - 2 * share.real)) / 4  # ½ Σ log |1 − share|
    return float(np.clip(-np.expm1(log_cdf), 0.0, 1.0))


def _log_weight(t: np.ndarray, m: float, e: float) -> np.ndarray:
    """Return the logarithm of θ^m (1 − θ)^e dθ/dt, but for a constant."""
    return np.asarray((2 * m + 1) * np.log(np.sin(t)) + (2 * e + 1) * np.log(np.cos(t)))


def _support(k: int, m: float, e: float) -> tuple[float, float]:
    """Return where weight times polynomial is not negligible."""
    t = np.geomspace(1e-9, np.pi / 2, 4000)[:-1]
    below, above = _log_weight(t, m, e), _log_weight(t, m + k - 1, e)
    first, last = (np.flatnonzero(f > f.max() - NEGLIGIBLE) for f in (below, above))
    low, high = first[0], last[-1]
    return float(t[low - 1]) if low else 0.0, float(t[high + 1]) if high + 1 < len(t) else np.pi / 2


def _panels(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of Gauss's rule on each panel."""
    u, w, _ = _rule()
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    return (middle[:, None] + half[:, None] * u).ravel(), (half[:, None] * w).ravel()


def _basis(t: np.ndarray, w: np.ndarray, k: int, m: float, e: float) -> np.ndarray:
    """Return k functions, polynomials of θ times weight, at the nodes; orthonormal.

    Each is θ times the one before, made orthogonal (Lanczos): the tails keep their digits, which a decomposition of
    monomials would lose.
    """
    theta, log = np.sin(t) ** 2, _log_weight(t, m, e)
    phi = np.empty((len(t), k))
    new = np.exp(log - log.max())
    for i in range(k):
        for _ in range(2):
            new = new - phi[:, :i] @ (phi[:, :i].T @ (w * new))
        phi[:, i] = new / np.sqrt(w @ new**2)
        new = theta * phi[:, i]
    return phi


def _cumulated(phi: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the integrals of functions up to the nodes."""
    _, weights, inner = _rule()
    parts = phi.reshape(-1, NODES, phi.shape[1])
    half = w.reshape(-1, NODES)[:, :1, None] / weights[0]
    whole = np.sum(parts * weights[:, None], axis=1, keepdims=True) * half
    before = np.cumsum(whole, axis=0) - whole
    return np.asarray((before + half * (inner @ parts)).reshape(phi.shape))


def _matrix(phi: np.ndarray, upto: np.ndarray, w: np.ndarray, k: int) -> np.ndarray:
    """Return ∫ (Φᵢφⱼ − φᵢΦⱼ), bordered by ∫ φᵢ where k is odd."""
    half = (upto * w[:, None]).T @ phi
    A = half - half.T
    if k % 2:
        b = (w @ phi)[:, None]
        A = np.block([[A, b], [-b.T, np.zeros((1, 1))]])
    return A


@lru_cache
def _rule() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss's nodes and weights on [−1, 1], and the matrix that integrates from −1 to each node."""
    u, w = np.polynomial.legendre.leggauss(NODES)
    P = np.polynomial.legendre.legvander(u, NODES)
    n = np.arange(1, NODES)
    integral = np.column_stack([u + 1, (P[:, 2:] - P[:, :-2]) / (2 * n + 1)])  # of P₀, P₁, …
    coefficients = (P[:, :-1] * w[:, None]).T * (np.arange(NODES) + 0.5)[:, None]
    return u, w, integral @ coefficients
