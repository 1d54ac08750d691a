"""Give DuckDB and SQLite queries of every kind: types, statements that write, errors in late rows, no names, no rows.

    python benchmarks/stress_queries.py

A query is fitted with PCA(1). It must end in an answer or in an error of ours, leave the database as it was to the last
bit, and make no file.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import duckdb

from eigenlens import PCA, open_rows

TYPES = (
    "a::HUGEINT", "a::DECIMAL(18,3)", "a::DECIMAL(38,10)", "(a > 5)", "DATE '2020-01-01'", "TIMESTAMP '2020-01-01'",
    "now()", "INTERVAL 1 DAY", "'x'::BLOB", "uuid()", "(CASE WHEN a > 5 THEN 'x' ELSE 'y' END)::ENUM('x', 'y')",
    "[a, b]", "{'x': a}", "MAP{'k': a}", "union_value(n := a)", "'101'::BIT", "NULL", "18446744073709551615::UBIGINT",
    "a::FLOAT", "c::UTINYINT", "array_value(a, b)", "TIME '12:00'", "'nan'::DOUBLE", "'inf'::DOUBLE", "1::UHUGEINT",
    "170141183460469231731687303715884105727::HUGEINT", "1 / 0", "w",
)  # fmt: skip
BOTH = (
    "select a, b from t where a < 0", "select a, a from t", "select a + 1, b * 2 from t",
    'select a as "x;y\'z", b as "é\n" from t', "insert into t values (1, 2, 3, 'x')", "drop table t", "delete from t",
    "select a, b from t; drop table t", "drop table t; select a, b from t", "create table u as select 1",
    "update t set a = 0 returning a, b", "insert into t values (1, 2, 3, 'x') returning a, b", "vacuum", "-- nothing",
    ";", "   ", "select a, b from t;", "with q as (select a, b from t) select * from q", "values (1, 2.5), (3, 4.5)",
    "select random() a, random() b from t", "select * from nope", "select nope from t", "select a, w from t",
    "select a, b from t where a > ?", "select a, b from t order by random()", "select a, b from t limit 1",
    "select a\0, b from t", "begin; select a, b from t", "pragma database_list", "explain select a from t",
    "with recursive q(a, b) as (select 1e0, 2e0 union all select a + 1, b * 1.1 from q where a < 500) select * from q",
    "select " + ", ".join(f"a * {i} as c{i}" for i in range(2000)) + " from t limit 50",
)  # fmt: skip
IN_DUCKDB = (
    *(f"select a, b, {cell} as z from t" for cell in TYPES), *BOTH, "copy (select a from t) to 'out.csv'",
    "export database 'out'", "attach 'new.db'", "set threads = 1", "show tables", "describe t", "checkpoint", "from t",
    "pivot t on c using count(*)", "call range(10)", "install httpfs", "load httpfs",
    "select a, b from t using sample 100", "select * from read_csv('/etc/passwd')",
    "select a, case when a > 900 then error('late')::double else b end as b from t",
    "select a, case when a > 900 then w::double else b end as b from t",
)  # fmt: skip
IN_SQLITE = (
    *BOTH, "attach database 'new.db' as n", "vacuum into 'copy.db'", "select load_extension('x') a",
    "select case when a > 900 then w else a end a, b from t", "select x'00ff' a, b from t",
    "select 9223372036854775807 a, b from t", "select 1e999 a, b from t", "select null a, b from t",
)  # fmt: skip
ROWS = [(float(i), i * 0.37 % 1, i * 7 % 13, f"w{i}") for i in range(1000)]
TABLE = "create table t (a double, b double, c integer, w text)"


def outcome(url: str, query: str) -> str:
    try:
        PCA(1).fit(open_rows(url, query=query))
    except (ValueError, OSError) as error:
        ours = type(error).__module__.startswith("eigenlens")
        return "refused" if ours else f"raw {type(error).__name__}: {query!r}"
    except Exception as error:
        ours = type(error).__module__.startswith("eigenlens")
        return "refused" if ours else f"raw {type(error).__name__}: {query!r}"
    return "answered"


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with duckdb.connect("a.duckdb") as made, sqlite3.connect("a.sqlite") as light:
            for database in (made, light):
                database.execute(TABLE)
                database.executemany("insert into t values (?, ?, ?, ?)", ROWS)
        for scheme, queries in (("duckdb", IN_DUCKDB), ("sqlite", IN_SQLITE)):
            path, counts = Path(f"a.{scheme}"), Counter()
            before = hashlib.sha256(path.read_bytes()).hexdigest(), set(os.listdir())
            for query in queries:
                counts[outcome(f"{scheme}:///{path}", query)] += 1
                now = hashlib.sha256(path.read_bytes()).hexdigest(), set(os.listdir())
                if now != before:
                    print(f"{query!r} changed the database, or made {now[1] - before[1]}")
                    before = now
            print(f"{scheme}: {len(queries)} queries, {dict(counts)}", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
