#pragma once

#include "engine/schedule/notation.h"
#include "engine/timeline/import_report.h"
#include "engine/timeline/run.h"
#include "profiler/store/table.h"

// The tables of this program that do not grow with the run: those of every run, and those of a run
// that was imported from traces of another program.

namespace profiler {

inline constexpr std::string_view kEveryRun = "every run";

template<>
inline constexpr TableText kTableOf<engine::RunInfo>{"BS_run", kEveryRun,
                                                     "The run and how it ended; one row"};
void columns(engine::RunInfo& run, auto&& column)
{
    column({"scheme", kMaybeText, "", "name of the scheme, or `file`"}, run.scheme);
    column({"label", kMaybeText, "", "name of the scheme for display"}, run.label);
    column({"mode", kMaybeText, "", "`simulate emulate live imported`"},
           Spelled{run.mode, engine::modeName, engine::modeNamed});
    column({"outcome", kMaybeText, "", "`running finished cancelled failed`"},
           Spelled{run.outcome, engine::outcomeName, engine::outcomeNamed});
    column({"failure", kMaybeText, "", "reason for the failure"}, run.failure);
    column({"started", kMaybeText, "", "ISO 8601, UTC"}, run.started);
    column({"program", kMaybeText, "", "build that wrote the file"}, run.program);
    column({"ticks_per_unit", kMaybeInteger, "tick", "1: a tick is a nanosecond"},
           run.ticksPerUnit);
    column({"device_name", kMaybeText, "", "hardware that ran the ops; empty when simulated"},
           run.deviceName);
    column({"timing", kMaybeText, "", "the clock that timed the ops"}, run.timing);
    column({"link", kMaybeText, "", "the model of the links between devices"}, run.link);
    column({"model", kMaybeText, "", "name of the model; empty when simulated in cost units"},
           run.model);
    column({"planned_warmup", kMaybeInteger, "", "requested warm-up iterations"},
           Count{run.plannedWarmup});
    column({"planned_iterations", kMaybeInteger, "", "requested measured iterations"},
           Count{run.plannedIterations});
    column({"journal", kMaybeText, "", "SQLite journal mode: `wal` or `delete`"});
}

struct ExperimentRow
{
    std::string toml, command;
};
template<>
inline constexpr TableText kTableOf<ExperimentRow>{
    "BS_experiment", kEveryRun, "The experiment and the command that repeat the run; one row"};
void columns(ExperimentRow& row, auto&& column)
{
    column({"toml", kMaybeText, "", "the experiment"}, row.toml);
    column({"command", kMaybeText, "", "the bscope command"}, row.command);
}

template<>
inline constexpr TableText kTableOf<engine::Schedule>{"BS_shape", kEveryRun,
                                                      "The size of the schedule; one row"};
void columns(engine::Schedule& schedule, auto&& column)
{
    auto& shape = schedule.shape;
    column({"scheme", kMaybeText, "", "scheme named in the schedule"}, schedule.scheme);
    column({"devices", kMaybeInteger}, shape.devices);
    column({"stages", kMaybeInteger}, shape.stages);
    column({"micro_batches", kMaybeInteger, "", "per iteration and copy"}, shape.microBatches);
    column({"replicas", kMaybeInteger, "", "directions of the pipeline"}, shape.replicas);
    column({"slices", kMaybeInteger, "", "slices of a micro-batch"}, shape.slices);
    column({"data_parallel", kMaybeInteger, "",
            "copies of the pipeline, of which the file records the first"},
           shape.dataParallel);
    column({"update_every", kMaybeInteger, "",
            "micro-batches per update of an asynchronous scheme, 0 elsewhere"},
           shape.updateEvery);
}

struct PlacementRow
{
    int replica = 0, stage = 0;
    engine::DeviceId device;
};
template<>
inline constexpr TableText kTableOf<PlacementRow>{"BS_placement", kEveryRun,
                                                  "The device of each stage"};
void columns(PlacementRow& row, auto&& column)
{
    column({"replica", kInteger}, row.replica);
    column({"stage", kInteger}, row.stage);
    column({"device", kInteger}, row.device);
}

struct DeviceRow
{
    int device = 0;
    std::string name;
    std::int64_t globalTid = 0;
    std::optional<std::int64_t> live = {}, arena = {}, touched = {};
};
template<>
inline constexpr TableText kTableOf<DeviceRow>{"BS_device", kEveryRun, "One row per device"};
void columns(DeviceRow& row, auto&& column)
{
    column({"device", kId}, row.device);
    column({"name", kMaybeText, "", "hardware of the device"}, row.name);
    column({"globalTid", kMaybeInteger, "", "joins `NVTX_EVENTS.globalTid`"}, row.globalTid);
    column({"live", kMaybeInteger, "byte", "peak bytes of live buffers in the device's arena"},
           row.live);
    column({"arena", kMaybeInteger, "byte", "size of its arena; NULL: not planned"}, row.arena);
    column({"touched", kMaybeInteger, "byte",
            "bytes of the arena written at least once; NULL until the first iteration ends"},
           row.touched);
}

struct ScheduleRow
{
    std::int64_t index = 0;
    engine::DeviceId device;
    int position = 0;
    std::string name;
    engine::Op op;
    bool joint = false, half = false;
};
template<>
inline constexpr TableText kTableOf<ScheduleRow>{
    "BS_schedule", kEveryRun,
    "One row per op of an iteration, by device, then position. Other tables refer to `op`"};
void columns(ScheduleRow& row, auto&& column)
{
    auto& op = row.op;
    column({"op", kId, "", "number of the op, from 0"}, row.index);
    column({"device", kInteger}, row.device);
    column({"position", kInteger, "", "position in the program of its device"}, row.position);
    column({"name", kText, "", "name of the op: `2F0`, `5B3u`"}, row.name);
    column({"kind", kText, "", "`F B I W SF RF SB RB EV LD RC AR OPT`"},
           Spelled{op.kind, engine::kindShortName, engine::parseKindShortName});
    column({"stage", kMaybeInteger}, op.stage);
    column({"microbatch", kMaybeInteger, "",
            "NULL: all micro-batches. An asynchronous run numbers them across its windows of "
            "`BS_shape.micro_batches`"},
           orNull(op.microBatch.value, -1));
    column({"replica", kInteger, "", "0 down, 1 up"}, op.replica);
    column({"slice", kMaybeInteger, "", "NULL: the whole micro-batch"},
           orNull(op.slice, engine::Op::kWhole));
    column({"peer", kMaybeInteger, "",
            "device at the other end of a transfer; NULL for EV and LD: host memory"},
           orNull(op.peer, engine::Op::kNoPeer));
    column({"version", kInteger, "", "weight version, modulo 256"}, op.version);
    column({"joint", kInteger, "", "1: joint with the next op"}, row.joint);
    column({"half", kInteger, "", "1: `slice` is a half of the micro-batch"}, row.half);
}

struct MetricRow
{ };
template<>
inline constexpr TableText kTableOf<MetricRow>{
    "BS_metric", kEveryRun, "Numbers and facts about the whole run, as far as known"};
void columns(MetricRow&, auto&& column)
{
    column({"name", kText});
    column({"value", ""});
    column({"unit", kMaybeText});
}

inline constexpr std::string_view kImportedRuns = "imported runs";

struct SourceRow
{
    int row = 0;
    engine::ImportReport::Rank rank;
};
template<>
inline constexpr TableText kTableOf<SourceRow>{"BS_source", kImportedRuns,
                                               "The trace of each imported rank"};
void columns(SourceRow& row, auto&& column)
{
    column({"row", kId, "", "order of the ranks"}, row.row);
    column({"rank", kInteger, "", "rank in the traced job"}, row.rank.rank);
    column({"file", kText, "", "trace"}, row.rank.file);
    column({"host", kText, "", "empty: unknown"}, row.rank.host);
    column({"device_name", kText, "", "GPU; empty: unknown"}, row.rank.deviceName);
    column({"device", kMaybeInteger, "", "NULL: the run does not show the rank"}, row.rank.device);
    column({"place", kInteger, "", "in its pipeline; ranks of one place have the same stages"},
           row.rank.place);
    column({"work", kInteger, "ns", "median time of its ops in an iteration; 0: unknown"},
           row.rank.work);
}

struct ReportRow
{
    std::string section, name, text;
    std::optional<std::int64_t> count = {}, time = {};
    std::optional<double> value = {};
};
template<>
inline constexpr TableText kTableOf<ReportRow>{
    "BS_import_report", kImportedRuns, "How the traces were classified, and what remained unknown"};
void columns(ReportRow& row, auto&& column)
{
    column({"section", kText, "",
            "`rule left_out clock missing_rank warning`, or `job` for facts of the whole import"},
           row.section);
    column({"name", kText, "", "rule, host, reason or fact"}, row.name);
    column({"text", kText, "", "title of a rule, text of a warning or fact"}, row.text);
    column({"count", kMaybeInteger, "", "matches, pairs; the rank of `missing_rank`"}, row.count);
    column({"time", kMaybeInteger, "ns", "time of the matches; offset of a clock"}, row.time);
    column({"value", kMaybeReal, "",
            "confidence of a rule (3 high, 2 medium, 1 low), drift of a clock (ppm), fact"},
           row.value);
}

struct MatchRow
{
    engine::ImportReport::Match match;
};
template<>
inline constexpr TableText kTableOf<MatchRow>{
    "BS_import_match", kImportedRuns,
    "The kernels, copies or ops of the framework that each rule matches, at most the 1000 longest "
    "of a rule"};
void columns(MatchRow& row, auto&& column)
{
    engine::ImportReport::Match& match = row.match;
    column({"rule", kText, "", "`BS_import_report.name`; empty: no rule matches"}, match.rule);
    column({"name", kText, "", "kernel, copy or op of the framework"}, match.name);
    column({"device", kMaybeInteger, "", "NULL: the run does not show the rank"}, match.device);
    column({"op", kMaybeInteger, "", "`BS_schedule.op`; NULL: belongs to no op"}, match.op);
    column({"iteration", kMaybeInteger, "",
            "`BS_iteration.iteration`; NULL: outside of all iterations"},
           match.iteration);
    column({"begin", kInteger, "tick"}, match.window.begin);
    column({"end", kInteger, "tick"}, match.window.end);
}

} // namespace profiler
