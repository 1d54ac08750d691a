"""
Out, straight or smooth: additive splines
=========================================

Does a column matter, and if so, is a line enough? Additive splines (BRUTO) decide this for each column by a single
criterion. The panels show the decisions.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm
from sklearn.model_selection import cross_val_score

from eigenlens.regress import AdditiveSplines, PenalizedRegression

# %%
# School districts of California: what predicts the share of pupils above the national median in mathematics?

table = sm.datasets.star98.load_pandas().data
names = ["LOWINC", "PERASIAN", "PERHISP", "AVYRSEXP", "AVSALK", "PERSPENK", "PTRATIO", "PCTCHRT"]
labels = [
    "% low income",
    "% Asian",
    "% Hispanic",
    "teachers' years",
    "salary",
    "spending per pupil",
    "pupils per teacher",
    "% charter",
]
X, y = table[names].to_numpy(), (100 * table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])).to_numpy()
model = AdditiveSplines().fit(X, y)
for label, kind, df in zip(labels, model.kind_, model.df_, strict=True):
    print(f"{label:20} {kind:8} {df:.1f}")

# %%
# One panel for each column in the model, with the partial residuals of the districts.

display = model.plot(X, y)
for panel in display.axes_:
    panel.set_xlabel(labels[int(panel.get_xlabel()[1:])])
plt.show()

# %%
# Do the bends help on districts left out of the fit?

order = np.random.default_rng(0).permutation(len(X))
for name, candidate in (
    ("lines only", PenalizedRegression("ridge", lam=0.0)),
    ("out, straight or smooth", AdditiveSplines()),
):
    score = cross_val_score(candidate, X[order], y[order], cv=5).mean()
    print(f"{name:26} R² on rows left out {score:.3f}")
