-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Size × lifetime: mean bytes of a block by how long it lived, for the types with most frees.
-- :type text % pattern of LIKE
-- :top integer 100 rows
WITH decades AS (
  SELECT bucket, CASE WHEN to_value <= 1000 THEN 1 WHEN to_value <= 1000000 THEN 2 WHEN to_value <= 1000000000 THEN 3 ELSE 4 END AS decade FROM buckets),
sums AS (
  SELECT l.type_id, d.decade, CAST(sum(l.n) AS BIGINT) AS frees, CAST(sum(l.bytes) AS BIGINT) AS bytes
  FROM lifetimes_daily l JOIN decades d ON d.bucket = l.bucket WHERE l.unit = 'ns' GROUP BY l.type_id, d.decade)
SELECT n.alias AS type, CASE s.decade WHEN 1 THEN 'below 1 us' WHEN 2 THEN 'below 1 ms' WHEN 3 THEN 'below 1 s' ELSE '1 s and more' END AS lived,
       s.frees, s.bytes, CAST(floor(s.bytes / s.frees) AS BIGINT) AS bytes_a_block
FROM sums s JOIN type_names n ON n.type_id = s.type_id WHERE n.alias LIKE :type AND s.frees > 0
ORDER BY s.bytes DESC NULLS LAST, s.type_id NULLS LAST, s.decade NULLS LAST LIMIT :top
