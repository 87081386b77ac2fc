-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Classes whose objects are copied most.
-- :top integer 20 rows
WITH sums AS (
  SELECT type_id, count(*) AS traces, CAST(sum(constructed) AS BIGINT) AS constructed, CAST(sum(copied) AS BIGINT) AS copied,
         CAST(sum(moved) AS BIGINT) AS moved
  FROM objects GROUP BY type_id)
SELECT n.alias AS type, s.copied, s.moved, s.constructed, s.traces
FROM sums s JOIN type_names n ON n.type_id = s.type_id WHERE s.copied > 0
ORDER BY s.copied DESC NULLS LAST, s.type_id NULLS LAST LIMIT :top
