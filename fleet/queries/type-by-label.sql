-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- What a type costs, by the values of a label.
-- :type text - name as reports show it, or a pattern of LIKE
-- :label text team name of the label
SELECT l.value, n.alias AS type, count(*) AS traces, CAST(sum(t.allocated_bytes) AS BIGINT) AS bytes, CAST(sum(t.allocations) AS BIGINT) AS blocks
FROM types t JOIN type_names n ON n.type_id = t.type_id JOIN labels l ON l.trace_id = t.trace_id
WHERE l.label = :label AND n.alias LIKE :type GROUP BY l.value, n.alias
ORDER BY bytes DESC NULLS LAST, l.value NULLS LAST, type NULLS LAST
