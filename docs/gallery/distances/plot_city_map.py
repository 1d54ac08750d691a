"""
A map from a table of distances
===============================

We have nine cities and the miles between them, but no coordinates. Classical scaling finds a map. Aligned with the
true places, it is off by about 50 miles in a country 2,700 miles wide.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import ClassicalMDS, displays
from eigenlens.distances import is_squared_distance, procrustes

cities = [
    "Boston",
    "New York",
    "Washington",
    "Miami",
    "Chicago",
    "Seattle",
    "San Francisco",
    "Los Angeles",
    "Denver",
]
# pairs i < j, row by row
MILES = """
206 429 1504 963 2976 3095 2979 1949 233 1308 802 2815 2934 2786 1771 1075 671 2684
2799 2631 1616 1329 3273 3053 2687 2037 2013 2142 2054 996 808 1131 1307 379 1235 1059
"""
miles = [int(distance) for distance in MILES.split()]
latitude = np.radians([42.36, 40.71, 38.91, 25.76, 41.88, 47.61, 37.77, 34.05, 39.74])
longitude = -np.radians(
    [71.06, 74.01, 77.04, 80.19, 87.63, 122.33, 122.42, 118.24, 104.99]
)

# %%
# The true places, in miles east and north of the middle of the country (a projection that keeps distances from
# there).

lat0, lon0 = np.radians(39), -np.radians(97)
cosine = np.sin(lat0) * np.sin(latitude) + np.cos(lat0) * np.cos(latitude) * np.cos(
    longitude - lon0
)
stretch = 3959 * np.arccos(cosine) / np.sin(np.arccos(cosine))
east = stretch * np.cos(latitude) * np.sin(longitude - lon0)
north = stretch * (
    np.cos(lat0) * np.sin(latitude)
    - np.sin(lat0) * np.cos(latitude) * np.cos(longitude - lon0)
)
places = np.column_stack([east, north])

# %%
# Distances determine a map only up to rotation and reflection. ``procrustes`` aligns it with the places, and the
# display draws both.

mds = ClassicalMDS(metric="precomputed").fit(miles)
laid = procrustes(mds.embedding_, places)
print(f"off by {laid.residual:.0f} miles (root mean square)")
display = displays.configuration(mds, labels=cities, target=places)
display.ax_.set(
    title="The United States from a table of distances",
    xlabel="miles east",
    ylabel="miles north",
)
plt.show()

# %%
# Can any flat map show these distances exactly? The test says no, and gives a number. The Shepard diagram compares
# the distances with those of the map: here the damage is small.

table = np.zeros((9, 9))
table[np.triu_indices(9, 1)] = miles
print(is_squared_distance((table + table.T) ** 2))
displays.shepard(mds, miles)
plt.show()

# %%
# The eigenvalues behind the map: two are large, as on a flat map. Three are below zero, which no points in any space
# have: roads bend.

displays.scree(mds)
plt.show()
