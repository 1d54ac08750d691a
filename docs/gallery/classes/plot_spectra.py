"""
Spectra: more columns than rows
===============================

A spectrometer gives 300 numbers for each of 60 samples. The two kinds of sample differ by a small bump, hidden
under a drifting baseline. LDA fails with more columns than rows. PDA looks for smooth coefficients and finds the
bump.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import PDA

wavelength = np.linspace(1100, 1700, 300)


def bump(middle, width):
    """Return a peak."""
    return np.exp(-0.5 * ((wavelength - middle) / width) ** 2)


def spectra(n, rng):
    """Draw n spectra: a drifting baseline, two peaks, and a third of the second kind."""
    kind = np.arange(n) % 2
    base = rng.normal(1, 0.2, (n, 1)) + rng.normal(0, 0.2, (n, 1)) * np.linspace(
        -1, 1, 300
    )
    peaks = rng.normal(1, 0.2, (n, 1)) * bump(1210, 30) + rng.normal(
        0.8, 0.2, (n, 1)
    ) * bump(1560, 45)
    return base + peaks + 0.08 * kind[:, None] * bump(
        1400, 18
    ) + 0.05 * rng.standard_normal((n, 300)), kind


rng = np.random.default_rng(0)
X, kind = spectra(60, rng)
fresh, truth = spectra(2000, rng)

# %%
# The spectra overlap everywhere.

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for k, colour in enumerate(("#2166ac", "#e08214")):
    ax.plot(wavelength, X[kind == k].T, color=colour, lw=0.4, alpha=0.7)
ax.set(xlabel="wavelength", ylabel="absorbance", title="Sixty spectra of two kinds")
plt.show()

# %%
# A ridge shrinks coefficients, but it does not know that neighbouring wavelengths belong together. ``"smooth"``
# does.

models = {"ridge": PDA(penalty="ridge"), "smooth": PDA(penalty="smooth")}
fig, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, kind)
    v = model.scalings_[:, 0]
    ax.plot(wavelength, v * np.sign(v[150]) / np.abs(v).max(), color="#2166ac", lw=1)
    ax.plot(
        wavelength,
        bump(1400, 18),
        color="#b2182b",
        ls="--",
        lw=1,
        label="where they differ",
    )
    ax.axhline(0, color="0.4", lw=0.8)
    ax.set(
        title=f"{name}: error {1 - model.score(fresh, truth):.1%}, {model.df_:.1f} df",
        xlabel="wavelength",
    )
axes[0].legend(frameon=False)
plt.show()

# %%
# The smooth coefficients do more than find the bump. They dip on both sides of it, so a raised or tilted baseline
# cancels out.
