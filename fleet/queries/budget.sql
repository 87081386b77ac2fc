-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- What 99 % of the runs of a service keep to, by type: with --format budget a budget for inmem check.
-- :service text % pattern of LIKE
-- :since text 0000-00-00 first day
-- :until text 9999-99-99 last day
-- :percent integer 5 allowance on top of the p99, in percent
-- :top integer 20 types, those with the largest p99 of bytes
WITH runs AS (
  SELECT type_id, allocations, allocated_bytes, peak_live_bytes FROM types WHERE service LIKE :service AND date >= :since AND date <= :until),
ranked AS (
  SELECT type_id, allocations, allocated_bytes, peak_live_bytes, count(*) OVER (PARTITION BY type_id) AS runs,
         row_number() OVER (PARTITION BY type_id ORDER BY allocations) AS by_blocks,
         row_number() OVER (PARTITION BY type_id ORDER BY allocated_bytes) AS by_bytes,
         row_number() OVER (PARTITION BY type_id ORDER BY peak_live_bytes) AS by_peak
  FROM runs),
p99 AS (
  SELECT type_id, min(CASE WHEN by_blocks * 100 >= runs * 99 THEN allocations ELSE NULL END) AS blocks,
         min(CASE WHEN by_bytes * 100 >= runs * 99 THEN allocated_bytes ELSE NULL END) AS bytes,
         min(CASE WHEN by_peak * 100 >= runs * 99 THEN peak_live_bytes ELSE NULL END) AS peak_bytes
  FROM ranked GROUP BY type_id)
SELECT coalesce(n.type, n.alias) AS type, p.blocks + CAST(floor(p.blocks * :percent / 100) AS BIGINT) AS blocks,
       p.bytes + CAST(floor(p.bytes * :percent / 100) AS BIGINT) AS bytes,
       p.peak_bytes + CAST(floor(p.peak_bytes * :percent / 100) AS BIGINT) AS peak_bytes
FROM p99 p JOIN type_names n ON n.type_id = p.type_id
ORDER BY bytes DESC NULLS LAST, p.type_id NULLS LAST LIMIT :top
