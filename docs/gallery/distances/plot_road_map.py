"""
Roads that no map can show, and three repairs
=============================================

Roads bend around seas and mountains. The road distances between 21 European cities fit into no Euclidean space of any
dimension. There are several ways to repair the table, and each has a price.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import ClassicalMDS, displays
from eigenlens.distances import is_squared_distance

# kilometres by road (R's eurodist, from The Cambridge Encyclopaedia)
ROADS = """
Athens
Barcelona       3313
Brussels        2963 1318
Calais          3175 1326  204
Cherbourg       3339 1294  583  460
Cologne         2762 1498  206  409  785
Copenhagen      3276 2218  966 1136 1545  760
Geneva          2610  803  677  747  853 1662 1418
Gibraltar       4485 1172 2256 2224 2047 2436 3196 1975
Hamburg         2977 2018  597  714 1115  460  460 1118 2897
Hook of Holland 3030 1490  172  330  731  269  269  895 2428  550
Lisbon          4532 1305 2084 2052 1827 2290 2971 1936  676 2671 2280
Lyons           2753  645  690  739  789  714 1458  158 1817 1159  863 1178
Madrid          3949  636 1558 1550 1347 1764 2498 1439  698 2198 1730  668 1281
Marseilles      2865  521 1011 1059 1101 1035 1778  425 1693 1479 1183 1762  320 1157
Milan           2282 1014  925 1077 1209  911 1537  328 2185 1238 1098 2250  328 1724  618
Munich          2179 1365  747  977 1160  583 1104  591 2565  805  851 2507  724 2010 1109  331
Paris           3000 1033  285  280  340  465 1176  513 1971  877  457 1799  471 1273  792  856  821
Rome             817 1460 1511 1662 1794 1497 2050  995 2631 1751 1683 2700 1048 2097 1011  586  946 1476
Stockholm       3927 2868 1616 1786 2196 1403  650 2068 3886  949 1500 3231 2108 3188 2428 2187 1754 1827 2707
Vienna          1991 1802 1175 1381 1588  937 1455 1019 2974 1155 1205 2937 1157 2409 1363  898  428 1249 1209 2105
"""
lines = [
    (line[:16].strip(), line[16:].split()) for line in ROADS.strip("\n").splitlines()
]
cities = [name for name, _ in lines]
D = np.zeros((len(lines), len(lines)))
for i, (_, numbers) in enumerate(lines):
    D[i, :i] = D[:i, i] = [float(number) for number in numbers]

# %%
# The map, and how far the distances in it are from those in the table.

mds = ClassicalMDS(metric="precomputed").fit(D)
fig, axes = plt.subplots(
    1, 2, figsize=(12.5, 5.4), layout="constrained", width_ratios=[1.35, 1]
)
displays.configuration(mds, labels=cities, ax=axes[0])
displays.shepard(mds, D, ax=axes[1])
plt.show()

# %%
# The evidence: a negative eigenvalue, and its share of the whole.

print(is_squared_distance(D**2))
print(f"negative inertia: {mds.negative_inertia_:.1%}")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
displays.scree(mds, ax=ax)
ax.set(title="Red axes cannot be drawn")
plt.show()

# %%
# Two repairs make the table Euclidean by adding the smallest possible constant, either to the squared distances
# (Lingoes) or to the distances (Cailliez). The constants are so large that all cities end up about equally far from
# each other, and two axes then show only half of the table.

for correction in (None, "lingoes", "cailliez"):
    fixed = ClassicalMDS(metric="precomputed", correction=correction).fit(D)
    constant, share = fixed.additive_constant_ or 0, fixed.goodness_of_fit_[1]
    print(f"{correction!s:10} constant {constant:12,.0f}   two axes show {share:.0%}")

# %%
# Here the plain map, with its negative inertia stated, is the better answer.
