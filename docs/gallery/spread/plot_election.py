"""
Voters in words and numbers
===========================

A survey of the 1996 election has numbers (age, hours of television, income) and words (party, education, vote). Factor
analysis of mixed data weights each column of words by its number of levels, and puts everything on one map.
"""

import matplotlib.pyplot as plt
import pandas as pd
import statsmodels.api as sm

from eigenlens import MixedPCA

raw = sm.datasets.anes96.load_pandas().data
party = ["strong Democrat", "weak Democrat", "leans Democrat", "independent"]
party += ["leans Republican", "weak Republican", "strong Republican"]
school = [
    "grades",
    "some high school",
    "high school",
    "some college",
    "associate",
    "bachelor",
    "master",
]
voters = pd.DataFrame(
    {
        "age": raw["age"],
        "TV news": raw["TVnews"],
        "income": raw["income"],
        "views": raw["selfLR"],
        "party": pd.Categorical.from_codes(raw["PID"].astype(int), party),
        "education": pd.Categorical.from_codes(raw["educ"].astype(int) - 1, school),
    }
)
vote = pd.DataFrame({"vote": raw["vote"].map({0: "Clinton", 1: "Dole"})})
print(voters.dtypes)

# %%
# One call reads both kinds of columns. The eigenvalues add up to the number of numeric columns plus, for each column of
# words, its levels minus one: 4 + 6 + 6.

famd = MixedPCA(3).fit(voters)
print("eigenvalues:", famd.eigenvalues_.round(2))
print("inertia in all:", round(float(MixedPCA().fit(voters).eigenvalues_.sum()), 6))

# %%
# The map of the words, with the vote placed on it, and the circle of the numbers. Politics runs along one diagonal,
# from strong Democrats to strong Republicans, in the direction of the views. The other runs from little schooling, age
# and television news to degrees and income.

famd.plot(supplementary=famd.supplementary(vote))
plt.show()

# %%
# How strongly is each column related to each axis? Squared correlations for numbers, correlation ratios for words.

shares = pd.DataFrame(famd.eta2_, index=famd.columns_)
shares = pd.concat(
    [pd.DataFrame(famd.numbers_.cos2, index=famd.numbers_.names), shares]
)
shares.columns = ["axis 1", "axis 2", "axis 3"]
print(shares.round(2))
