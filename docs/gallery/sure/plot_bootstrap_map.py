"""
How sure is a map?
==================

Every map looks certain. The bootstrap resamples the rows, computes the map again, aligns it with the first, and
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
embedding = ClassicalMDS(metric="cityblock").fit(X).embedding_
plt.gca().scatter(*embedding.T, c=wine.target[rows], cmap="viridis", s=30, zorder=3)
plt.show()

# %%
# The colours are the growers. The first axis is well determined, the second less so. Growers stay apart from map to
# map, but the order of wines within a grower changes.
