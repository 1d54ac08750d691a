"""Start here: how many directions are real, and the wines along two of them."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import PCA

data = load_wine()
X = scale(data.data)
pca = PCA().fit(X)
rng = np.random.default_rng(0)
noise = [PCA().fit(rng.standard_normal(X.shape)).explained_variance_ for _ in range(99)]
edge = np.quantile(noise, 0.95, axis=0)
figure, (bars, rows) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
order = np.arange(1, 14)
bars.bar(order, pca.explained_variance_, color=np.where(pca.explained_variance_ > edge, "#ee6677", "#bbbbbb"))
bars.plot(order, edge, color="0.4", lw=2, label="95% of tables of noise are below")
bars.set(xlabel="direction", ylabel="variance")
bars.legend(frameon=False)
Z = pca.transform(X)
for k, colour in enumerate(["#4477aa", "#ee6677", "#228833"]):
    rows.scatter(*Z[data.target == k, :2].T, s=14, color=colour, linewidths=0, label=data.target_names[k])
rows.set(xlabel="direction 1 (36%)", ylabel="direction 2 (19%)")
rows.legend(frameon=False)
