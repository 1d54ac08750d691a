"""
How sure is a map?
==================

Every map looks certain. The bootstrap draws the rows anew, computes the map again, lays it onto the first, and
repeats. The ellipses show where each point would be in most of these maps.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import ClassicalMDS
from eigenlens.inference import bootstrap

# %%
# Thirty wines, ten of each grower, by the city-block distances between them.

wine = load_wine()
rows = np.concatenate([np.flatnonzero(wine.target == k)[:10] for k in range(3)])
X = scale(wine.data)[rows]
result = bootstrap(ClassicalMDS(metric="cityblock"), X, n_boot=200)
print(result)
result.plot()
plt.show()

# %%
# Each group of ten is a grower. The groups are not in doubt; the order of wines within a group is.
