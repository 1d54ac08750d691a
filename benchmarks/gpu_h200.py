"""Rows on a CUDA device: PCA and LDA beside one float64 Gram product, torch.pca_lowrank and scikit-learn's array API.

    python benchmarks/gpu_h200.py [rows] [columns]

Needs torch (CUDA) and the package; CuPy is timed too where it is installed. Prints ratios within rounds.
"""

from __future__ import annotations

import os
import sys
import time
import warnings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it before SciPy is loaded

import numpy as np
import sklearn
import torch
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from eigenlens import LDA, PCA, open_rows
from eigenlens.moments import Grouped, Scatter
from eigenlens.rows import as_source

CLASSES = 100
ROUNDS = 5


def seconds(function) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def timed(functions: dict, rounds: int = ROUNDS) -> dict[str, float]:
    """Run everybody once per round; return medians, NaN for those that fail."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():  # first calls load kernels
        attempt(function)
    for _ in range(rounds):
        for name, function in functions.items():
            times[name].append(attempt(function))
    return {name: float(np.median(values)) for name, values in times.items()}


def attempt(function) -> float:
    try:
        return seconds(function)
    except Exception as error:
        print(f"  failed: {type(error).__name__}: {str(error)[:200]}")
        torch.cuda.empty_cache()
        return float("nan")


def synchronisations(function) -> int:
    """Count how often a call makes the host wait for the device."""
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    torch.cuda.set_sync_debug_mode("default")
    return sum("synchronizing" in str(w.message).lower() for w in caught)


def degrees(A: torch.Tensor, B: torch.Tensor) -> float:
    """Largest angle between the spans of the rows."""
    A, B = (torch.linalg.qr(M.double().T).Q for M in (A, B))
    return float(torch.rad2deg(torch.asin(torch.linalg.matrix_norm(A - B @ (B.T @ A), 2).clamp(max=1))))


def main() -> None:
    n, p = (int(a) for a in (*sys.argv[1:], 4_000_000, 512)[:2])
    print(torch.cuda.get_device_name(), "torch", torch.__version__, f"float32 {n:,} × {p}")
    generator = torch.Generator("cuda").manual_seed(0)
    X = torch.empty((n, p), dtype=torch.float32, device="cuda")
    for start in range(0, n, 500_000):
        X[start : start + 500_000].normal_(generator=generator)
    X *= torch.linspace(3, 1, p, device="cuda")
    y = torch.randint(0, CLASSES, (n,), device="cuda", generator=generator)
    X[:, :20] += 0.3 * torch.randn((CLASSES, 20), device="cuda", generator=generator)[y]
    X += 10

    def gram():
        total = torch.zeros((p, p), dtype=torch.float64, device="cuda")
        for start in range(0, n, 500_000):
            rows = X[start : start + 500_000].double()
            total += rows.T @ rows
        return total

    def sklearn_pca():
        with sklearn.config_context(array_api_dispatch=True):
            SklearnPCA(10, svd_solver="covariance_eigh").fit(X)

    def sklearn_lda():
        with sklearn.config_context(array_api_dispatch=True):
            LinearDiscriminantAnalysis().fit(X, y)

    S, model = gram(), PCA(10).fit(X[: 10 * p])
    functions = {
        "one float64 Gram product (cast counted in)": gram,
        "PCA(10).fit": lambda: PCA(10).fit(X),
        "  its pass alone": lambda: as_source(X).collect(Scatter()),
        "  eigh of its matrix alone": lambda: torch.linalg.eigh(S),
        "LDA().fit, 100 classes": lambda: LDA().fit(X, y),
        "  its pass alone (by class)": lambda: as_source(X, y, target="labels").collect(Grouped(Scatter)),
        "PCA(10).transform": lambda: model.transform(X),
        "torch.pca_lowrank(q=10, niter=2)": lambda: torch.pca_lowrank(X, q=10, niter=2),
        "scikit-learn PCA(10), array API": sklearn_pca,
        "scikit-learn LDA, array API": sklearn_lda,
    }
    if n * p * 8 < 40 * 2**30:
        X64 = X.double()
        functions["float64 Gram product alone"] = lambda: X64.T @ X64
    times = timed(functions)
    base = times["one float64 Gram product (cast counted in)"]
    for name, value in times.items():
        print(f"{name:45} {value * 1e3:9.2f} ms   {value / base:7.2f} × the Gram product")
    pca, lda = times["PCA(10).fit"], times["LDA().fit, 100 classes"]
    print(f"PCA / Gram {pca / base:.2f} (target ≤ 1.5), LDA / Gram {lda / base:.2f} (target ≤ 2)")
    print(f"pca_lowrank / PCA {times['torch.pca_lowrank(q=10, niter=2)'] / pca:.2f} (target ≥ 4)")
    print(f"scikit-learn PCA / PCA {times['scikit-learn PCA(10), array API'] / pca:.2f}")
    print(f"scikit-learn LDA / LDA {times['scikit-learn LDA, array API'] / lda:.2f}")
    accuracy(X, functions)
    streaming(X)
    cupy_too(X, y, base)


def accuracy(X: torch.Tensor, functions: dict) -> None:
    exact = torch.zeros((X.shape[1],) * 2, dtype=torch.float64, device="cuda")
    mean = X.mean(0, dtype=torch.float64)
    for start in range(0, X.shape[0], 500_000):
        rows = X[start : start + 500_000] - mean
        exact += rows.T @ rows
    top = torch.linalg.eigh(exact).eigenvectors[:, -10:].T
    lowrank = torch.pca_lowrank(X, q=10, niter=2)[2].T
    print(f"angle to the exact subspace: ours {degrees(PCA(10).fit(X).components_, top):.1e}°, ", end="")
    print(f"torch.pca_lowrank {degrees(lowrank, top):.1e}°")
    for name in ("PCA(10).fit", "LDA().fit, 100 classes"):
        print(f"{name}: the host waits for the device {synchronisations(functions[name])} times")


def streaming(X: torch.Tensor) -> None:
    """Host rows copied to the device block by block, beside the copy alone."""
    host = X[:1_000_000].cpu().numpy()
    pinned = torch.empty(X[:1_000_000].shape, pin_memory=True)
    times = timed(
        {
            "PCA of 1,000,000 host rows, streamed": lambda: PCA(10).fit(open_rows(host, device="cuda")),
            "copy of the same from pinned memory": lambda: pinned.to("cuda"),
            "copy of the same from ordinary memory": lambda: torch.as_tensor(host, device="cuda"),
        },
        rounds=3,
    )
    for name, value in times.items():
        print(f"{name:45} {value * 1e3:9.2f} ms")


def cupy_too(X: torch.Tensor, y: torch.Tensor, base: float) -> None:
    try:
        import cupy
    except ImportError:
        print("CuPy is not installed here")
        return
    A, b = cupy.from_dlpack(X), cupy.from_dlpack(y)
    times = timed({"CuPy: PCA(10).fit": lambda: PCA(10).fit(A), "CuPy: LDA().fit": lambda: LDA().fit(A, b)}, rounds=3)
    for name, value in times.items():
        print(f"{name:45} {value * 1e3:9.2f} ms   {value / base:7.2f} × the Gram product")


if __name__ == "__main__":
    main()
