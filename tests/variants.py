"""Parameter settings under which each method meets the laws and scikit-learn's checks.

A method that is not listed is checked with its defaults.
"""

from eigenlens import CCA, LDA, PCA, RobustPCA, SparsePCA
from eigenlens.testing import all_estimators

VARIANTS = {
    PCA: [
        PCA(),
        PCA(2),
        PCA(0.9),
        PCA("mp"),
        PCA("parallel"),
        PCA(2, ddof=0, whiten=True),
        PCA(2, solver="dense"),
        PCA(1, solver="lanczos"),
        PCA(1, solver="randomized"),
    ],
    LDA: [
        LDA(),
        LDA(1),
        LDA(shrinkage=0.2),
        LDA(shrinkage="oas"),
        LDA(shrinkage="ledoit-wolf"),
        LDA(within="equal", between="equal"),
    ],
    RobustPCA: [RobustPCA(), RobustPCA(2, method="fixed_rank")],
    SparsePCA: [
        SparsePCA(),
        SparsePCA(2),
        SparsePCA(2, alpha=0.0),
        SparsePCA(2, alpha=0.2, relative=True),
        SparsePCA(2, n_nonzero=2),
        SparsePCA(2, alpha=0.3, ridge=0.1),
        SparsePCA(2, alpha=0.5, ridge=float("inf")),
        SparsePCA(2, n_nonzero=1, ridge=float("inf")),
    ],
    CCA: [CCA(), CCA(1), CCA(ridge=0.1)],
}


def all_variants():
    for cls in all_estimators():
        yield from VARIANTS.get(cls, [cls()])
