"""
Oil in rock: projection pursuit
===============================

How well does oil flow through a piece of rock? For 48 cross-sections we know the area of the pores, their perimeter
and their shape (R's ``rock``). Projection pursuit fits curves along directions, and finds directions and curves
together.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eigenlens.regress import ProjectionPursuit

# area and perimeter of the pores (both in 10,000 pixels), shape, permeability (millidarcies)
ROCK = """
0.499,0.27919,0.09033,6.3 0.7002,0.38926,0.1486,6.3 0.7558,0.393066,0.1833,6.3
0.7352,0.386932,0.1171,6.3 0.7943,0.394854,0.1224,17.1 0.7979,0.401015,0.167,17.1
0.9333,0.434575,0.1897,17.1 0.8209,0.434475,0.1641,17.1 0.8393,0.368204,0.2037,119
0.6425,0.309865,0.1624,119 0.9364,0.448005,0.1509,119 0.8624,0.398624,0.1481,119
1.0651,0.403654,0.2286,82.4 0.8868,0.351804,0.2316,82.4 0.9417,0.399937,0.1726,82.4
0.8874,0.362907,0.1535,82.4 1.0962,0.460866,0.2043,58.6 1.0743,0.478762,0.2627,58.6
1.1878,0.486422,0.2001,58.6 0.9867,0.447941,0.1448,58.6 0.7838,0.342874,0.1139,142
1.1876,0.435314,0.291,142 1.2212,0.469765,0.2401,142 0.8233,0.351844,0.1619,142
0.636,0.197739,0.2809,740 0.4193,0.137935,0.1795,740 0.7416,0.191624,0.1918,740
0.5246,0.158542,0.1331,740 0.6509,0.185121,0.2252,890 0.4895,0.123966,0.3413,890
0.6775,0.172814,0.3116,890 0.7894,0.146106,0.276,890 0.598,0.142676,0.1977,950
0.5318,0.0990388,0.3266,950 0.7392,0.135076,0.1542,950 0.7894,0.146106,0.276,950
0.3469,0.13767,0.177,100 0.1468,0.0476322,0.4387,100 0.3524,0.118946,0.1636,100
0.5267,0.164496,0.2538,100 0.5048,0.0941543,0.3286,1300 0.1016,0.0308642,0.2301,1300
0.5605,0.114569,0.4641,1300 0.8793,0.228049,0.4205,1300 0.3475,0.117411,0.2007,580
0.1651,0.0597808,0.2627,580 0.5514,0.145588,0.1825,580 0.9718,0.148558,0.2004,580
"""
table = np.array([[float(cell) for cell in piece.split(",")] for piece in ROCK.split()])
X = pd.DataFrame(table[:, :3], columns=["area", "perimeter", "shape"])
y = np.log(table[:, 3])

# %%
# How many curves? The residual sum of squares falls most with the second, and less and less with those that follow.

path = ProjectionPursuit(1, max_terms=3, smoother="spline", df=3).fit(X, y).rss_path_
fig, ax = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
ax.plot(list(path), list(path.values()), "o-", color="#2166ac")
ax.set(xlabel="curves", ylabel="residual sum of squares", xticks=list(path))
plt.show()

# %%
# Two curves, each along its direction. The title names the columns that make it up.

model = ProjectionPursuit(2, smoother="spline", df=3).fit(X, y)
model.plot(X, y)
plt.show()
print("R² on the same rows:", round(model.score(X, y), 2))
print(pd.DataFrame(model.directions_, columns=X.columns).round(2).to_string())

# %%
# Forty-eight rows from twelve cores are few, and four rows of a core share one response. Treat the curves as a
# suggestion, not as a law.
