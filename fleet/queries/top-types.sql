-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types that allocated the most bytes, over all services.
-- :since text 0000-00-00 first day
-- :until text 9999-99-99 last day
-- :top integer 20 rows
WITH sums AS (
  SELECT type_id, count(*) AS traces, CAST(sum(allocations) AS BIGINT) AS blocks, CAST(sum(allocated_bytes) AS BIGINT) AS bytes,
         CAST(sum(live_bytes) AS BIGINT) AS live_bytes, max(peak_live_bytes) AS highest_peak
  FROM types WHERE date >= :since AND date <= :until GROUP BY type_id)
SELECT n.alias AS type, s.bytes, s.blocks, s.live_bytes, s.highest_peak, s.traces
FROM sums s JOIN type_names n ON n.type_id = s.type_id
ORDER BY s.bytes DESC NULLS LAST, s.type_id NULLS LAST LIMIT :top
