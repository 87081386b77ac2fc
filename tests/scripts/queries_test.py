#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of SQL that DuckDB and Spark understand differently."""
import unittest

import checks_of_lint

queries = checks_of_lint.load("queries")


class MadeUpTree:
    def __init__(self, sql):
        self.sql = sql

    def matching(self, *_patterns):
        return ["q.sql"]

    def lines(self, _file):
        return self.sql.split("\n")


def findings(sql):
    return list(queries.check(MadeUpTree(sql), False))


class Queries(unittest.TestCase):
    def test_what_both_understand(self):
        self.assertEqual(findings("-- Help. [x] \"y\"\nSELECT a, CAST(sum(b) AS BIGINT) AS b FROM t WHERE c LIKE '[\"~?' GROUP BY a\n"
                                  "ORDER BY b DESC NULLS LAST, a NULLS LAST LIMIT :top"), [])
        self.assertEqual(findings("SELECT floor(sum(b) / count(*)), sum(n) OVER (ORDER BY x) FROM t\nORDER BY a NULLS LAST"), [])

    def test_what_differs(self):
        for bad in ("sum(b)", "x[1]", "quantile_cont(x, 0.5)", "arg_max(a, b)", "a // b", "regexp_matches(a, 'b')", "unnest(l)", "$top",
                    '"a"', "d - INTERVAL 1 DAY"):
            found = findings(f"SELECT {bad} FROM t\nORDER BY a NULLS LAST")
            self.assertEqual(len(found), 1, (bad, found))
            self.assertTrue(found[0].startswith("q.sql:1: DuckDB and Spark differ: "), found)

    def test_order(self):
        self.assertEqual(findings("SELECT a FROM t\nORDER BY a"), ["q.sql:2: nulls come first in Spark: a NULLS LAST"])
        self.assertEqual(findings("SELECT a FROM t"), ["q.sql:1: no ORDER BY at the start of a line: rows have no order"])


if __name__ == "__main__":
    unittest.main()
