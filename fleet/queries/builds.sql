-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Builds of each service: when they ran, how often, and what a run allocated.
SELECT service, build, min(date) AS first_day, max(date) AS last_day, count(*) AS traces,
       CAST(floor(sum(allocated_bytes) / count(*)) AS BIGINT) AS bytes_a_run, CAST(floor(sum(peak_live_bytes) / count(*)) AS BIGINT) AS peak_a_run
FROM processes GROUP BY service, build
ORDER BY service NULLS LAST, first_day NULLS LAST, build NULLS LAST
