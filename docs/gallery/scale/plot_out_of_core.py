"""
Rows that stay on the disk
==========================

``open_rows`` opens files without reading them. A fit then reads a few blocks at a time, so memory does not grow
with the number of rows. We use three Parquet files; there could be many.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eigenlens import LDA, open_rows, write_rows

# %%
# Sixty thousand rows in three files, with the class in one of the columns.

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
for part in range(3):
    kind = rng.integers(0, 3, 20_000)
    means = np.array([[0, 0, 0, 0], [2, 1, 0, 0], [0, 2, 1, 0]])
    table = pd.DataFrame(
        means[kind] + rng.standard_normal((20_000, 4)), columns=["a", "b", "c", "d"]
    )
    table["kind"] = np.array(["left", "middle", "right"])[kind]
    table.to_parquet(folder / f"part-{part}.parquet", row_group_size=5_000)

rows = open_rows(folder, target="kind")
lda = LDA().fit(rows)
print(lda.classes_.tolist(), lda.explained_variance_ratio_.round(3))

# %%
# Only moments were kept: 4 means for each class and one 4 × 4 scatter, whatever the number of rows. Scores go back
# to the disk block by block.

scores = pd.read_parquet(
    write_rows(
        lda.transform,
        open_rows(folder, columns=list("abcd")),
        folder / "scores.parquet",
    )
)
truth = pd.concat(
    [
        pd.read_parquet(folder / f"part-{part}.parquet", columns=["kind"])
        for part in range(3)
    ]
)["kind"].to_numpy()

fig, axes = plt.subplots(
    1, 3, figsize=(11, 3.6), layout="constrained", sharex=True, sharey=True
)
for ax, name in zip(axes, lda.classes_, strict=True):
    ax.hexbin(
        *scores[truth == name].to_numpy().T,
        gridsize=35,
        extent=(-5, 5, -5, 5),
        cmap="Blues",
        mincnt=1,
    )
    ax.scatter(*lda.centroids_.T, marker="+", s=80, color="#b2182b")
    ax.set_title(str(name))
plt.show()

# %%
# The command line does the same and more: ``eigenlens report table.parquet --target kind`` reads the files,
# chooses, tests, and writes a page.
