"""
A model that grows with the stream
==================================

``partial_fit`` takes rows as they come and keeps only moments. After the last batch the model is the same as if all
rows had been there at once. On the way you can watch it settle.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eigenlens import PCA

X = load_digits().data[np.random.default_rng(0).permutation(1797)]
whole = PCA(5).fit(X)

# %%
# Eighteen batches of about 100 images. After each, the angles between the plane so far and the final one.

stream, angles, seen = PCA(5), [], []
for batch in np.array_split(X, 18):
    stream.partial_fit(batch)
    angles.append(np.degrees(stream.subspace_.angles(whole.subspace_)))
    seen.append(stream.moments_.n_rows)
fig, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
ax.plot(seen, angles, "o-", ms=3)
ax.set(
    xlabel="rows seen",
    ylabel="degrees from the final subspace",
    title="Five principal angles settle",
)
plt.show()
print(
    "largest difference at the end:",
    f"{np.abs(stream.components_ - whole.components_).max():.0e}",
)

# %%
# Weights count rows: a row of weight 2 counts twice. To make old rows fade, give new ones a larger weight.

fading = PCA(2)
for age, batch in enumerate(np.array_split(X, 18)):
    fading.partial_fit(batch, sample_weight=np.full(len(batch), 1.2**age))
print(
    f"weight of all rows {fading.moments_.weight:,.0f}, rows {fading.moments_.n_rows}"
)
