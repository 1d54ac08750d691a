"""
The Nile: smoothing without choosing
====================================

The table has the flow of the Nile at Aswan from 1871 to 1970. A kernel defines what "smooth" means, and generalised
cross-validation chooses how smooth. Three kernels tell the story of the dam of 1899 in three ways.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from eigenlens import KernelRegressor, displays
from eigenlens.kernels import Brownian, Gaussian, Spline

table = sm.datasets.nile.load_pandas().data
year, flow = table["year"].to_numpy(), table["volume"].to_numpy()
x = ((year - year.min()) / (year.max() - year.min()))[:, None]

# %%
# A spline bends slowly, a Gaussian is even smoother at its own scale, and a Brownian path may change direction every
# year.

grid = np.linspace(0, 1, 400)[:, None]
fig, ax = plt.subplots(figsize=(9, 4.4), layout="constrained")
ax.scatter(year, flow, s=12, color="0.6")
models = {
    "Spline()": Spline(),
    "Gaussian(0.15)": Gaussian(0.15),
    "Brownian()": Brownian(),
}
for name, kernel in models.items():
    models[name] = KernelRegressor(kernel, lam="gcv").fit(x, flow)
    df = models[name].path_.df[np.argmin(models[name].path_.gcv)]
    ax.plot(
        1871 + 99 * grid[:, 0],
        models[name].predict(grid),
        lw=2,
        label=f"{name}, {df:.1f} df",
    )
ax.axvline(1899, color="0.3", lw=0.8, ls=":")
ax.set(
    xlabel="year",
    ylabel="flow (10⁸ m³)",
    title="The Nile at Aswan; the dotted line is the year 1899",
)
ax.legend(frameon=False)
plt.show()

# %%
# The whole path of strengths costs one decomposition. Leave-one-out errors are exact and need no refit.
#
# Read the minimum with care. Cross-validation treats the years as independent, but a river that is high this year
# tends to be high next year too. So the curve follows the data more closely than you may want.

displays.penalty_path(models["Spline()"])
plt.show()
