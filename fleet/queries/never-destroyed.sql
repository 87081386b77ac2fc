-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Classes of which objects are alive at the end of runs.
-- :top integer 20 rows
WITH sums AS (
  SELECT type_id, count(*) AS traces, CAST(sum(alive) AS BIGINT) AS still_alive, CAST(sum(constructed) AS BIGINT) AS constructed
  FROM objects WHERE alive > 0 GROUP BY type_id)
SELECT n.alias AS type, s.still_alive AS alive, s.constructed, s.traces FROM sums s JOIN type_names n ON n.type_id = s.type_id
ORDER BY s.still_alive DESC NULLS LAST, s.type_id NULLS LAST LIMIT :top
