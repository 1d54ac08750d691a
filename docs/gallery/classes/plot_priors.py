"""
When class shares differ from those in the population
=====================================================

Half of the cases in a study have the disease, because the study was planned that way. In the clinic one visitor in
twenty has it. The directions of LDA can stay; the probabilities cannot. ``priors`` sets them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from eigenlens import LDA

data = load_breast_cancer()
X, y = scale(data.data[:, :4]), np.where(data.target == 0, "malignant", "benign")
rng = np.random.default_rng(0)
study = np.concatenate(
    [
        rng.choice(np.flatnonzero(y == kind), 200, replace=False)
        for kind in ("benign", "malignant")
    ]
)

# %%
# Both models are fitted to the same 400 rows. The second is told how common the disease is, in the order of
# ``classes_``. No row is read twice: the moments of the first model are enough.

naive = LDA().fit(X[study], y[study])
told = LDA(priors=[0.95, 0.05]).fit_moments(naive.moments_)
print("classes:", naive.classes_.tolist())

z = np.linspace(*np.quantile(naive.transform(X)[:, 0], [0.001, 0.999]), 200)
rows = naive.mean_ + np.outer(z, np.linalg.pinv(naive.scalings_)[0])
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
Z = naive.transform(X[study])[:, 0]
for kind, colour in (("benign", "#2166ac"), ("malignant", "#b2182b")):
    axes[0].hist(Z[y[study] == kind], bins=30, color=colour, alpha=0.6, label=kind)
axes[0].set(xlabel="discriminant", title="The study: 200 of each")
axes[0].legend(frameon=False)
axes[1].plot(
    z, naive.predict_proba(rows)[:, 1], color="0.3", label="shares of the study"
)
axes[1].plot(
    z, told.predict_proba(rows)[:, 1], color="#b2182b", label="5% in the clinic"
)
axes[1].axhline(0.5, color="0.7", lw=0.8)
axes[1].set(
    xlabel="discriminant",
    ylabel="probability of malignant",
    title="The same row, two probabilities",
)
axes[1].legend(frameon=False)
plt.show()

# %%
# In a clinic with 5% cases the naive rule raises many false alarms. The other rule raises hardly any, but misses
# some cases. That is right if both mistakes cost the same. They rarely do, so look at the probabilities.

others = np.setdiff1d(np.arange(len(y)), study)
clinic = np.concatenate(
    [
        others[y[others] == "benign"],
        rng.choice(others[y[others] == "malignant"], 8, replace=False),
    ]
)
for name, model in (("naive", naive), ("told", told)):
    alarms = model.predict(X[clinic]) == "malignant"
    right = np.sum(alarms & (y[clinic] == "malignant"))
    print(f"{name:6} {alarms.sum():3} alarms, {right} of them right")
