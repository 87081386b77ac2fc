-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The traces that allocated most of a type: from a sum back to single runs (inmem query --trace opens one).
-- :type text % pattern of LIKE
-- :top integer 10 rows
WITH sums AS (
  SELECT t.trace_id, CAST(sum(t.allocated_bytes) AS BIGINT) AS bytes FROM types t JOIN type_names n ON n.type_id = t.type_id
  WHERE n.alias LIKE :type GROUP BY t.trace_id)
SELECT s.trace_id, p.service, p.build, p.host, p.trace_file, s.bytes FROM sums s JOIN processes p ON p.trace_id = s.trace_id
ORDER BY s.bytes DESC NULLS LAST, s.trace_id NULLS LAST LIMIT :top
