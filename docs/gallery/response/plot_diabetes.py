"""
Diabetes: ten measurements in one plot
======================================

The table has ten measurements of 442 patients, and the progress of the disease one year later. SIR asks through how
many combinations the response depends on the measurements. If there are few, the regression is easy to draw.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from eigenlens import SIR, KernelRegressor
from eigenlens.inference import bootstrap
from eigenlens.kernels import Gaussian

data = load_diabetes(scaled=False)
X, y = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0), data.target
names = ["age", "sex", "bmi", "blood pressure", "s1", "s2", "s3", "s4", "s5", "s6"]

# %%
# The test finds two directions, but the first has five times the eigenvalue of the second. A single plot shows most
# of what the table knows about the response.

sir = SIR(n_slices=8).fit(X, y)
test = sir.test_dimension()
print(test)
print(test.to_frame().head(3).round(3).to_string())

one = SIR(1, n_slices=8).fit(X, y)
z = one.transform(X)
z = z if np.corrcoef(z[:, 0], y)[0, 1] > 0 else -z
curve = KernelRegressor(Gaussian(1.5), lam="gcv").fit(z, y)
grid = np.linspace(z.min(), z.max(), 100)[:, None]
fig, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
ax.scatter(z[:, 0], y, s=10, color="0.65")
ax.plot(
    grid[:, 0], curve.predict(grid), color="#b2182b", lw=2, label="kernel regression"
)
ax.set(
    xlabel="the direction that SIR finds",
    ylabel="progress of the disease",
    title="442 patients in one plot",
)
ax.legend(frameon=False)
plt.show()

# %%
# Which columns make up the direction, and how sure are we? The bootstrap resamples patients. The blood values s1 and
# s2 measure nearly the same thing, so they can trade loadings with each other: the intervals are wide, although the
# plot above hardly changes. The sign of a direction is arbitrary; here it is the opposite of that in the plot.

result = bootstrap(SIR(1, n_slices=8), X, y, n_boot=400)
print(result)
result.plot(0)
plt.gca().set_yticks(range(10), names)
plt.show()
