"""A map of the identities between methods: boxes joined by lines that say when two are the same."""

import matplotlib.pyplot as plt

BOXES = {
    "SparsePCA": (0.0, 3.0),
    "PCA": (2.5, 3.0),
    "ClassicalMDS": (5.0, 3.0),
    "KernelPCA": (7.7, 3.0),
    "MixedPCA": (0.0, 1.9),
    "Correspondence\nAnalysis": (2.5, 1.9),
    "CCA": (5.0, 1.9),
    "least squares": (7.7, 1.9),
    "LocalizedSIR": (0.0, 0.8),
    "SIR": (2.5, 0.8),
    "LDA": (5.0, 0.8),
    "FDA": (7.7, 0.8),
    "PDA": (3.8, -0.3),
    "MDA": (6.2, -0.3),
}
LINES = [
    ("SparsePCA", "PCA", "no penalty"),
    ("PCA", "ClassicalMDS", "Euclidean\ndistances"),
    ("ClassicalMDS", "KernelPCA", "kernel −½d²"),
    ("PCA", "MixedPCA", "numbers\nonly"),
    ("MixedPCA", "Correspondence\nAnalysis", "two columns\nof words"),
    ("Correspondence\nAnalysis", "CCA", "two\nindicators"),
    ("CCA", "least squares", "all pairs"),
    ("CCA", "LDA", "class\nindicators"),
    ("least squares", "LDA", "two classes"),
    ("LocalizedSIR", "SIR", "whole slices"),
    ("SIR", "LDA", "classes as\nslices"),
    ("LDA", "FDA", "linear\nregression"),
    ("LDA", "PDA", "λ = 0"),
    ("LDA", "MDA", "one subclass"),
]

figure, ax = plt.subplots(figsize=(8.6, 4.3), layout="constrained")
for one, other, condition in LINES:
    (x, y), (u, v) = BOXES[one], BOXES[other]
    ax.plot([x, u], [y, v], color="0.6", lw=1.4, zorder=1)
    ax.text((x + u) / 2, (y + v) / 2, condition, ha="center", va="center", fontsize=8, color="#a03050",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0}, zorder=2)  # fmt: skip
ax.annotate("", BOXES["PCA"], BOXES["KernelPCA"], zorder=1,
            arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 1.4, "connectionstyle": "arc3,rad=0.22"})  # fmt: skip
ax.text(5.1, 3.72, "linear kernel", ha="center", va="center", fontsize=8, color="#a03050",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0}, zorder=2)  # fmt: skip
for name, (x, y) in BOXES.items():
    ax.text(x, y, name, ha="center", va="center", fontsize=9.5, weight="bold", color="#20507a", zorder=3,
            bbox={"boxstyle": "round,pad=0.45", "facecolor": "#e4eef7", "edgecolor": "#4477aa"})  # fmt: skip
ax.set(xlim=(-0.9, 8.6), ylim=(-0.7, 4.0))
ax.axis("off")
