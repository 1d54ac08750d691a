"""
Who was on the Titanic
======================

Class, sex and age of 2,201 people are words. Multiple correspondence analysis puts the words on a map: words that the
same people have lie together. Survival does not influence the map; it is placed on it afterwards.
"""

import matplotlib.pyplot as plt
import pandas as pd

from eigenlens import MixedPCA

lived = {
    "1st": (5, 1, 57, 140),
    "2nd": (11, 13, 14, 80),
    "3rd": (13, 14, 75, 76),
    "Crew": (0, 0, 192, 20),
}
died = {
    "1st": (0, 0, 118, 4),
    "2nd": (0, 0, 154, 13),
    "3rd": (35, 17, 387, 89),
    "Crew": (0, 0, 670, 3),
}
groups = [
    ("Male", "Child"),
    ("Female", "Child"),
    ("Male", "Adult"),
    ("Female", "Adult"),
]
people = pd.DataFrame(
    [
        (of_class, sex, age, survived, count)
        for survived, table in (("survived", lived), ("died", died))
        for of_class, counts in table.items()
        for (sex, age), count in zip(groups, counts, strict=True)
        if count
    ],
    columns=["class", "sex", "age", "fate", "count"],
)
print(f"{people['count'].sum():,} people in {len(people)} kinds of rows")

# %%
# A row of weight 35 counts 35 times. The plain shares of inertia look small, as they always do for words; Benzécri's
# and Greenacre's adjusted shares are fairer.

words = people[["class", "sex", "age"]]
mca = MixedPCA(2).fit(words, sample_weight=people["count"])
print("shares:", mca.explained_variance_ratio_.round(2))
print("adjusted (Benzécri, Greenacre):")
print(mca.adjusted_inertia_.round(2))

# %%
# The map. The squares show who survived: survivors lie towards women, children and the first class. The test values
# show how far from the centre chance could have put them.

fate = mca.supplementary(people[["fate"]])
mca.plot(words, supplementary=fate)
plt.show()
for name, values in zip(fate.names, fate.categories.test_values, strict=True):
    print(
        f"{name}: {values[0]:+.1f} and {values[1]:+.1f} standard deviations from chance"
    )

# %%
# Which words make which axis? Contributions add up to 1 on each axis.

print(mca.categories_.to_frame()["contribution"].round(2))
