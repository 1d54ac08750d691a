"""Models on which inverse regression is tried: Li's (1991), and symmetric ones that defeat slice means."""

import numpy as np

LAWS_OF_ROWS = ("weight", "row_order", "bitwise_rerun", "pickled", "shift", "invariance", "defining_equation", "dtype")


def li(model, rng, n=400, p=10, sigma=0.5):
    """Return X, y and the true plane of Li's second and third model."""
    X = rng.standard_normal((n, p))
    a, b = X[:, 0], X[:, 1]
    signal = a * (a + b + 1) if model == "product" else a / (0.5 + (b + 1.5) ** 2)
    return X, signal + sigma * rng.standard_normal(n), np.eye(p)[:, :2]


def symmetric(rng, n=1000, p=6):
    """Return X and y = x₁² + ε."""
    X = rng.standard_normal((n, p))
    return X, X[:, 0] ** 2 + 0.1 * rng.standard_normal(n)


def trace_correlation(components, truth):
    """Return the mean squared cosine between the span of directions (rows) and the true one, for round X."""
    Q = np.linalg.qr(np.asarray(components).T)[0]
    return np.linalg.norm(Q.T @ truth) ** 2 / truth.shape[1]


def slice_parts(X, codes, weight=None):
    """Return shares, standardised slice means and covariances, and the standardising map, as a textbook writes them."""
    w = np.ones(len(X)) if weight is None else weight
    m = w @ X / w.sum()
    S = (X - m).T @ ((X - m) * w[:, None]) / w.sum()
    values, vectors = np.linalg.eigh(S)
    root = vectors / np.sqrt(values) @ vectors.T
    Z = (X - m) @ root
    groups = [(Z[codes == h], w[codes == h]) for h in np.unique(codes)]
    shares = np.array([v.sum() / w.sum() for _, v in groups])
    means = np.array([v @ z / v.sum() for z, v in groups])
    covariances = [((z - c) * v[:, None]).T @ (z - c) / v.sum() for (z, v), c in zip(groups, means, strict=True)]
    return shares, means, covariances, root


def textbook(kernel, root):
    """Return eigenvalues and directions (rows, variance 1) of a kernel matrix in standardised coordinates."""
    values, vectors = np.linalg.eigh(kernel)
    return values[::-1], (root @ vectors[:, ::-1]).T
