"""Parameter settings under which each method meets the laws and scikit-learn's checks.

A method that is not listed is checked with its defaults.
"""

from sklearn.neighbors import KNeighborsRegressor

from eigenlens import (
    CCA,
    FDA,
    LDA,
    MDA,
    PCA,
    PDA,
    QDA,
    SAVE,
    SIR,
    ClassicalMDS,
    DirectionalRegression,
    KernelClassifier,
    KernelPCA,
    KernelRegressor,
    LocalizedSIR,
    PrincipalHessianDirections,
    RobustPCA,
    SparsePCA,
)
from eigenlens.distances import Logarithm, Power
from eigenlens.kernels import Linear, Matern
from eigenlens.regress import AdaptiveSplines, PenalizedRegression, PolynomialRegression, ProjectionPursuit
from eigenlens.testing import all_estimators, all_regressors

LAMS = (0.1, 1.0, 10.0)  # repeated rows seem to have no noise: a path down to zero would end there

VARIANTS = {
    PCA: [
        PCA(),
        PCA(2),
        PCA(0.9),
        PCA("mp"),
        PCA("parallel"),
        PCA("mle"),
        PCA(2, ddof=0, whiten=True),
        PCA(2, solver="dense"),
        PCA(1, solver="lanczos"),
        PCA(1, solver="randomized"),
        PCA(2, missing="ml"),
        PCA(2, missing="ppca"),
        PCA(2, scale=True),
        PCA(2, scale=True, missing="ml"),
    ],
    LDA: [
        LDA(),
        LDA(1),
        LDA(priors=[0.2, 0.3, 0.5]),
        LDA(shrinkage=0.2),
        LDA(shrinkage="oas"),
        LDA(shrinkage="ledoit-wolf"),
        LDA(shrinkage=0.2, shrinkage_target="diagonal"),
        LDA(shrinkage="oas", shrinkage_target="identity"),
        LDA(within="equal", between="equal"),
        LDA(between="classes"),
        LDA(missing="ml"),
        LDA(1, shrinkage=0.2, missing="ml"),
        LDA(within="equal", missing="ml"),
    ],
    QDA: [QDA(), QDA(pooling=0.3), QDA(pooling=0.5, shrinkage=0.2), QDA([0.2, 0.3, 0.5]), QDA(missing="ml")],
    FDA: [
        FDA(),
        FDA(1, regressor=PolynomialRegression(1)),
        FDA(regressor=PolynomialRegression(2, interactions=False)),
        FDA(regressor=PenalizedRegression(lam=1.0)),
        FDA(regressor=KNeighborsRegressor(7)),
    ],
    PDA: [
        PDA(),
        PDA(1, lam=2.0),
        PDA(lam=0),
        PDA(df=0.9, cost=2.0),
        PDA(penalty="smooth"),
        PDA(penalty="diagonal"),
        PDA(penalty="cyclic", lam=5.0),
        PDA(1, lam=2.0, missing="ml"),
    ],
    MDA: [
        MDA(2, n_subclasses=2, n_init=2),
        MDA(),
        MDA(n_subclasses=1),
        MDA(n_subclasses=2, regressor=PenalizedRegression(lam=1.0), max_iter=5, tol=0, n_init=2),
    ],
    RobustPCA: [RobustPCA(), RobustPCA(scale=True)],
    SparsePCA: [
        SparsePCA(),
        SparsePCA(2),
        SparsePCA(2, alpha=0.0),
        SparsePCA(2, alpha=0.2),
        SparsePCA(2, n_nonzero=2),
        SparsePCA(2, alpha=0.3, ridge=0.1),
        SparsePCA(2, alpha=0.5, ridge=float("inf")),
        SparsePCA(2, n_nonzero=1, ridge=float("inf")),
        SparsePCA(2, scale=True),
    ],
    CCA: [CCA(), CCA(1), CCA(center=False), CCA(ridge=0.1), CCA(missing="ml"), CCA(1, ridge=0.1, missing="ml")],
    KernelPCA: [
        KernelPCA(2),
        KernelPCA(2, kernel=Linear()),
        KernelPCA(1, kernel=Matern(2.5)),
        KernelPCA(2, n_landmarks=15),
        KernelPCA(2, scale=True),
    ],
    KernelClassifier: [
        KernelClassifier(),
        KernelClassifier(loss="logistic"),
        KernelClassifier(loss="squared", lam="loo", lams=LAMS),
        KernelClassifier(loss="hinge", n_landmarks=15),
        KernelClassifier(loss="logistic", n_landmarks=15),
        KernelClassifier(fit_intercept=False),
    ],
    KernelRegressor: [
        KernelRegressor(lams=LAMS),
        KernelRegressor(Matern(2.5), lam=1.0),
        KernelRegressor(loss="epsilon_insensitive", lam=0.5),
        KernelRegressor(lam="loo", lams=LAMS, n_landmarks=15),
        KernelRegressor(loss="epsilon_insensitive", lam=0.5, n_landmarks=15),
        KernelRegressor(lam="loo", lams=LAMS, fit_intercept=False),
    ],
    ClassicalMDS: [
        ClassicalMDS(),
        ClassicalMDS(3, metric="cityblock"),
        ClassicalMDS(schoenberg=Logarithm(2.0) @ Power(0.9)),
        ClassicalMDS(metric="cityblock", correction="lingoes"),
        ClassicalMDS(correction="cailliez", metric="cityblock"),
        ClassicalMDS(n_landmarks=15),
        ClassicalMDS(metric="chebyshev", n_landmarks=15, landmarks="maxmin"),
    ],
    AdaptiveSplines: [AdaptiveSplines(), AdaptiveSplines(degree=2), AdaptiveSplines(prune="cv", cv=3)],
    ProjectionPursuit: [ProjectionPursuit(1, 1), ProjectionPursuit(1, 1, smoother="spline")],
    PenalizedRegression: [PenalizedRegression(), PenalizedRegression("smooth", lam=1.0)],
    PolynomialRegression: [PolynomialRegression(), PolynomialRegression(3, interactions=False)],
    SIR: [SIR(), SIR(1), SIR(ridge=0.1), SIR(missing="ml"), SIR(between="slices")],
    SAVE: [SAVE(), SAVE(2, ridge=0.1), SAVE(2, missing="ml")],
    DirectionalRegression: [
        DirectionalRegression(),
        DirectionalRegression(2, ridge=0.1),
        DirectionalRegression(2, missing="ml"),
    ],
    PrincipalHessianDirections: [
        PrincipalHessianDirections(),
        PrincipalHessianDirections(2, residuals=False),
    ],
    LocalizedSIR: [
        LocalizedSIR(n_neighbors=3),
        LocalizedSIR(2, n_neighbors=5, ridge=0.1),
        LocalizedSIR(n_neighbors=3, between="slices"),
    ],
}


def all_variants(classes=None):
    for cls in all_estimators() if classes is None else classes:
        yield from VARIANTS.get(cls, [cls()])


def regressor_variants():
    return all_variants(all_regressors())
