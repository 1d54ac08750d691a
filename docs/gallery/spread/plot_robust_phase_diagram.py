"""
How far robust PCA goes
=======================

Principal component pursuit recovers a low-rank table exactly, however large the errors, as long as the rank is low
and the errors are few. How low, and how few? We simulate tables of every kind and count how many are recovered.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import RobustPCA

n = 24
ranks, shares = np.arange(1, 9, 2), np.arange(0.02, 0.4, 0.1)


def recovered(rank, share, seed):
    """Plant a table, spoil it, and see whether it comes back."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n)) / n
    spoiled = truth + np.where(
        rng.random((n, n)) < share, rng.choice([-1.0, 1.0], (n, n)), 0.0
    )
    model = RobustPCA(tol=1e-5, max_iter=100)
    with warnings.catch_warnings():
        # beyond the edge nothing converges, which is what we look for
        warnings.simplefilter("ignore")
        found = model.fit(spoiled).low_rank_
    return np.linalg.norm(found - truth) <= 1e-2 * np.linalg.norm(truth)


# %%
# White cells are recovered, black cells are not.

share_recovered = [
    [np.mean([recovered(r, s, seed) for seed in range(2)]) for r in ranks]
    for s in shares
]
fig, ax = plt.subplots(figsize=(5.4, 4.2), layout="constrained")
drawn = ax.imshow(
    share_recovered, origin="lower", cmap="gray", vmin=0, vmax=1, aspect="auto"
)
ax.set_xticks(range(len(ranks)), ranks)
ax.set_yticks(range(len(shares)), [f"{s:.0%}" for s in shares])
ax.set(xlabel=f"rank of a {n} × {n} table", ylabel="share of gross errors")
fig.colorbar(drawn, ax=ax, label="share of tables recovered")
plt.show()

# %%
# This is figure 1 of Candès, Li, Ma and Wright (2011), *Robust principal component analysis?*, at a small size.
# ``examples/phase_diagram.py`` computes a finer one in a few minutes.
