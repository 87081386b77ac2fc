-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- What each service allocated, and its highest peak.
-- :since text 0000-00-00 first day
-- :until text 9999-99-99 last day
SELECT service, count(*) AS traces, count(DISTINCT host) AS hosts, count(DISTINCT build) AS builds,
       CAST(sum(allocated_bytes) AS BIGINT) AS bytes, CAST(sum(allocations) AS BIGINT) AS blocks, max(peak_live_bytes) AS highest_peak,
       CAST(sum(live_bytes) AS BIGINT) AS live_bytes
FROM processes WHERE date >= :since AND date <= :until GROUP BY service
ORDER BY bytes DESC NULLS LAST, service NULLS LAST
