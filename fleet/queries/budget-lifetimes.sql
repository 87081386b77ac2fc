-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- How long 99 % of the blocks of a type live at most, over all runs of a service: with --format budget a budget for inmem check.
-- :service text % pattern of LIKE
-- :since text 0000-00-00 first day
-- :until text 9999-99-99 last day
-- :percent integer 50 allowance on top of the p99, in percent
-- :frees integer 1000 blocks that were freed, at least
-- :top integer 20 types, those with the most frees
WITH merged AS (
  SELECT type_id, bucket, CAST(sum(n) AS BIGINT) AS n FROM lifetimes_daily
  WHERE unit = 'ns' AND service LIKE :service AND date >= :since AND date <= :until GROUP BY type_id, bucket),
added AS (
  SELECT type_id, bucket, CAST(sum(n) OVER (PARTITION BY type_id ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto,
         CAST(sum(n) OVER (PARTITION BY type_id) AS BIGINT) AS total
  FROM merged),
p99 AS (SELECT type_id, max(total) AS frees, min(bucket) AS bucket FROM added WHERE upto * 100 >= total * 99 GROUP BY type_id)
SELECT coalesce(n.type, n.alias) AS type, b.to_value + CAST(floor(b.to_value * :percent / 100) AS BIGINT) AS lifetime_p99
FROM p99 p JOIN type_names n ON n.type_id = p.type_id JOIN buckets b ON b.bucket = p.bucket
WHERE p.frees >= :frees
ORDER BY p.frees DESC NULLS LAST, p.type_id NULLS LAST LIMIT :top
