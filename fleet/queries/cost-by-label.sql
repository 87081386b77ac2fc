-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- What the values of a label (team, region …) allocate.
-- :label text team name of the label
SELECT l.value, count(*) AS traces, CAST(sum(p.allocated_bytes) AS BIGINT) AS bytes, CAST(sum(p.allocations) AS BIGINT) AS blocks,
       max(p.peak_live_bytes) AS highest_peak
FROM labels l JOIN processes p ON p.trace_id = l.trace_id WHERE l.label = :label GROUP BY l.value
ORDER BY bytes DESC NULLS LAST, l.value NULLS LAST
