-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- How often each rule of the findings applies, in how many services, and what it would save.
SELECT rule, count(*) AS findings, count(DISTINCT service) AS services, CAST(sum(saves_bytes) AS BIGINT) AS saves_bytes,
       CAST(sum(saves_allocations) AS BIGINT) AS saves_blocks
FROM findings GROUP BY rule ORDER BY saves_bytes DESC NULLS LAST, rule NULLS LAST
