-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Places in the code that allocated the most bytes, over all services.
-- :since text 0000-00-00 first day
-- :until text 9999-99-99 last day
-- :top integer 20 rows
WITH sums AS (
  SELECT n.place_id, s.type_id, count(*) AS sites, CAST(sum(s.allocations) AS BIGINT) AS blocks, CAST(sum(s.allocated_bytes) AS BIGINT) AS bytes
  FROM sites s JOIN site_names n ON n.site_id = s.site_id WHERE s.date >= :since AND s.date <= :until GROUP BY n.place_id, s.type_id)
SELECT p.function, p.file, n.alias AS type, s.bytes, s.blocks
FROM sums s JOIN place_names p ON p.place_id = s.place_id JOIN type_names n ON n.type_id = s.type_id
ORDER BY s.bytes DESC NULLS LAST, s.place_id NULLS LAST, s.type_id NULLS LAST LIMIT :top
