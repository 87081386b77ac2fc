-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Hosts whose runs of a service allocate more than those of all hosts do.
-- :percent integer 20 more than the mean, in percent
-- :top integer 20 rows
WITH hosts AS (
  SELECT service, host, count(*) AS traces, CAST(floor(sum(allocated_bytes) / count(*)) AS BIGINT) AS bytes FROM processes GROUP BY service, host),
services AS (SELECT service, CAST(floor(sum(allocated_bytes) / count(*)) AS BIGINT) AS bytes FROM processes GROUP BY service)
SELECT h.service, h.host, h.traces, h.bytes AS bytes_a_run, s.bytes AS mean_of_service
FROM hosts h JOIN services s ON s.service = h.service WHERE h.bytes * 100 >= s.bytes * (100 + :percent)
ORDER BY h.bytes - s.bytes DESC NULLS LAST, h.service NULLS LAST, h.host NULLS LAST LIMIT :top
