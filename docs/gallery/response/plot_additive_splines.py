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
names = {
    "LOWINC": "% low income",
    "PERASIAN": "% Asian",
    "PERHISP": "% Hispanic",
    "AVYRSEXP": "teachers' years",
    "AVSALK": "salary",
    "PERSPENK": "spending per pupil",
    "PTRATIO": "pupils per teacher",
    "PCTCHRT": "% charter",
}
X = table[list(names)].rename(columns=names)
y = 100 * table["NABOVE"] / (table["NABOVE"] + table["NBELOW"])
model = AdditiveSplines().fit(X, y)
for label, kind, df in zip(X.columns, model.kind_, model.df_, strict=True):
    print(f"{label:20} {kind:8} {df:.1f}")

# %%
# One panel for each column in the model, with the partial residuals of the districts.

model.plot(X, y)
plt.show()

# %%
# Do the bends help on districts left out of the fit?

order = np.random.default_rng(0).permutation(len(X))
for name, candidate in (
    ("lines only", PenalizedRegression("ridge", lam=0.0)),
    ("out, straight or smooth", AdditiveSplines()),
):
    score = cross_val_score(candidate, X.iloc[order], y.iloc[order], cv=5).mean()
    print(f"{name:26} R² on rows left out {score:.3f}")
