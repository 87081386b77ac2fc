-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Places that allocate a type in one build and did not in another, with the bytes that they cost. Moved lines are not new.
-- :old text - build before
-- :new text - build after
-- :top integer 20 rows
WITH places AS (
  SELECT s.build, s.type_id, n.place_id, CAST(sum(s.allocated_bytes) AS BIGINT) AS bytes, CAST(sum(s.allocations) AS BIGINT) AS blocks
  FROM sites s JOIN site_names n ON n.site_id = s.site_id WHERE s.build IN (:old, :new) GROUP BY s.build, s.type_id, n.place_id),
fresh AS (
  SELECT w.type_id, w.place_id, w.bytes, w.blocks
  FROM places w LEFT JOIN places o ON o.build = :old AND o.type_id = w.type_id AND o.place_id = w.place_id
  WHERE w.build = :new AND o.place_id IS NULL)
SELECT p.function, p.file, n.alias AS type, f.bytes, f.blocks
FROM fresh f JOIN place_names p ON p.place_id = f.place_id JOIN type_names n ON n.type_id = f.type_id
ORDER BY f.bytes DESC NULLS LAST, f.place_id NULLS LAST, f.type_id NULLS LAST LIMIT :top
