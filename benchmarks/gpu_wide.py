"""Wide rows, slices and two tables on a CUDA device, beside torch.pca_lowrank and one Gram product.

    python benchmarks/gpu_wide.py [side] [rows] [columns]

Needs torch (CUDA) and the package. Prints ratios within rounds.
"""

from __future__ import annotations

import sys

import torch

from eigenlens import CCA, PCA, SIR
from gpu_h200 import degrees, timed

K = 10  # components
SECOND = 32  # columns of the second table


def noise(side: int, generator: torch.Generator) -> torch.Tensor:
    return torch.randn((side, side), device="cuda", generator=generator)


def planted(side: int, generator: torch.Generator) -> torch.Tensor:
    """Noise with ten directions that stand out."""
    X = noise(side, generator)
    U, V = (torch.linalg.qr(torch.randn((side, K), device="cuda", generator=generator)).Q for _ in range(2))
    return X.addmm_(U * torch.linspace(11, 1.5, K, device="cuda") * 2 * side**0.5, V.T)


def wide(side: int, generator: torch.Generator) -> None:
    for name in ("planted", "flat"):
        X = (
            planted(side, generator)
            if name == "planted"
            else torch.randn((side, side), device="cuda", generator=generator)
        )
        centred = (X - X.mean(0)).double()
        exact = torch.linalg.svd(centred, full_matrices=False).Vh[:K] if side <= 8_000 else None
        times = timed(
            {
                "PCA(10).fit": lambda: PCA(K).fit(X),  # noqa: B023 - called before X changes
                "torch.pca_lowrank(q=10, niter=2)": lambda: torch.pca_lowrank(X, q=K, niter=2),  # noqa: B023
            }
        )
        ours, theirs = times.values()
        model = PCA(K).fit(X)
        print(f"{name} {side:,} × {side:,}: {ours * 1e3:.1f} ms, {ours / theirs:.2f} × pca_lowrank (target ≤ 4)")
        print(f"  {model.spectrum_.solver}, {model.spectrum_.steps} steps, residual {model.spectrum_.residual:.1e}")
        for who, V in (("ours", model.components_), ("pca_lowrank", torch.pca_lowrank(X, q=K, niter=2)[2].T)):
            V = torch.linalg.qr(V.double().T).Q.T
            image = (V @ centred.T) @ centred
            values = (image * V).sum(1, keepdim=True)
            residual = torch.linalg.vector_norm(image - values * V, dim=1).max() / values.max()
            angle = "" if exact is None else f", angle to the exact subspace {degrees(V, exact):.1e} degrees"
            print(f"  {who}: residual in float64 {float(residual):.1e}{angle}")
        del centred


def long(n: int, p: int, generator: torch.Generator) -> None:
    X = torch.empty((n, p), device="cuda")
    for start in range(0, n, 500_000):
        X[start : start + 500_000].normal_(generator=generator)
    y = X[:, 0] ** 3 + 0.1 * torch.randn(n, device="cuda", generator=generator)
    Y = X[:, :SECOND] + torch.randn((n, SECOND), device="cuda", generator=generator)

    def gram():
        total = torch.zeros((p, p), dtype=torch.float64, device="cuda")
        for start in range(0, n, 500_000):
            rows = X[start : start + 500_000].double()
            total += rows.T @ rows
        return total

    functions = {
        "one float64 Gram product": gram,
        "PCA(10).fit": lambda: PCA(K).fit(X),
        "SIR(2).fit": lambda: SIR(2).fit(X, y),
        f"CCA(5).fit, {SECOND} columns of Y": lambda: CCA(5).fit(X, Y),
    }
    times = timed(functions, rounds=3)
    base = times["one float64 Gram product"]
    for name, value in times.items():
        print(f"{name:40} {value * 1e3:9.2f} ms   {value / base:6.2f} × the Gram product")
    print("targets: SIR ≤ 2, CCA ≤ 1.5")


def main() -> None:
    side, n, p = (int(a) for a in (*sys.argv[1:], *(20_000, 4_000_000, 512)[len(sys.argv) - 1 :]))
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    generator = torch.Generator("cuda").manual_seed(0)
    wide(side, generator)
    torch.cuda.empty_cache()
    long(n, p, generator)


if __name__ == "__main__":
    main()
