"""
What moves in a film: robust PCA
================================

Each frame of a film is a row. A room lit by a lamp that slowly changes is a table of rank two. A block that moves
through the room changes few cells, but by a lot. Robust PCA separates the two, and fills in lost pixels.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import PCA, RobustPCA, displays
from eigenlens.exceptions import ScaleWarning

# %%
# The film: 80 frames of 27 × 36 pixels, a tenth of them lost.

frames, height, width = 80, 27, 36
rng = np.random.default_rng(0)
y, x = np.mgrid[:height, :width]
room = (
    0.45
    + 0.2 * np.sin(x / 4) * (y > 16)
    + 0.25 * ((x > 22) & (x < 31) & (y > 4) & (y < 13))
)
lamp = np.exp(-((x - 8) ** 2 + (y - 5) ** 2) / 140)
background = room.ravel() + np.outer(
    0.2 + 0.15 * np.sin(np.arange(frames) / 12), lamp.ravel()
)
block = np.zeros((frames, height, width), dtype=bool)
for t in range(frames):
    left, top = int(t * (width - 6) / frames), int(10 + 4 * np.sin(t / 9))
    block[t, top : top + 8, left : left + 5] = True
block = block.reshape(frames, -1)
film = np.where(block, 0.95, background)
film[rng.random(film.shape) < 0.1] = np.nan

# %%
# One call separates them. The low-rank part is the room, the sparse part is what moves. NaN means "not seen". Pixels
# differ in spread, but they have one unit, so the warning about units does not matter here.

warnings.simplefilter("ignore", ScaleWarning)
model = RobustPCA().fit(film)
fig, axes = plt.subplots(3, 3, figsize=(8.5, 6.6), layout="constrained")
for row, t in zip(axes, (5, 40, 72), strict=True):
    displays.robust_split(model, film, row=t, shape=(height, width), ax=row)
    row[0].set_ylabel(f"frame {t}")
for row in axes[1:]:
    for ax in row:
        ax.set_title("")
plt.show()

# %%
# We made the film, so we know the truth.

error = np.linalg.norm(model.low_rank_ - background) / np.linalg.norm(background)
filled = np.where(np.isnan(film), np.nanmean(film, axis=0), film)
plain = PCA(2).fit(filled)
plain_error = np.linalg.norm(
    plain.inverse_transform(plain.transform(filled)) - background
) / np.linalg.norm(background)
print(f"rank {model.rank_}; error of the background {error:.1e}")
print(f"error by ordinary PCA {plain_error:.1e}")
print(
    f"cells taken for moving outside the block: {((model.sparse_ != 0) & ~block).sum()}"
)
