"""What classes were called in files of format 1, which named the module of each.

This table is closed: it says how things were, and needs no change when a class moves. New files hold the names that
classes give themselves (`_core.stored`).
"""

from __future__ import annotations

#: What is put before the name of a class to make its name of today, and the modules where such classes were.
MODULES = {
    "": """
        methods.cca methods.classical_mds methods.directional_regression methods.fda methods.kernel_machine
        methods.kernel_pca methods.lda methods.mda methods.pca methods.pda methods.robust_pca methods.save methods.sir
        methods.sparse_pca regress.adaptive_splines regress.additive_splines regress.penalized regress.polynomial
        regress.scoring kernels.preimage kernels.rkhs sources.slices spectral.pencil spectral.spectrum subspace
        tables.preparation
        """,
    "hinge.": "regress.hinges.terms",
    "kernel.": """
        kernels.combined kernels.conditional kernels.given kernels.inner kernels.radial kernels.squares kernels.wavelet
        """,
    "map.": "distances.metrics distances.placement distances.preparation distances.scaling",
    "measure.": "distances.measures",
    "moments.": "moments.cross moments.factor moments.grouped moments.quartic moments.scatter moments.store",
    "pursuit.": "regress._ppr",
    "smoother.": "regress.smoothers.spline regress.smoothers.supersmoother",
    "transform.": "distances.transforms",
}
PREFIXES = {f"eigenlens.{module}": prefix for prefix, modules in MODULES.items() for module in modules.split()}
SINGLE = {
    "eigenlens.methods.localized_sir.LocalizedSIR": "LocalizedSIR",
    "eigenlens.methods.localized_sir.LocalMoments": "moments.LocalMoments",
    "eigenlens.regress.projection_pursuit.ProjectionPursuit": "ProjectionPursuit",
    "eigenlens.regress.projection_pursuit.RidgeFunction": "pursuit.RidgeFunction",
    "sklearn.linear_model._base.LinearRegression": "sklearn.LinearRegression",
    "sklearn.linear_model._ridge.Ridge": "sklearn.Ridge",
    "sklearn.pipeline.Pipeline": "sklearn.Pipeline",
    "sklearn.preprocessing._data.StandardScaler": "sklearn.StandardScaler",
}


def name_today(name: str) -> str:
    """Return the name that a class has today; one that is not of format 1 is returned as it is."""
    module, _, leaf = name.rpartition(".")
    return SINGLE.get(name) or (PREFIXES[module] + leaf if module in PREFIXES else name)
