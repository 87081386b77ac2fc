# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stored questions say nothing that DuckDB and Spark understand differently, or only one of them."""
import re

# What differs, and what to write in its place.
DIFFERENT = [
    (r"\bsum\s*\((?:[^()]|\([^()]*\))*\)(?!\s*(?:OVER\b|AS\s+BIGINT\b|/|\)\s*/))", "sum() of BIGINT is wider in DuckDB: CAST(sum(x) AS BIGINT)"),
    (r"\b(?:ASC|DESC)\b(?!\s+NULLS\s+LAST)", "nulls come first in Spark: NULLS LAST"),
    (r"\b(?:unnest|explode|element_at|list_\w+|array_agg|array)\s*\(|\[", "lists differ: none in stored questions"),
    (r"\b(?:quantile\w*|approx_\w+|median|percentile\w*)\s*\(", "approximations differ: take buckets of lifetimes"),
    (r"\b(?:arg_max|arg_min)\s*\(", "max_by, min_by"),
    (r"\bregexp_(?:matches|like)\s*\(|\bRLIKE\b|\bSIMILAR\s+TO\b|\bGLOB\b|~", "LIKE, or regexp_extract(…) <> ''"),
    (r"//|\bDIV\b", "floor(a / b)"),
    (r"\bgenerate_series\s*\(", "range()"),
    (r"\bASOF\b|\bEXCLUDE\b|\bPIVOT\b|\bPOSITIONAL\b", "only DuckDB has it"),
    (r"\$\w+|\?", "parameters are :name"),
    (r"\bINTERVAL\b", "a date less an interval is a timestamp in DuckDB"),
    (r'"', 'names in " are texts in Spark'),
]


def without_texts(line):
    return re.sub(r"'(?:[^']|'')*'", lambda found: "'" + "x" * (len(found[0]) - 2) + "'", line)


def order_items(sql):
    """Yields (offset, item) of each part of an ORDER BY outside a window."""
    for found in re.finditer(r"^ORDER BY (.*?)(?:\bLIMIT\b|\Z)", sql, re.M | re.S):
        yield from ((found.start(), item.strip()) for item in found[1].split(","))


def check(tree, _fix):
    for file in tree.matching("fleet/queries/*.sql"):
        lines = [without_texts(line) if not line.startswith("--") else "" for line in tree.lines(file)]
        for number, line in enumerate(lines, 1):
            for pattern, instead in DIFFERENT:
                if re.search(pattern, line, re.I):
                    yield f"{file}:{number}: DuckDB and Spark differ: {instead}"
        sql = "\n".join(lines)
        items = list(order_items(sql))
        if not items:
            yield f"{file}:1: no ORDER BY at the start of a line: rows have no order"
        for offset, item in items:
            if not item.endswith("NULLS LAST"):
                yield f"{file}:{sql.count(chr(10), 0, offset) + 1}: nulls come first in Spark: {item} NULLS LAST"
