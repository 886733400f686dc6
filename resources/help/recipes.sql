-- Ops of the first measured iteration, by time
SELECT o.device, o.name, o.kind, s."begin" - i."begin" AS start_ticks,
       s."end" - s."begin" AS duration_ticks
FROM BS_span s
JOIN BS_schedule o USING (op)
JOIN BS_iteration i USING (iteration)
WHERE s.iteration = (SELECT min(iteration) FROM BS_iteration WHERE kind = 'measured')
ORDER BY s."begin", o.device;

-- Duration of ops by kind and stage
SELECT o.kind, o.stage, count(*) AS ops, round(avg(s."end" - s."begin")) AS mean_ticks,
       min(s."end" - s."begin") AS least_ticks, max(s."end" - s."begin") AS most_ticks
FROM BS_span s
JOIN BS_schedule o USING (op)
GROUP BY o.kind, o.stage
ORDER BY o.kind, o.stage;

-- Longest ops
SELECT s.iteration, o.device, o.name, s."end" - s."begin" AS duration_ticks
FROM BS_span s
JOIN BS_schedule o USING (op)
ORDER BY duration_ticks DESC
LIMIT 100;

-- Idle time between compute ranges of each device, as in scripts for exports of Nsight Systems
SELECT t.value AS device, sum(gap) / 1e9 AS seconds
FROM (SELECT globalTid, start - lag("end") OVER (PARTITION BY globalTid ORDER BY start) AS gap
      FROM NVTX_EVENTS
      WHERE eventType = 59 AND category IN (1, 2, 3, 4, 7, 11)) g
JOIN ThreadNames n ON n.globalTid = g.globalTid
JOIN StringIds t ON t.id = n.nameId
GROUP BY g.globalTid;

-- Duration, loss and gradient norm of each iteration
SELECT iteration, kind, "end" - "begin" AS duration_ticks, loss, gradient_norm
FROM BS_iteration
WHERE id IN (SELECT max(id) FROM BS_iteration GROUP BY iteration)
ORDER BY iteration;

-- Peak memory of each device
SELECT device, max(used) AS peak
FROM (SELECT device, sum(bytes) OVER (PARTITION BY device ORDER BY time, bytes, id) AS used
      FROM BS_memory)
GROUP BY device;

-- Kernels by total time (runs with kernels)
SELECT s.value AS kernel, count(*) AS launches, sum(k."end" - k.start) / 1e6 AS milliseconds
FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN StringIds s ON s.id = k.shortName
GROUP BY k.shortName
ORDER BY milliseconds DESC;

-- Kernels of each op (runs with kernels)
SELECT o.name, l.iteration, s.value AS kernel, k."end" - k.start AS duration_ns
FROM BS_gpu_launch l
JOIN BS_schedule o USING (op)
JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = l.correlation
JOIN StringIds s ON s.id = k.shortName
ORDER BY l.iteration, l.op, k.start;

-- Report of the import (imported runs)
SELECT section, name, text, count, time, value
FROM BS_import_report;
