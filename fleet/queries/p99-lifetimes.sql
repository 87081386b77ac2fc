-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- How long 99 % of the blocks of each type live at most, by build.
-- :type text % pattern of LIKE
-- :top integer 50 rows
WITH chosen AS (
  SELECT t.build, t.type_id, n.alias AS type, t.frees
  FROM (SELECT build, type_id, CAST(sum(n) AS BIGINT) AS frees FROM lifetimes_daily WHERE unit = 'ns' GROUP BY build, type_id) t
  JOIN type_names n ON n.type_id = t.type_id
  WHERE n.alias LIKE :type
  ORDER BY t.frees DESC NULLS LAST, t.type_id NULLS LAST, t.build NULLS LAST LIMIT :top),
merged AS (
  SELECT c.build AS build, c.type_id AS type_id, l.bucket AS bucket, max(c.frees) AS frees, CAST(sum(l.n) AS BIGINT) AS n
  FROM lifetimes_daily l JOIN chosen c ON c.build = l.build AND c.type_id = l.type_id
  WHERE l.unit = 'ns' GROUP BY c.build, c.type_id, l.bucket),
added AS (
  SELECT build, type_id, bucket, frees, CAST(sum(n) OVER (PARTITION BY build, type_id ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto
  FROM merged),
p99 AS (SELECT build, type_id, min(bucket) AS bucket FROM added WHERE upto * 100 >= frees * 99 GROUP BY build, type_id)
SELECT c.type, c.build AS build, c.frees, b.to_value AS p99_ns
FROM chosen c JOIN p99 p ON p.build = c.build AND p.type_id = c.type_id JOIN buckets b ON b.bucket = p.bucket
ORDER BY c.frees DESC NULLS LAST, c.type_id NULLS LAST, c.build NULLS LAST LIMIT :top
