-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Bytes that a run of each build allocates, and the change from the build before, by service: where a regression began.
-- :service text % pattern of LIKE
WITH runs AS (
  SELECT service, build, min(start_us) AS began, count(*) AS traces, CAST(floor(sum(allocated_bytes) / count(*)) AS BIGINT) AS bytes,
         CAST(floor(sum(peak_live_bytes) / count(*)) AS BIGINT) AS peak
  FROM processes WHERE service LIKE :service GROUP BY service, build),
steps AS (
  SELECT service, build, began, traces, bytes, peak, lag(bytes) OVER (PARTITION BY service ORDER BY began, build) AS before FROM runs)
SELECT service, build, traces, bytes AS bytes_a_run, bytes - before AS change, CASE WHEN before > 0 THEN CAST(round(CAST(100 * (bytes - before) AS DOUBLE) / before) AS BIGINT) END AS percent,
       peak AS peak_a_run
FROM steps ORDER BY service NULLS LAST, began NULLS LAST, build NULLS LAST
