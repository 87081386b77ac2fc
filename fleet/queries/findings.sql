-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Findings by what their advice saves over the whole fleet.
-- :top integer 20 rows
WITH sums AS (
  SELECT rule, type_id, place_id, count(*) AS traces, CAST(sum(saves_bytes) AS BIGINT) AS saves_bytes,
         CAST(sum(saves_allocations) AS BIGINT) AS saves_blocks, min(advice) AS advice
  FROM findings GROUP BY rule, type_id, place_id)
SELECT s.rule, n.alias AS type, p.function, s.traces, s.saves_bytes, s.saves_blocks, s.advice
FROM sums s LEFT JOIN type_names n ON n.type_id = s.type_id LEFT JOIN place_names p ON p.place_id = s.place_id
ORDER BY s.saves_bytes DESC NULLS LAST, s.saves_blocks DESC NULLS LAST, s.rule NULLS LAST, s.type_id NULLS LAST, s.place_id NULLS LAST LIMIT :top
