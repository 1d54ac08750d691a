"""
Why units matter: arrests in the United States
==============================================

Four numbers describe each of the 50 states in 1973: arrests for murder, assault and rape per 100,000 residents, and
the percentage of people who live in towns. Assault has the largest numbers. Unless you scale the columns, it is the
whole answer.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eigenlens import PCA

ARRESTS = """
Alabama         13.2  236  58  21.2
Alaska            10  263  48  44.5
Arizona          8.1  294  80    31
Arkansas         8.8  190  50  19.5
California         9  276  91  40.6
Colorado         7.9  204  78  38.7
Connecticut      3.3  110  77  11.1
Delaware         5.9  238  72  15.8
Florida         15.4  335  80  31.9
Georgia         17.4  211  60  25.8
Hawaii           5.3   46  83  20.2
Idaho            2.6  120  54  14.2
Illinois        10.4  249  83    24
Indiana          7.2  113  65    21
Iowa             2.2   56  57  11.3
Kansas             6  115  66    18
Kentucky         9.7  109  52  16.3
Louisiana       15.4  249  66  22.2
Maine            2.1   83  51   7.8
Maryland        11.3  300  67  27.8
Massachusetts    4.4  149  85  16.3
Michigan        12.1  255  74  35.1
Minnesota        2.7   72  66  14.9
Mississippi     16.1  259  44  17.1
Missouri           9  178  70  28.2
Montana            6  109  53  16.4
Nebraska         4.3  102  62  16.5
Nevada          12.2  252  81    46
New Hampshire    2.1   57  56   9.5
New Jersey       7.4  159  89  18.8
New Mexico      11.4  285  70  32.1
New York        11.1  254  86  26.1
North Carolina    13  337  45  16.1
North Dakota     0.8   45  44   7.3
Ohio             7.3  120  75  21.4
Oklahoma         6.6  151  68    20
Oregon           4.9  159  67  29.3
Pennsylvania     6.3  106  72  14.9
Rhode Island     3.4  174  87   8.3
South Carolina  14.4  279  48  22.5
South Dakota     3.8   86  45  12.8
Tennessee       13.2  188  59  26.9
Texas           12.7  201  80  25.5
Utah             3.2  120  80  22.9
Vermont          2.2   48  32  11.2
Virginia         8.5  156  63  20.7
Washington         4  145  73  26.2
West Virginia    5.7   81  39   9.3
Wisconsin        2.6   53  66  10.8
Wyoming          6.8  161  60  15.6
"""

lines = [
    (line[:15].strip(), [float(cell) for cell in line[15:].split()])
    for line in ARRESTS.strip().splitlines()
]
states, X = [name for name, _ in lines], np.array([numbers for _, numbers in lines])
columns = ["murder", "assault", "town", "rape"]

# %%
# Raw columns first. The first component is almost assault alone, because a column in large units has a large
# variance; a warning tells you. The scaled columns show more: the three kinds of arrest move together, and towns are a
# direction of their own.

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    raw = PCA().fit(X)
print(told[0].message)
fair = PCA(scale=True).fit(X)
for name, pca in (("raw", raw), ("scaled", fair)):
    print(
        f"{name:7} first component",
        dict(zip(columns, pca.components_[0].round(2).tolist(), strict=True)),
    )
    print(f"{'':7} shares of the variance", pca.explained_variance_ratio_.round(3))

# %%
# The biplot shows states as points and columns as arrows. A state lies far along an arrow if its number is high
# there.

table = pd.DataFrame(X, index=states, columns=columns)
fair = PCA(scale=True).fit(table)
fig, ax = plt.subplots(figsize=(9, 7), layout="constrained")
fair.plot(table, ax=ax)
ax.set_title("Fifty states, four columns")
plt.show()

# %%
# How many of the four directions do the rows show? The test counts those that columns share, beyond their own noise.

test = fair.test_dimension()
print(test)
print(test.to_frame().head(2).round(3).to_string())
