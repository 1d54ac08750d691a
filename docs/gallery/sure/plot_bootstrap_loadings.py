"""
Which loadings are away from zero?
==================================

A loading of 0.3 may be solid or an accident. The bootstrap gives every loading an interval, and the subspace an
angle. It refits nothing from rows: each resample is a sum of moments, so a thousand of them are cheap.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import LDA
from eigenlens.inference import bootstrap

wine = load_wine(as_frame=True)
X = wine.data.copy()
X[:] = scale(X.to_numpy())
X.columns = [name.replace("_", " ") for name in X.columns]

# %%
# The two directions that separate the growers, with 95% intervals. Blue loadings are away from zero.

result = bootstrap(LDA(), X, wine.target, n_boot=1000)
print(result)
fig, axes = plt.subplots(1, 2, figsize=(12.5, 4.8), layout="constrained", sharey=True)
for j, ax in enumerate(axes):
    result.plot(j, ax=ax)
plt.show()

# %%
# How far does the whole plane turn? Principal angles between each resample and the plane of all rows.

fig, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.hist(np.degrees(result.angles).max(axis=1), bins=40, color="#2166ac")
ax.set(xlabel="largest angle to the plane of all rows, in degrees", ylabel="resamples")
plt.show()
