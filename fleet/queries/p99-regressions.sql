-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types whose p99 of lifetimes rose from one build to another.
-- :old text - build before
-- :new text - build after
-- :times integer 2 as often at least
-- :frees integer 100 blocks that were freed, at least
-- :top integer 20 rows
WITH merged AS (
  SELECT build, type_id, bucket, CAST(sum(n) AS BIGINT) AS n FROM lifetimes_daily WHERE unit = 'ns' AND build IN (:old, :new) GROUP BY build, type_id, bucket),
added AS (
  SELECT build, type_id, bucket, CAST(sum(n) OVER (PARTITION BY build, type_id ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto,
         CAST(sum(n) OVER (PARTITION BY build, type_id) AS BIGINT) AS total
  FROM merged),
p99 AS (SELECT build, type_id, max(total) AS frees, min(bucket) AS bucket FROM added WHERE upto * 100 >= total * 99 GROUP BY build, type_id)
SELECT n.alias AS type, a.to_value AS old_p99_ns, b.to_value AS new_p99_ns, o.frees AS old_frees, w.frees AS new_frees
FROM p99 o JOIN p99 w ON w.type_id = o.type_id JOIN type_names n ON n.type_id = o.type_id
  JOIN buckets a ON a.bucket = o.bucket JOIN buckets b ON b.bucket = w.bucket
WHERE o.build = :old AND w.build = :new AND o.frees >= :frees AND w.frees >= :frees AND b.to_value >= a.to_value * :times
ORDER BY b.to_value - a.to_value DESC NULLS LAST, o.type_id NULLS LAST LIMIT :top
