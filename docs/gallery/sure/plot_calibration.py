"""
Do the tests hold their level?
==============================

A test at 5% should find something in 5% of tables without signal. Simulate such tables and count. Their p-values are
spread evenly between 0 and 1; with a signal they crowd near 0.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import LDA, SIR

# %%
# Two methods, 120 tables each, first without and then with something to find.


def first_p_value(name, strength, rng):
    """Return the p-value of 'there is nothing' for one table."""
    X = rng.standard_normal((80, 5))
    hidden = rng.standard_normal(80)
    X[:, 0] += strength * hidden
    if name == "LDA":
        return (
            LDA().fit(X, np.digitize(hidden, [-0.4, 0.4])).test_dimension().p_values[0]
        )
    return SIR(n_slices=4).fit(X, hidden).test_dimension().p_values[0]


rng = np.random.default_rng(0)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, name in zip(axes, ("LDA", "SIR"), strict=True):
    for strength, colour, label in (
        (0.0, "0.65", "nothing there"),
        (0.5, "#2166ac", "something there"),
    ):
        p = np.array([first_p_value(name, strength, rng) for _ in range(120)])
        ax.hist(p, bins=np.linspace(0, 1, 11), color=colour, alpha=0.75, label=label)
        print(f"{name}: {np.mean(p < 0.05):5.1%} of tables rejected at 5% ({label})")
    ax.set(title=name, xlabel="p-value")
axes[-1].legend(frameon=False)
plt.show()
