-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types with the most temporary blocks: freed before their thread allocated anything else.
-- :top integer 20 rows
WITH sums AS (
  SELECT type_id, CAST(sum(temporary_allocations) AS BIGINT) AS temporary, CAST(sum(allocations) AS BIGINT) AS blocks,
         CAST(sum(allocated_bytes) AS BIGINT) AS bytes
  FROM types GROUP BY type_id)
SELECT n.alias AS type, s.temporary, s.blocks, CAST(round(100 * s.temporary / s.blocks) AS BIGINT) AS percent, s.bytes
FROM sums s JOIN type_names n ON n.type_id = s.type_id WHERE s.temporary > 0 AND s.blocks > 0
ORDER BY s.temporary DESC NULLS LAST, s.type_id NULLS LAST LIMIT :top
