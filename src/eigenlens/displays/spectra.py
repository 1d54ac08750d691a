"""What a fit keeps, along its components or its penalties: variance, errors, eigenvalues, and the parts of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import (
    FOUND,
    INK,
    LEVEL,
    QUIET,
    Display,
    axes_for,
    dots,
    finish,
    floats,
    one_axes,
    palette,
    require_attribute,
)


def dimension(model: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any) -> Display:
    """Test the dimension of a fitted model and draw the result: eigenvalues with the cut, or p-values.

    Parameters
    ----------
    model : fitted estimator that has `test_dimension`
    X, y : rows, and their target, optional
        What `model.test_dimension` is given: some tests need rows.
    ax : axes, optional
    **options
        Passed to `model.test_dimension`: alpha, method, n_draws, random_state.

    Returns
    -------
    Display
        Its `data` are the test.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import dimension
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> dimension(SIR().fit(X, np.exp(X[:, 0]))).data["test"].dimension
    1
    """
    test = model.test_dimension(X, y, **options)
    return Display(test.plot(ax).ax_, test=test)


def scree(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Display:
    """Draw the share of variance by component; for sparse ones, next to that of ordinary principal components.

    Of a map of distances, draw all eigenvalues, the negative ones in another colour: no points in any space have those.

    Parameters
    ----------
    model : fitted model with `explained_variance_ratio_`, such as PCA or SparsePCA, or ClassicalMDS
    X : rows, or distances, of the fit, where a map has not kept its eigenvalues
    y : ignored
    ax : axes, optional

    Returns
    -------
    Display
        Its `data` are the shares (adjusted, where components are correlated), and for sparse ones those of as many
        ordinary components: dense. Of distances, their eigenvalues.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import scree
    >>> found = scree(SparsePCA(4, n_nonzero=4).fit(scale(load_wine().data))).data
    >>> bool(found["shares"][0] < found["dense"][0])
    True
    """
    if hasattr(model, "all_eigenvalues"):
        return _eigenvalues_of_distances(model, X, ax)
    require_attribute(model, "explained_variance_ratio_", "PCA or SparsePCA")
    shares, sparse = floats(model.explained_variance_ratio_), "n_nonzero" in model.get_params()
    place, data = np.arange(1, len(shares) + 1), {"shares": shares}
    ax = one_axes(ax, max(4.6, 0.6 * len(place) + 1.8), 3.8)
    named, beside, label = "each component", np.cumsum(shares), "together"
    if sparse:
        values = floats(model.spectrum_.values)
        beside = data["dense"] = values[: len(shares)] / ((values.sum() + model.spectrum_.tail) or 1.0)
        named, label = f"this model, adjusted ({shares.sum():.0%})", f"ordinary PCA ({beside.sum():.0%})"
    top = max(beside.max(initial=0), shares.max(initial=0), 1e-12)
    ax.bar(place, shares, color=FOUND, width=0.7, label=named)
    ax.plot(place, beside, color=INK, marker="o", markersize=4, linewidth=1, label=label)
    for x, share, loadings in zip(place, shares, namespaces.to_numpy(model.components_), strict=True) if sparse else ():
        if share > 0.08 * beside.max():
            ax.annotate(
                f"{np.count_nonzero(loadings)}",
                (x, share),
                (0, -3),
                fontsize=8,
                textcoords="offset points",
                ha="center",
                va="top",
                color="white",
            )
    words = "component" + " (white: loadings that are not zero)" * sparse
    finish(ax, words, "share of the variance", legend="best", xticks=place, ylim=(0, 1.08 * top))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return Display(ax, **data)


def _eigenvalues_of_distances(model: Any, X: Any, ax: Any) -> Display:
    values = model.all_eigenvalues(X)
    ax, place = one_axes(ax, max(4.6, min(0.15 * len(values) + 1.8, 12.0)), 3.8), np.arange(1, len(values) + 1)
    for some, colour, name in ((values >= 0, FOUND, "of points in a space"), (values < 0, LEVEL, "of no points")):
        if some.any():
            ax.bar(place[some], values[some], color=colour, width=0.7, label=name)
    ax.axhline(0.0, color=INK, linewidth=0.8)
    finish(ax, "axis", "eigenvalue", legend="best" if (values < 0).any() else "", whole=True)
    return Display(ax, eigenvalues=values)


def sparse_path(model: Any, X: Any = None, y: Any = None, *, alphas: Any = None, ax: Any = None) -> Display:
    """Draw the variance explained against the number of loadings that are not zero, along a path of penalties.

    Parameters
    ----------
    model : fitted SparsePCA
    X, y : ignored
    alphas : sequence of floats, optional
        As in `SparsePCA.path`.
    ax : axes, optional

    Returns
    -------
    Display
        Its `data` are the path.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import sparse_path
    >>> model = SparsePCA(2, n_nonzero=4).fit(scale(load_wine().data))
    >>> sparse_path(model, alphas=[0.05, 0.2, 0.8]).data["path"].n_nonzero.sum(axis=1)
    array([20, 17, 10])
    """
    require_attribute(model, "n_nonzero_", "SparsePCA")
    path, ax = model.path(alphas), one_axes(ax, 5.4, 3.8)
    counts, shares = path.n_nonzero.sum(axis=1), path.explained_variance_ratio.sum(axis=1)
    count, share = model.n_nonzero_.sum(), floats(model.explained_variance_ratio_).sum()
    k, p = path.components.shape[1:]
    ax.axhline(path.dense, color=INK, linestyle="--", linewidth=1)
    style: dict[str, object] = {"ha": "right", "fontsize": 9}
    note = f"ordinary PCA: {path.dense:.0%} with {k * p} loadings"
    ax.annotate(note, (counts.max(), path.dense), (0, 4), color=INK, textcoords="offset points", **style)
    ax.plot(counts, shares, color=FOUND, marker="o", markersize=4, linewidth=1.4)
    ax.plot([count], [share], marker="D", color=LEVEL, markersize=7, linestyle="none")
    text = f"this model: {count} loadings,\n{path.dense - share:.0%} of the variance lost"
    style |= {"textcoords": "axes fraction", "va": "bottom"}  # in a corner below any path
    line = {"arrowstyle": "-", "color": LEVEL, "lw": 0.6, "shrinkB": 5}
    ax.annotate(text, (count, share), (0.98, 0.05), color=LEVEL, arrowprops=line, **style)
    words = f"loadings that are not zero, all {k} components"
    finish(ax, words, "adjusted variance explained", ylim=(0, 1.15 * path.dense))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.grid(color=QUIET, linewidth=0.4, alpha=0.6)
    return Display(ax, path=path)


def penalty_path(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Display:
    """Draw GCV and leave-one-out error over λ, with the λ chosen and the degrees of freedom above.

    Parameters
    ----------
    model : fitted KernelRegressor or KernelClassifier whose `lam` is a rule
    X, y : ignored
    ax : matplotlib axes, optional

    Returns
    -------
    Display
        Its `data` are the path.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelRegressor
    >>> from eigenlens.displays import penalty_path
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=(80, 1))
    >>> y = np.sin(6 * x[:, 0]) + 0.2 * rng.standard_normal(80)
    >>> penalty_path(KernelRegressor(lam="loo").fit(x, y)).ax_.get_xlabel()
    'λ'
    """
    require_attribute(model, "lam_", "KernelRegressor or KernelClassifier")
    if not hasattr(model, "path_"):
        raise errors.InputError(
            f"lam={model.lam!r} was given, so there is no path of λ to draw; fit with lam='gcv' or lam='loo'."
        )
    path, ax = model.path_, one_axes(ax, 5.6, 4.0)
    curves = (path.gcv, "GCV", FOUND, "-"), (path.loo, "leave-one-out", LEVEL, (0, (5, 3)))
    for values, name, colour, style in curves:  # they often coincide: both are to be seen
        ax.loglog(path.lams, values, color=colour, linestyle=style, label=name, linewidth=1.6)
        ax.plot(path.lams[np.argmin(values)], values.min(), "o", color=colour, markersize=5)
    ax.axvline(model.lam_, color=INK, linestyle="--", linewidth=0.9, label=f"λ = {model.lam_:.2g}")
    both = np.concatenate([path.gcv, path.loo])
    limits = (0.9 * both.min(), min(1.1 * np.max(both[np.isfinite(both)]), 30 * both.min()))
    finish(ax, "λ", "estimated squared error", legend="best", ylim=limits)
    above, order = ax.secondary_xaxis("top"), np.argsort(path.df)
    wanted = [d for d in (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if path.df.min() < d < path.df.max()]
    places = np.exp(np.interp(wanted, path.df[order], np.log(path.lams)[order]))
    above.set_xticks(places, [str(d) for d in wanted])
    above.minorticks_off()
    above.tick_params(color=QUIET, labelcolor=INK, labelsize="small")
    above.spines["top"].set_visible(False)
    above.set_xlabel("degrees of freedom", fontsize="small")
    return Display(ax, path=path)


def mercer(expansion: Any, *, n_functions: int = 4, ax: Any = None) -> Display:
    """Draw the eigenvalues of a Mercer expansion on a logarithmic scale, and its first eigenfunctions.

    In one column the functions are drawn as curves; in more, as colours of the nodes in the first two columns, for the
    first function.

    Parameters
    ----------
    expansion : MercerExpansion
    n_functions : int
        How many eigenfunctions.
    ax : two matplotlib axes, optional

    Returns
    -------
    Display
        Its `data` are the values of the functions at the nodes.

    Examples
    --------
    >>> from eigenlens.kernels import Brownian, legendre, mercer
    >>> from eigenlens import displays
    >>> displays.mercer(mercer(Brownian(), *legendre(200), n_components=10)).data["functions"].shape
    (200, 4)
    """
    nodes, eigenvalues = floats(expansion.nodes), floats(expansion.eigenvalues)
    values = floats(expansion.functions(expansion.nodes)).reshape(len(nodes), -1)[:, :n_functions]
    left, right = axes_for(ax, 2)
    left.semilogy(np.arange(1, len(eigenvalues) + 1), eigenvalues, "o-", color=FOUND, markersize=4, linewidth=1)
    title = f"{len(eigenvalues)} terms; {expansion.truncation_error:.2g} left out"
    finish(left, "i", "eigenvalue γᵢ", title, whole=True)
    if nodes.shape[1] == 1:
        order = np.argsort(nodes[:, 0])
        for j, colour in enumerate(palette(values.shape[1])):
            right.plot(nodes[order, 0], values[order, j], color=colour, label=f"φ{j + 1}")
        right.axhline(0, color=QUIET, linewidth=0.8, zorder=0)
        finish(right, "x", "", "eigenfunctions", legend="best")
    else:
        top = np.abs(values[:, 0]).max()
        drawn = dots(right, nodes[:, :2], None, 2, c=values[:, 0], cmap="RdBu_r", vmin=-top, vmax=top, alpha=1)
        right.figure.colorbar(drawn, ax=right, label="φ1")
        finish(right, "column 0", "column 1", "first eigenfunction")
    return Display([left, right], functions=values)


def robust_split(
    model: Any, X: Any, y: Any = None, *, row: int | None = None, shape: tuple[int, int] | None = None, ax: Any = None
) -> Display:
    """Draw a table next to its low-rank part and its errors, or one row of it as an image; missing cells are grey.

    The first two are on one scale, the errors on their own.

    Parameters
    ----------
    model : fitted RobustPCA
    X : table
        That of the fit, whose parts are drawn as found; other rows are split.
    y : ignored
    row : int, optional
        Draw this row only, as an image of the given `shape`.
    shape : pair (rows, columns), optional
    ax : list of three axes, optional

    Returns
    -------
    Display
        Its `data` are table, low_rank and sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import RobustPCA
    >>> from eigenlens.displays import robust_split
    >>> rng = np.random.default_rng(0)
    >>> X = np.outer(rng.standard_normal(30), rng.standard_normal(20))
    >>> X[3, 4] = 9.0
    >>> robust_split(RobustPCA().fit(X), X).axes_[1].get_title()
    'low rank (rank 1)'
    """
    import matplotlib as mpl

    require_attribute(model, "low_rank_", "RobustPCA")
    rows, L, S = floats(X), floats(model.low_rank_), floats(model.sparse_)
    same = rows.shape == L.shape and np.allclose(np.nan_to_num(rows), np.where(np.isnan(rows), 0, L + S), rtol=1e-3)
    if not same:
        L, S = map(floats, model.split(rows))
    if row is not None:
        rows, L, S = (part[row : row + 1] for part in (rows, L, S))
    height, width = shape or rows.shape
    panels = axes_for(ax, 3, 3.6, np.clip(3.3 * height / width + 0.8, 2.2, 5.0))
    low, high = np.quantile(L, [0.005, 0.995])
    signs, top = mpl.colormaps["RdBu_r"].with_extremes(bad="0.8"), np.abs(S).max() or 1.0
    shades = signs
    if shape is not None or low >= 0:
        shades = mpl.colormaps["gray"].with_extremes(bad="#e8d9b5")
    else:
        low, high = -max(-low, high), max(-low, high)
    share = np.count_nonzero(S) / S.size
    parts = (
        (rows, "X", low, high, shades),
        (L, f"low rank (rank {model.rank_})", low, high, shades),
        (S, f"sparse ({share:.0%} of cells)", -top, top, signs),
    )
    for panel, (values, title, bottom, most, colours) in zip(panels, parts, strict=True):
        panel.imshow(
            values.reshape(shape or values.shape),
            aspect="auto" if shape is None else "equal",
            cmap=colours,
            vmin=bottom,
            vmax=most,
            interpolation="nearest",
        )
        panel.set_title(title, fontsize=10, color=INK)
        panel.set(xticks=[], yticks=[])
    return Display(panels, table=rows, low_rank=L, sparse=S)
