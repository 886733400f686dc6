#!/usr/bin/env python3
"""Writes traces of a kit, one per rank, from simulated spans: kit_traces.py SPANS.csv FOLDER OPS.

SPANS.csv is `bscope export RUN.sqlite --format csv` of a simulated run; OPS is the number of
framework ops that the trace has for each op of the pipeline.
"""

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

UNIT = 1000.0  # microseconds per cost unit


def event(name, category, begin, end):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1,
            "ts": round(begin, 3), "dur": round(end - begin, 3)}


def main():
    spans, folder, ops = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True)
    ranks = defaultdict(list)
    with open(spans, newline="") as rows:
        for row in csv.DictReader(rows):
            ranks[int(row["device"])].append(row)
    for rank, rows in ranks.items():
        events = [event("ProfilerStep#0", "user_annotation", 0,
                        max(float(row["end"]) for row in rows) * UNIT + 1)]
        for row in rows:
            begin, end = float(row["begin"]) * UNIT, float(row["end"]) * UNIT
            events.append(event(row["op"], "user_annotation", begin, end))
            if row["lane"] == "compute":
                step = (end - begin) / ops
                events += [event("aten::addmm", "cpu_op", begin + i * step, begin + (i + 1) * step)
                           for i in range(ops)]
        trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": len(ranks)},
                 "host_name": f"node{rank // 8}", "baseTimeNanoseconds": 1790857026000000000,
                 "traceEvents": events}
        with gzip.open(folder / f"rank{rank}.json.gz", "wt", compresslevel=1) as file:
            json.dump(trace, file)


if __name__ == "__main__":
    main()
