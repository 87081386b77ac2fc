-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Who frees the blocks of whom (traces with frees=on).
-- :top integer 20 rows
WITH sums AS (
  SELECT f.type_id, s.place_id, f.free_place_id, CAST(sum(f.frees) AS BIGINT) AS frees, CAST(sum(f.freed_bytes) AS BIGINT) AS bytes,
         CAST(sum(CASE WHEN f.allocated_in <> f.freed_in THEN f.frees ELSE 0 END) AS BIGINT) AS in_another_thread
  FROM frees f JOIN site_names s ON s.site_id = f.site_id GROUP BY f.type_id, s.place_id, f.free_place_id)
SELECT n.alias AS type, a.function AS allocated_by, b.function AS freed_by, s.frees, s.bytes, s.in_another_thread
FROM sums s JOIN type_names n ON n.type_id = s.type_id JOIN place_names a ON a.place_id = s.place_id LEFT JOIN place_names b ON b.place_id = s.free_place_id
ORDER BY s.bytes DESC NULLS LAST, s.type_id NULLS LAST, s.place_id NULLS LAST, s.free_place_id NULLS LAST LIMIT :top
