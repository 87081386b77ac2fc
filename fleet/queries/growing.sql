-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Types whose live bytes grow between the first and the last moment of runs (periodic=SECONDS, or phases).
-- :top integer 20 rows
WITH ends AS (SELECT trace_id, type_id, min(point) AS first_point, max(point) AS last_point FROM timeline GROUP BY trace_id, type_id),
rises AS (
  SELECT e.type_id AS type_id, e.trace_id AS trace_id, b.live_bytes - a.live_bytes AS rise
  FROM ends e JOIN timeline a ON a.trace_id = e.trace_id AND a.type_id = e.type_id AND a.point = e.first_point
    JOIN timeline b ON b.trace_id = e.trace_id AND b.type_id = e.type_id AND b.point = e.last_point
  WHERE e.last_point > e.first_point),
sums AS (
  SELECT type_id, count(*) AS traces, CAST(sum(CASE WHEN rise > 0 THEN 1 ELSE 0 END) AS BIGINT) AS growing, CAST(floor(sum(rise) / count(*)) AS BIGINT) AS mean_rise
  FROM rises GROUP BY type_id)
SELECT n.alias AS type, s.mean_rise AS rise_a_run, s.growing, s.traces FROM sums s JOIN type_names n ON n.type_id = s.type_id WHERE s.mean_rise > 0
ORDER BY s.mean_rise DESC NULLS LAST, s.type_id NULLS LAST LIMIT :top
