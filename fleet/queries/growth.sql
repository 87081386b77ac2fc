-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types of which a run of one build allocates more bytes than one of another.
-- :old text - build before
-- :new text - build after
-- :top integer 20 rows
WITH runs AS (
  SELECT CAST(sum(CASE WHEN build = :old THEN 1 ELSE 0 END) AS BIGINT) AS old_runs, CAST(sum(CASE WHEN build = :new THEN 1 ELSE 0 END) AS BIGINT) AS new_runs
  FROM processes WHERE build IN (:old, :new)),
sums AS (
  SELECT type_id, CAST(sum(CASE WHEN build = :old THEN allocated_bytes ELSE 0 END) AS BIGINT) AS old_bytes,
         CAST(sum(CASE WHEN build = :new THEN allocated_bytes ELSE 0 END) AS BIGINT) AS new_bytes
  FROM types WHERE build IN (:old, :new) GROUP BY type_id),
means AS (
  SELECT s.type_id, CAST(floor(s.old_bytes / r.old_runs) AS BIGINT) AS old_bytes, CAST(floor(s.new_bytes / r.new_runs) AS BIGINT) AS new_bytes
  FROM sums s CROSS JOIN runs r WHERE r.old_runs > 0 AND r.new_runs > 0)
SELECT n.alias AS type, m.old_bytes AS old_bytes_a_run, m.new_bytes AS new_bytes_a_run, m.new_bytes - m.old_bytes AS growth
FROM means m JOIN type_names n ON n.type_id = m.type_id WHERE m.new_bytes > m.old_bytes
ORDER BY growth DESC NULLS LAST, m.type_id NULLS LAST LIMIT :top
