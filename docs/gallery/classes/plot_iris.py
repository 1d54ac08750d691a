"""
Fisher's irises
===============

In 1936 R. A. Fisher asked for the linear combination of four measurements that separates three species of iris
best. The answer is a ratio: distance between the means over spread within the species.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from eigenlens import LDA, displays

iris = load_iris()
X, species = iris.data, iris.target_names[iris.target]
lda = LDA().fit(X, species)

# %%
# Three classes need at most two directions. The first carries 99% of what separates them.

fig, axes = plt.subplots(
    2, 1, figsize=(8.5, 7.6), layout="constrained", height_ratios=[1.2, 1]
)
for name in iris.target_names:
    axes[0].scatter(X[species == name, 0], X[species == name, 1], s=14, label=name)
axes[0].set(
    xlabel=iris.feature_names[0],
    ylabel=iris.feature_names[1],
    title="Two of the four columns",
)
axes[0].legend(frameon=False)
displays.discriminant(lda, X, species, ax=axes[1])
axes[1].set_title("Two discriminants of all four")
plt.show()

# %%
# Is the second direction real, although it carries so little? The test says yes. A small share does not mean noise.

test = lda.test_dimension()
print("shares:", lda.explained_variance_ratio_.round(4))
print(test)
print(test.to_frame().to_string())

# %%
# The flowers that the rule is unsure about lie near the boundary, where the posterior probabilities are mixed.

posterior = lda.predict_proba(X)
unsure = np.argsort(posterior.max(axis=1))[:5]
for i in unsure:
    print(
        f"flower {i:3} is {species[i]:10}",
        dict(zip(lda.classes_.tolist(), posterior[i].round(2).tolist(), strict=True)),
    )
