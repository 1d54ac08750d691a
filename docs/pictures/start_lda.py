"""Start here: the wines along two discriminants."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from eigenlens import LDA

data = load_wine()
y = data.target_names[data.target]
figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
LDA().fit(data.data, y).plot(data.data, y, ax=ax)
