"""
Exercise and body: a small study, honestly tested
=================================================

Twenty men in a fitness club have three measurements of the body and three of exercises. A correlation of 0.8 looks
strong. With six columns and twenty rows, chance alone often gives 0.6, and sometimes 0.8.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_linnerud

from eigenlens import CCA

data = load_linnerud()
body, exercise = data.target, data.data
print("body:", data.target_names, " exercise:", data.feature_names)

# %%
# The first canonical correlation is 0.80. How large is it if nothing is related? Shuffle the men in one table and
# look.

cca = CCA().fit(body, exercise)
print("correlations:", cca.correlations_.round(2))
x_scores, y_scores = cca.transform(body, exercise)
fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
axes[0].scatter(x_scores[:, 0], y_scores[:, 0], color="#2166ac")
axes[0].set(
    xlabel="body, pair 1",
    ylabel="exercise, pair 1",
    title=f"correlation {cca.correlations_[0]:.2f}",
)

rng = np.random.default_rng(0)
null = [
    CCA(1).fit(body, exercise[rng.permutation(20)]).correlations_[0] for _ in range(500)
]
axes[1].hist(null, bins=30, color="0.75")
axes[1].axvline(cca.correlations_[0], color="#b2182b", lw=2, label="observed")
axes[1].set(xlabel="first canonical correlation", title="500 shuffled tables")
axes[1].legend(frameon=False)
plt.show()

# %%
# The tests turn this into a p-value, and they disagree. Roy's looks only at the largest correlation and finds it. The
# others sum over all pairs, and two of these are noise. With twenty rows the honest answer is: perhaps.

for method in ("wilks", "pillai", "roy", "permutation"):
    test = cca.test_dimension(body, exercise, method=method)
    print(f"{method:12} p-value of 'nothing is related': {test.p_values[0]:.3f}")
