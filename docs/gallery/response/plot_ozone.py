"""
Ozone in New York: curves that bend where they must
===================================================

The table has daily ozone in New York in the summer of 1973, with sunshine, wind and temperature (111 complete days of
R's ``airquality``). Adaptive splines (MARS) search for bends and keep those that pay off. You can read the result term
by term.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

from eigenlens.regress import AdaptiveSplines

# ozone (ppb), sunshine (langleys), wind (mph), temperature (°F), one day after the other
DAYS = """
41,190,7.4,67 36,118,8,72 12,149,12.6,74 18,313,11.5,62 23,299,8.6,65 19,99,13.8,59
8,19,20.1,61 16,256,9.7,69 11,290,9.2,66 14,274,10.9,68 18,65,13.2,58 14,334,11.5,64
34,307,12,66 6,78,18.4,57 30,322,11.5,68 11,44,9.7,62 1,8,9.7,59 11,320,16.6,73
4,25,9.7,61 32,92,12,61 23,13,12,67 45,252,14.9,81 115,223,5.7,79 37,279,7.4,76
29,127,9.7,82 71,291,13.8,90 39,323,11.5,87 23,148,8,82 21,191,14.9,77 37,284,20.7,72
20,37,9.2,65 12,120,11.5,73 13,137,10.3,76 135,269,4.1,84 49,248,9.2,85 32,236,9.2,81
64,175,4.6,83 40,314,10.9,83 77,276,5.1,88 97,267,6.3,92 97,272,5.7,92 85,175,7.4,89
10,264,14.3,73 27,175,14.9,81 7,48,14.3,80 48,260,6.9,81 35,274,10.3,82 61,285,6.3,84
79,187,5.1,87 63,220,11.5,85 16,7,6.9,74 80,294,8.6,86 108,223,8,85 20,81,8.6,82
52,82,12,86 82,213,7.4,88 50,275,7.4,86 64,253,7.4,83 59,254,9.2,81 39,83,6.9,81
9,24,13.8,81 16,77,7.4,82 122,255,4,89 89,229,10.3,90 110,207,8,90 44,192,11.5,86
28,273,11.5,82 65,157,9.7,80 22,71,10.3,77 59,51,6.3,79 23,115,7.4,76 31,244,10.9,78
44,190,10.3,78 21,259,15.5,77 9,36,14.3,72 45,212,9.7,79 168,238,3.4,81 73,215,8,86
76,203,9.7,97 118,225,2.3,94 84,237,6.3,96 85,188,6.3,94 96,167,6.9,91 78,197,5.1,92
73,183,2.8,93 91,189,4.6,93 47,95,7.4,87 32,92,15.5,84 20,252,10.9,80 23,220,10.3,78
21,230,10.9,75 24,259,9.7,73 44,236,14.9,81 21,259,15.5,76 28,238,6.3,77 9,24,10.9,71
13,112,11.5,71 46,237,6.9,78 18,224,13.8,67 13,27,10.3,76 24,238,10.3,68 16,201,8,82
13,238,12.6,64 23,14,9.2,71 36,139,10.3,81 7,49,10.3,69 14,20,16.6,63 30,193,6.9,70
14,191,14.3,75 18,131,8,76 20,223,11.5,68
"""
table = np.array([[float(cell) for cell in day.split(",")] for day in DAYS.split()])
X = pd.DataFrame(table[:, 1:], columns=["sunshine", "wind", "temperature"])
ozone = table[:, 0]

# %%
# The full model: h(u) is u if u is positive, and 0 otherwise. Each term is a bend at a place that the search found.

model = AdaptiveSplines().fit(X, ozone)
print(model.summary())

# %%
# What each column adds, with the partial residuals of the days. Ozone rises with heat only above 75 °F. Wind clears
# it, but more than 9 mph does not clear more. Sunshine beyond 190 langleys adds nothing.

model.plot(X, ozone)
plt.show()

# %%
# Do columns act together? Degree 2 allows products of bends. Ten-fold cross-validation shows whether they pay off.
# On 111 days they do not.

folds = KFold(10, shuffle=True, random_state=0)
candidates = {
    "a plane": LinearRegression(),
    "bends": AdaptiveSplines(),
    "bends and products": AdaptiveSplines(2),
}
for name, candidate in candidates.items():
    score = cross_val_score(
        candidate, X, ozone, cv=folds, scoring="neg_mean_squared_error"
    )
    print(f"{name:20} root mean square error {np.sqrt(-score.mean()):.1f} ppb")
