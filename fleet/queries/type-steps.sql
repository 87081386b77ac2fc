-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types of which a run of some build allocates much more than one of the build before, or which are new: where a regression began.
-- :percent integer 20 growth to show, in percent
-- :bytes integer 65536 and in bytes a run, at least
-- :top integer 20 rows
WITH runs AS (SELECT service, build, min(start_us) AS began, count(*) AS traces FROM processes GROUP BY service, build),
sums AS (SELECT service, build, type_id, CAST(sum(allocated_bytes) AS BIGINT) AS bytes FROM types GROUP BY service, build, type_id),
known AS (SELECT DISTINCT service, type_id FROM sums),
means AS (
  SELECT r.service AS service, r.build AS build, r.began AS began, k.type_id AS type_id, CAST(floor(coalesce(s.bytes, 0) / r.traces) AS BIGINT) AS bytes
  FROM runs r JOIN known k ON k.service = r.service
    LEFT JOIN sums s ON s.service = r.service AND s.build = r.build AND s.type_id = k.type_id),
steps AS (
  SELECT service, build, type_id, bytes, lag(bytes) OVER (PARTITION BY service, type_id ORDER BY began, build) AS before,
    row_number() OVER (PARTITION BY service, type_id ORDER BY began, build) AS nth FROM means)
SELECT s.service, s.build, n.alias AS type, s.before AS bytes_a_run_before, s.bytes AS bytes_a_run, s.bytes - s.before AS growth
FROM steps s JOIN type_names n ON n.type_id = s.type_id
WHERE s.nth > 1 AND s.bytes - s.before >= :bytes AND (s.bytes - s.before) * 100 >= s.before * :percent
ORDER BY growth DESC NULLS LAST, s.service NULLS LAST, s.build NULLS LAST, s.type_id NULLS LAST LIMIT :top
