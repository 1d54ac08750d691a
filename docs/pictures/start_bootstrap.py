"""Start here: loadings with their intervals."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import PCA
from eigenlens.inference import bootstrap

data = load_wine(as_frame=True).data
X = data.copy()
X[:] = scale(data)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
bootstrap(PCA(2), X, n_boot=500).plot(0, ax=ax)
