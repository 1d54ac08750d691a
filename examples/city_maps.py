"""Maps from tables of distances: cities of the United States, and European roads that no map can show.

Run it with a folder for the pictures: `python examples/city_maps.py pictures`. It prints what it finds and draws two
figures.

The first table is nearly Euclidean: its numbers alone give a map, which is aligned with the true places. Roads bend
around seas and mountains, so the second table is far from Euclidean. The example diagnoses it, repairs it in three
ways, and shows what each repair costs. The third part shows that scaling Euclidean distances is principal component
analysis.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from eigenlens import PCA, ClassicalMDS
from eigenlens.distances import Power, cailliez, clip, is_squared_distance, lingoes, procrustes

CITIES = ["Boston", "New York", "Washington", "Miami", "Chicago", "Seattle", "San Francisco", "Los Angeles", "Denver"]

#: Miles between them, as in the lecture notes that this library grew from.
MILES = np.array(
    [
        [0, 206, 429, 1504, 963, 2976, 3095, 2979, 1949],
        [206, 0, 233, 1308, 802, 2815, 2934, 2786, 1771],
        [429, 233, 0, 1075, 671, 2684, 2799, 2631, 1616],
        [1504, 1308, 1075, 0, 1329, 3273, 3053, 2687, 2037],
        [963, 802, 671, 1329, 0, 2013, 2142, 2054, 996],
        [2976, 2815, 2684, 3273, 2013, 0, 808, 1131, 1307],
        [3095, 2934, 2799, 3053, 2142, 808, 0, 379, 1235],
        [2979, 2786, 2631, 2687, 2054, 1131, 379, 0, 1059],
        [1949, 1771, 1616, 2037, 996, 1307, 1235, 1059, 0],
    ],
    dtype=float,
)

#: Latitude north and longitude west, in degrees.
PLACES = np.array(
    [
        [42.36, 71.06],
        [40.71, 74.01],
        [38.91, 77.04],
        [25.76, 80.19],
        [41.88, 87.63],
        [47.61, 122.33],
        [37.77, 122.42],
        [34.05, 118.24],
        [39.74, 104.99],
    ]
)

#: Kilometres by road, below the diagonal (R's eurodist, from The Cambridge Encyclopaedia).
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


def european_roads() -> tuple[list[str], np.ndarray]:
    """Return the names of 21 cities and the distances by road between them."""
    lines = [(line[:16].strip(), line[16:].split()) for line in ROADS.strip("\n").splitlines()]
    D = np.zeros((len(lines), len(lines)))
    for i, (_, numbers) in enumerate(lines):
        D[i, :i] = D[:i, i] = [float(number) for number in numbers]
    return [name for name, _ in lines], D


def on_a_plane(places: np.ndarray, middle: tuple[float, float] = (39.0, 97.0)) -> np.ndarray:
    """Return miles east and north of a middle, on the plane that keeps distances and directions from there."""
    latitude, west = np.radians(places).T
    lat0, west0 = np.radians(middle)
    cosine = np.sin(lat0) * np.sin(latitude) + np.cos(lat0) * np.cos(latitude) * np.cos(west0 - west)
    angle = np.arccos(cosine)
    stretch = 3959 * angle / np.sin(angle)
    east = stretch * np.cos(latitude) * np.sin(west0 - west)
    north = stretch * (np.cos(lat0) * np.sin(latitude) - np.sin(lat0) * np.cos(latitude) * np.cos(west0 - west))
    return np.column_stack([east, north])


def united_states() -> tuple[ClassicalMDS, object]:
    """Map the table of miles and align the map with the true places."""
    mds = ClassicalMDS(metric="precomputed").fit(MILES)
    return mds, procrustes(mds.embedding_, on_a_plane(PLACES))


def repairs() -> list[tuple[str, float, float, float, float]]:
    """Return, for each repair of the road table, what it adds, how far it moves a distance, and how well two axes fit.

    The last two are the share of the first two axes in the positive eigenvalues, and the error with which the map shows
    the roads as they are, relative to them.
    """
    _, D = european_roads()
    pairs = np.triu_indices(len(D), 1)
    made = {
        "none": (D**2, 0.0),
        "clip": clip(D**2),
        "lingoes": lingoes(D**2),
        "cailliez": cailliez(D**2),
        "square roots of distances": (Power(0.5)(D**2), 0.0),
    }
    rows = []
    for name, (D2, constant) in made.items():
        mds = ClassicalMDS(metric="precomputed", squared=True).fit(D2)
        change = np.mean(np.abs(np.sqrt(D2) - D)[pairs]) if "roots" not in name else np.nan
        shown = np.linalg.norm(mds.embedding_[pairs[0]] - mds.embedding_[pairs[1]], axis=1)
        factor = shown @ D[pairs] / (shown @ shown)  # a map may be read at any scale
        error = np.linalg.norm(factor * shown - D[pairs]) / np.linalg.norm(D[pairs])
        rows.append((name, float(constant), float(change), float(mds.goodness_of_fit_[1]), float(error)))
    return rows


def duality(seed: int = 0) -> float:
    """Return the largest difference between principal component scores and the map of Euclidean distances."""
    from scipy.spatial.distance import pdist

    X = np.random.default_rng(seed).standard_normal((60, 5)) * [5, 4, 3, 2, 1]
    scores = PCA(2).fit_transform(X)
    Y = ClassicalMDS(metric="precomputed").fit_transform(pdist(X))
    return float(np.abs(Y * np.sign(np.sum(Y * scores, axis=0)) - scores).max())


def report() -> None:
    """Print the results."""
    mds, laid = united_states()
    print("Nine cities of the United States, from the distances between them")
    print(f"  {is_squared_distance(MILES**2)}")
    print(f"  negative inertia {mds.negative_inertia_:.1%}, two axes show {mds.goodness_of_fit_[1]:.1%} of the rest")
    print(f"  laid onto the true places: off by {laid.residual:.0f} miles (root mean square), scale {laid.scale:.3f}")
    names, D = european_roads()
    roads = ClassicalMDS(metric="precomputed").fit(D)
    print(f"\n{len(names)} European cities, by road")
    print(f"  {is_squared_distance(D**2)}")
    print(f"  negative inertia {roads.negative_inertia_:.1%}, stress of the map {roads.stress_:.3f}")
    print(f"\n  {'repair':28}{'constant':>12}{'mean change':>14}{'two axes':>10}{'error of the map':>18}")
    for name, constant, change, share, error in repairs():
        moved = "    other units" if np.isnan(change) else f"{change:11.0f} km"
        print(f"  {name:28}{constant:12,.0f}{moved:>14}{share:10.1%}{error:18.1%}")
    print(f"\nPCA scores and the map of Euclidean distances differ by {duality():.0e}.")


def draw(folder: Path) -> None:
    """Draw both maps and the Shepard diagram of the roads."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from eigenlens import displays

    folder.mkdir(parents=True, exist_ok=True)
    mds, _ = united_states()
    states = displays.configuration(mds, labels=CITIES, target=on_a_plane(PLACES))
    states.ax_.set(title="The United States from a table of distances", xlabel="miles east", ylabel="miles north")
    names, D = european_roads()
    roads = ClassicalMDS(metric="precomputed").fit(D)
    figure, axes = plt.subplots(1, 2, figsize=(12.5, 5.6), layout="constrained", width_ratios=[1.35, 1])
    displays.configuration(roads, labels=names, ax=axes[0])
    axes[0].set_title("Europe by road")
    displays.shepard(roads, D, ax=axes[1])
    for name, picture in (("united_states", states.figure_), ("european_roads", figure)):
        picture.savefig(folder / f"{name}.png", dpi=110)
        print(f"wrote {folder / name}.png")


def main() -> None:
    """Print and draw."""
    report()
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "pictures"))


if __name__ == "__main__":
    main()
