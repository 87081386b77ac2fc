-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- How long 99 % of the blocks of each type live at most, by build.
-- :type text % pattern of LIKE
-- :top integer 50 rows
WITH merged AS (
  SELECT build, type_id, bucket, CAST(sum(n) AS BIGINT) AS n FROM lifetimes_daily WHERE unit = 'ns' GROUP BY build, type_id, bucket),
added AS (
  SELECT build, type_id, bucket, CAST(sum(n) OVER (PARTITION BY build, type_id ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto,
         CAST(sum(n) OVER (PARTITION BY build, type_id) AS BIGINT) AS total
  FROM merged),
p99 AS (SELECT build, type_id, max(total) AS frees, min(bucket) AS bucket FROM added WHERE upto * 100 >= total * 99 GROUP BY build, type_id)
SELECT n.alias AS type, p.build, p.frees, b.to_value AS p99_ns
FROM p99 p JOIN type_names n ON n.type_id = p.type_id JOIN buckets b ON b.bucket = p.bucket
WHERE n.alias LIKE :type
ORDER BY p.frees DESC NULLS LAST, p.type_id NULLS LAST, p.build NULLS LAST LIMIT :top
