"""
Noise out of a picture
======================

A photograph is a table of numbers: rows and columns of pixels. It has a few strong directions, and noise fills all
of them a little. ``denoise`` estimates the noise level, removes the singular values that noise alone explains, and
shrinks the others to undo the effect of the noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from eigenlens import PCA
from eigenlens.inference import denoise

photo = load_sample_image("china.jpg")[::2, ::2].mean(axis=2) / 255
noisy = photo + 0.15 * np.random.default_rng(0).standard_normal(photo.shape)

# %%
# You need to choose neither the rank nor the noise level.

found = denoise(noisy)
print(found)
for name, image in (("as received", noisy), ("denoised", found.signal)):
    print(
        f"{name:12} root mean square error {np.sqrt(np.mean((image - photo) ** 2)):.3f}"
    )

# %%
# The sky is clean again, and the large shapes have survived. Detail below the noise level is lost: no method that
# sees the picture only as a table can bring it back.

fig, axes = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
for ax, image, title in zip(
    axes,
    (photo, noisy, found.signal),
    ("original", "with noise", "denoised"),
    strict=True,
):
    ax.imshow(image, cmap="gray", vmin=0, vmax=1)
    ax.set(title=title, xticks=[], yticks=[])
plt.show()

# %%
# A fixed number of components does the same job less well: too few blur, too many keep noise.

ranks = [2, 5, 10, 15, 20, 30, 40, 60, 80]
errors = []
for k in ranks:
    pca = PCA(k).fit(noisy)
    errors.append(
        np.sqrt(np.mean((pca.inverse_transform(pca.transform(noisy)) - photo) ** 2))
    )
fig, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
ax.plot(ranks, errors, "o-", color="#2166ac", label="PCA with k components")
ax.axhline(
    np.sqrt(np.mean((found.signal - photo) ** 2)),
    color="#b2182b",
    ls="--",
    label="denoise",
)
ax.set(
    xlabel="components kept",
    ylabel="error against the original",
    title="No number of components does as well",
)
ax.legend(frameon=False)
plt.show()
