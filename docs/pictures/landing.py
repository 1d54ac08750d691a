"""The idea in one picture: rows, their moments, the directions, the rows seen through them."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import PCA

BLUE, RED, GREEN = "#4477aa", "#ee6677", "#228833"

data = load_wine()
X = scale(data.data)
pair = X[:, [6, 11]]  # flavanoids and dilution
colours = np.array([BLUE, RED, GREEN])[data.target]
figure, (rows, moments, test, through) = plt.subplots(1, 4, figsize=(11, 2.9), layout="constrained")
for ax in (rows, moments, test, through):
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)

rows.scatter(*pair.T, s=9, color="0.45", linewidths=0)
rows.set_title("rows")

found = PCA().fit(pair)
angle = np.degrees(np.arctan2(*found.components_[0][::-1]))
for size in (1, 2):
    width, height = 2 * size * np.sqrt(found.explained_variance_)
    moments.add_patch(Ellipse((0, 0), width, height, angle=angle, fill=False, color=BLUE, lw=1.5))
for direction, spread in zip(found.components_, np.sqrt(found.explained_variance_), strict=True):
    moments.annotate("", 2 * spread * direction, (0, 0), arrowprops={"arrowstyle": "->", "color": RED, "lw": 2})
moments.set(xlim=rows.get_xlim(), ylim=rows.get_ylim())
moments.set_title("moments and directions")

everything = PCA().fit(X)
result = everything.test_dimension()
real = np.arange(13) < result.dimension
test.bar(np.arange(13), everything.explained_variance_, color=np.where(real, RED, "0.8"))
test.set_title(f"a test: {result.dimension} of 13 real")

Z = everything.transform(X)
through.scatter(Z[:, 0], Z[:, 1], s=9, c=colours, linewidths=0)
through.set_title("rows seen through two of them")
