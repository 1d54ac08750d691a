"""The spectrum of a kernel and its first eigenfunctions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from .style import FOUND, Display, plain, point_size, slice_colours


@dataclass(repr=False)
class MercerDisplay(Display):
    """Eigenvalues of a Mercer expansion on a logarithmic scale, and its first eigenfunctions.

    In one column the functions are drawn as curves; in more, as colours of the nodes in the first two columns, for the
    first function.

    Parameters
    ----------
    eigenvalues : array of shape (k,)
    nodes : array of shape (m, p)
    functions : array of shape (m, q)
        The first eigenfunctions at the nodes.
    left_out : float
        Sum of the eigenvalues left out.

    Examples
    --------
    >>> from eigenlens.kernels import Brownian, legendre, mercer
    >>> from eigenlens.displays import MercerDisplay
    >>> display = MercerDisplay.from_expansion(mercer(Brownian(), *legendre(200), n_components=10))
    >>> display.functions.shape
    (200, 4)
    """

    eigenvalues: np.ndarray
    nodes: np.ndarray
    functions: np.ndarray
    left_out: float

    @classmethod
    def from_expansion(cls, expansion: Any, *, n_functions: int = 4, ax: Any = None) -> Self:
        """Draw a Mercer expansion.

        Parameters
        ----------
        expansion : MercerExpansion
        n_functions : int
            How many eigenfunctions.
        ax : two matplotlib axes, optional
        """
        nodes = np.asarray(namespaces.to_numpy(expansion.nodes))
        values = np.asarray(namespaces.to_numpy(expansion.functions(expansion.nodes)))
        values = values.reshape(len(nodes), -1)[:, :n_functions]
        eigenvalues = np.asarray(namespaces.to_numpy(expansion.eigenvalues))
        return cls(eigenvalues, nodes, values, expansion.truncation_error).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw spectrum and functions side by side."""
        left, right = self._draw_on(ax, 2)
        k = len(self.eigenvalues)
        left.semilogy(np.arange(1, k + 1), self.eigenvalues, "o-", color=FOUND, markersize=4, linewidth=1)
        left.set(xlabel="i", ylabel="eigenvalue γᵢ", title=f"{k} terms; {self.left_out:.2g} left out")
        left.xaxis.get_major_locator().set_params(integer=True)
        if self.nodes.shape[1] == 1:
            order = np.argsort(self.nodes[:, 0])
            colours = slice_colours(self.functions.shape[1], ordered=False)
            for j, colour in enumerate(colours):
                right.plot(self.nodes[order, 0], self.functions[order, j], color=colour, label=f"φ{j + 1}")
            right.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            right.set(xlabel="x", title="eigenfunctions")
            right.legend(frameon=False, ncol=4, loc="upper center", bbox_to_anchor=(0.5, -0.14), handlelength=1.2)
        else:
            size = 2 * point_size(len(self.nodes))
            most = np.abs(self.functions[:, 0]).max()
            drawn = right.scatter(
                *self.nodes[:, :2].T, c=self.functions[:, 0], s=size, cmap="RdBu_r", vmin=-most, vmax=most
            )
            right.figure.colorbar(drawn, ax=right, label="φ1")
            right.set(xlabel="column 0", ylabel="column 1", title="first eigenfunction")
        for one in (left, right):
            plain(one)
            one.title.set_fontsize("medium")
        return self
