"""
Topics of a few pages of text
=============================

Each row is a paragraph, each column a word, each cell a count. Most cells are zero. Sparse PCA gives components
made of a few words each, which read like topics. The text is scikit-learn's description of its own small tables.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
from sklearn import datasets
from sklearn.feature_extraction.text import TfidfVectorizer

from eigenlens import SparsePCA

loaders = {
    name: getattr(datasets, f"load_{name}")
    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits")
}
texts, page_of = [], []
for name, load in loaders.items():
    for paragraph in load().DESCR.split("\n\n"):
        text = re.sub(r"http\S+|\S+@\S+", " ", paragraph)  # no addresses
        if len(text) > 60:
            texts.append(text)
            page_of.append(name)
page_of = np.array(page_of)

# %%
# Words that occur in at least three paragraphs. The table is sparse: few cells are filled.

vectorizer = TfidfVectorizer(min_df=3, stop_words="english", token_pattern=r"[a-z]{3,}")
counts = vectorizer.fit_transform(texts)
words = vectorizer.get_feature_names_out()
filled = counts.nnz / np.prod(counts.shape)
print(f"{len(texts)} paragraphs, {len(words)} words, {filled:.0%} of cells filled")

# %%
# Four topics of six words each. A positive and a negative word of the same topic avoid each other.

model = SparsePCA(4, n_nonzero=6, ridge=np.inf).fit(counts)
fig, axes = plt.subplots(1, 4, figsize=(13, 3), layout="constrained")
for j, (ax, loadings) in enumerate(zip(axes, model.components_, strict=True)):
    chosen = np.flatnonzero(loadings)
    chosen = chosen[np.argsort(loadings[chosen])]
    ax.barh(
        words[chosen],
        loadings[chosen],
        color=np.where(loadings[chosen] > 0, "#2166ac", "#b2182b"),
    )
    ax.axvline(0, color="0.3", lw=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_title(f"topic {j + 1}")
plt.show()

# %%
# Which page talks about which topic? The mean score of the paragraphs of each page.

scores = model.transform(counts)
for j in range(4):
    means = {name: scores[page_of == name, j].mean() for name in loaders}
    print(f"topic {j + 1}: most in the page about {max(means, key=means.get)}")
