-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Peak of live bytes by service and day: the highest and the mean.
SELECT date, service, count(*) AS traces, max(peak_live_bytes) AS highest_peak, CAST(floor(sum(peak_live_bytes) / count(*)) AS BIGINT) AS mean_peak
FROM processes GROUP BY date, service ORDER BY date NULLS LAST, service NULLS LAST
