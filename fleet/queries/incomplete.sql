-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Traces that are not whole: cut short, killed, or with events that were dropped.
-- :top integer 50 rows
SELECT trace_id, date, service, build, host, trace_file, complete, dropped_events FROM processes WHERE NOT complete OR dropped_events > 0
ORDER BY date NULLS LAST, trace_id NULLS LAST LIMIT :top
