"""
El Niño years in a table of temperatures
========================================

The table has the monthly sea surface temperature off the coast of Peru for 61 years. The first component is the
temperature of the whole year. The years at its upper end have a name: El Niño.
"""

import matplotlib.pyplot as plt
import statsmodels.api as sm

from eigenlens import PCA
from eigenlens.inference import bootstrap

table = sm.datasets.elnino.load_pandas().data
years, X = (
    table["YEAR"].astype(int).to_numpy(),
    table.drop(columns="YEAR").rename(columns=str.title),
)
months = X.columns

# %%
# All cells are degrees Celsius, so the columns need no scaling.

pca = PCA(2).fit(X)
scores = pca.transform(X)
fig, axes = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained")
for j, colour in enumerate(("#2166ac", "#e08214")):
    axes[0].plot(
        months, pca.components_[j], "o-", color=colour, label=f"component {j + 1}"
    )
axes[0].axhline(0, color="0.4", lw=0.8)
axes[0].set_title("Loadings of the months")
axes[0].legend(frameon=False)
axes[1].scatter(scores[:, 0], scores[:, 1], s=14, color="0.7")
for year in (1972, 1982, 1983, 1987, 1992, 1997, 1998):
    axes[1].annotate(
        year,
        scores[years == year][0],
        fontsize=8,
        xytext=(3, 3),
        textcoords="offset points",
    )
axes[1].margins(0.12)
axes[1].set(
    xlabel="component 1: a warm year",
    ylabel="component 2: when it is warm",
    title="Sixty-one years",
)
plt.show()

# %%
# Component 1 is a warm year; component 2 contrasts its beginning with its end. The El Niño of 1982–83 shows as a
# pair: 1982 became warm late, 1983 began warm. So do 1997 and 1998.
#
# Sixty-one rows are not many. The bootstrap shows how sure we are of the loadings.

result = bootstrap(PCA(2), X, n_boot=300)
print(result)
result.plot(0)
plt.show()
