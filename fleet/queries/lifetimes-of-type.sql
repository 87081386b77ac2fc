-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- How long blocks of a type live: a histogram over all traces.
-- :type text - name as reports show it, or a pattern of LIKE
WITH merged AS (
  SELECT d.bucket, CAST(sum(d.n) AS BIGINT) AS n, CAST(sum(d.bytes) AS BIGINT) AS bytes
  FROM lifetimes_daily d JOIN type_names t ON t.type_id = d.type_id WHERE t.alias LIKE :type AND d.unit = 'ns' GROUP BY d.bucket)
SELECT b.from_value AS from_ns, b.to_value AS to_ns, m.n AS frees, m.bytes FROM merged m JOIN buckets b ON b.bucket = m.bucket
ORDER BY m.bucket NULLS LAST
