-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types that are alive at the end of many runs, on many hosts: leaks, or caches that nobody clears.
-- :hosts integer 1 hosts at least
-- :top integer 20 rows
WITH ends AS (
  SELECT t.type_id, t.service, count(*) AS runs, count(DISTINCT p.host) AS hosts, CAST(sum(t.live_bytes) AS BIGINT) AS live_bytes,
         CAST(sum(t.live_allocations) AS BIGINT) AS live_blocks, CAST(sum(t.allocations) AS BIGINT) AS blocks
  FROM types t JOIN processes p ON p.trace_id = t.trace_id WHERE t.live_bytes > 0 AND p.complete GROUP BY t.type_id, t.service)
SELECT n.alias AS type, e.service, e.hosts, e.runs, CAST(floor(e.live_bytes / e.runs) AS BIGINT) AS live_bytes_a_run, e.live_blocks, e.blocks
FROM ends e JOIN type_names n ON n.type_id = e.type_id WHERE e.hosts >= :hosts
ORDER BY live_bytes_a_run DESC NULLS LAST, e.type_id NULLS LAST, e.service NULLS LAST LIMIT :top
