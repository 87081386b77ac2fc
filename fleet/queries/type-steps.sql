-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types of which a run of some build allocates much more than one of the build before: the build, the type, the growth.
-- :percent integer 20 growth to show, in percent
-- :bytes integer 65536 and in bytes a run, at least
-- :top integer 20 rows
WITH runs AS (SELECT service, build, min(start_us) AS began, count(*) AS traces FROM processes GROUP BY service, build),
means AS (
  SELECT t.service, t.build, t.type_id, r.began, CAST(floor(sum(t.allocated_bytes) / max(r.traces)) AS BIGINT) AS bytes
  FROM types t JOIN runs r ON r.service = t.service AND r.build = t.build GROUP BY t.service, t.build, t.type_id, r.began),
steps AS (
  SELECT service, build, type_id, began, bytes, lag(bytes) OVER (PARTITION BY service, type_id ORDER BY began, build) AS before FROM means)
SELECT s.service, s.build, n.alias AS type, s.before AS bytes_a_run_before, s.bytes AS bytes_a_run, s.bytes - s.before AS growth
FROM steps s JOIN type_names n ON n.type_id = s.type_id
WHERE s.bytes - s.before >= :bytes AND (s.bytes - s.before) * 100 >= s.before * :percent
ORDER BY growth DESC NULLS LAST, s.service NULLS LAST, s.build NULLS LAST, s.type_id NULLS LAST LIMIT :top
