"""Tables to try things on: some that ship with scikit-learn, and road distances between cities, typed in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from ..arrays.spelling import refused
from .plan import Plan

#: Road distances in kilometres (a public table), the lower triangle, cities in alphabetical order.
CITIES = """
Athens, Barcelona, Brussels, Calais, Cherbourg, Cologne, Copenhagen, Geneva, Gibraltar, Hamburg, Hook of Holland,
Lisbon, Lyons, Madrid, Marseilles, Milan, Munich, Paris, Rome, Stockholm, Vienna
"""
ROADS = """
3313
2963 1318
3175 1326 204
3339 1294 583 460
2762 1498 206 409 785
3276 2218 966 1136 1545 760
2610 803 677 747 853 1662 1418
4485 1172 2256 2224 2047 2436 3196 1975
2977 2018 597 714 1115 460 460 1118 2897
3030 1490 172 330 731 269 269 895 2428 550
4532 1305 2084 2052 1827 2290 2971 1936 676 2671 2280
2753 645 690 739 789 714 1458 158 1817 1159 863 1178
3949 636 1558 1550 1347 1764 2498 1439 698 2198 1730 668 1281
2865 521 1011 1059 1101 1035 1778 425 1693 1479 1183 1762 320 1157
2282 1014 925 1077 1209 911 1537 328 2185 1238 1098 2250 328 1724 618
2179 1365 747 977 1160 583 1104 591 2565 805 851 2507 724 2010 1109 331
3000 1033 285 280 340 465 1176 513 1971 877 457 1799 471 1273 792 856 821
817 1460 1511 1662 1794 1497 2050 995 2631 1751 1683 2700 1048 2097 1011 586 946 1476
3927 2868 1616 1786 2196 1403 650 2068 3886 949 1500 3231 2108 3188 2428 2187 1754 1827 2707
1991 1802 1175 1381 1588 937 1455 1019 2974 1155 1205 2937 1157 2409 1363 898 428 1249 1209 2105
"""

#: Nine cities of the United States, in miles: the table of many courses.
US_CITIES = "Boston, New York, Washington, Miami, Chicago, Seattle, San Francisco, Los Angeles, Denver"
MILES = """
206
429 233
1504 1308 1075
963 802 671 1329
2976 2815 2684 3273 2013
3095 2934 2799 3053 2142 808
2979 2786 2631 2687 2054 1131 379
1949 1771 1616 2037 996 1307 1235 1059
"""

DEMOS = {
    "wine": "178 wines of three growers by 13 measurements (classes)",
    "iris": "150 irises of three kinds by 4 measurements (classes)",
    "digits": "1,797 handwritten digits as 8 × 8 pixels (classes)",
    "cancer": "569 tumours by 30 measurements (classes)",
    "diabetes": "442 patients by 10 measurements, and the progress of the disease (a number)",
    "exercise": "20 men: three exercises against three measures of the body (two sets of columns)",
    "cities": "21 European cities by their distances by road (distances)",
    "us-cities": "9 American cities by their distances by road (distances)",
}


def write_demo(name: str, folder: Path) -> tuple[Path, Plan]:
    """Write a table as CSV into a folder; return its path and what to ask of it."""
    if name not in DEMOS:
        raise refused("demo", name, f"there are {', '.join(DEMOS)}")
    path = folder / f"{name}.csv"
    if name in ("cities", "us-cities"):
        table = _square(CITIES, ROADS) if name == "cities" else _square(US_CITIES, MILES)
        path.write_text(table, encoding="utf8")
        return path, Plan(distances=True, title="Cities by road")
    from sklearn import datasets

    if name == "exercise":
        bunch = datasets.load_linnerud()
        first, second = list(bunch.feature_names), list(bunch.target_names)
        rows = [[*x, *y] for x, y in zip(bunch.data.tolist(), bunch.target.tolist(), strict=True)]
        _write(path, [*first, *second], rows)
        return path, Plan(views=(first, second), title="Exercise and body")
    if name == "diabetes":
        bunch = datasets.load_diabetes(scaled=False)
        rows = [[*x, y] for x, y in zip(bunch.data.tolist(), bunch.target.tolist(), strict=True)]
        _write(path, [*bunch.feature_names, "progression"], rows)
        return path, Plan(target="progression", title="Diabetes")
    loaders: dict[str, Any] = {
        "wine": datasets.load_wine,
        "iris": datasets.load_iris,
        "digits": datasets.load_digits,
        "cancer": datasets.load_breast_cancer,
    }
    bunch = loaders[name]()
    kinds = [str(bunch.target_names[code]) for code in bunch.target]
    _write(path, [*bunch.feature_names, "kind"], [[*x, y] for x, y in zip(bunch.data.tolist(), kinds, strict=True)])
    return path, Plan(target="kind", target_is="classes", title=name.capitalize())


def _write(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def _square(cities: str, triangle: str) -> str:
    names = [name.strip() for name in cities.split(",")]
    n = len(names)
    D = [[0] * n for _ in range(n)]
    for i, line in enumerate(triangle.strip().splitlines(), 1):
        for j, far in enumerate(line.split()):
            D[i][j] = D[j][i] = int(far)
    rows = [",".join(["city", *names])]
    rows += [",".join([city, *map(str, row)]) for city, row in zip(names, D, strict=True)]
    return "\n".join(rows) + "\n"
