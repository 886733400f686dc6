#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string traceError(const std::string& trace)
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", trace);
    const auto result = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(!result);
    return result.error().message;
}

} // namespace

// The partner device of the copy was read past the end of the placement.
TEST_CASE("a copy of a stage that no device computes is refused")
{
    CHECK(traceError(R"([{"ph":"X","name":"0F0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"0B0","pid":1,"tid":1,"ts":4,"dur":2},
        {"ph":"X","name":"900EVICT0","pid":1,"tid":1,"ts":7,"dur":2}])")
              .find("does not exist in a schedule of this size")
          != std::string::npos);
}

// The product of chunk and ranks overflowed, or the placement took gigabytes.
TEST_CASE("an op whose chunk is beyond the last stage has no stage")
{
    for (const int ranks : {2, 30'000, 999'999}) {
        CAPTURE(ranks);
        CHECK(
            traceError(
                fmt::format(R"({{"distributedInfo":{{"rank":0,"world_size":{}}},"traceEvents":[)"
                            R"({{"ph":"X","name":"F0.60000.0","pid":1,"tid":1,"ts":1,"dur":2}}]}})",
                            ranks))
                .find("no complete iteration")
            != std::string::npos);
    }
}

// ranks[d] was taken for device d.
TEST_CASE("the ranks of a device are in all copies, and the report has that of the first")
{
    const TemporaryFolder folder;
    const Run simulated = simulatedRun("1f1b", 2, 4);
    for (const int device : {0, 1})
        for (const int copy : {0, 1}) {
            TorchTraceOptions options;
            options.copies = 2;
            options.copy = copy;
            options.host = device == 0 ? "host a" : "host b";
            writeText(folder / fmt::format("{}.json", 2 * device + copy),
                      TorchTrace(simulated, device, options).text());
        }
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(result.run.schedule.shape.dataParallel == 2);
    REQUIRE(report.ranks.size() == 4);
    REQUIRE(report.rankOf(1));
    CHECK(report.rankOf(1)->rank == 2);
    CHECK(report.rankOf(1)->host == "host b");
    CHECK_FALSE(report.ranks[1].device);
}

// Without names of stages, and messages that state their ranks, all ranks formed one pipeline.
TEST_CASE("the process groups of pipelines give the stage and the copy of each rank")
{
    for (const char* name : {"PIPELINE_MODEL_PARALLEL_GROUP", "mesh_pp"}) {
        const TemporaryFolder folder;
        for (const int copy : {0, 1}) {
            TorchTraceOptions options;
            options.copies = 2;
            options.copy = copy;
            options.name = [](const Op& op) {
                return op.kind == OpKind::Forward ? fmt::format("Forward {}", op.microBatch.value)
                    : isBackward(op.kind)         ? fmt::format("Backward {}", op.microBatch.value)
                                                  : std::string();
            };
            options.groups = fmt::format(
                R"([{{"pg_name":"0","pg_desc":"default_pg","pg_size":4,"ranks":[0,1,2,3]}},)"
                R"({{"pg_name":"1","pg_desc":"{}","pg_size":2,"ranks":[{},{}]}}])",
                name, copy, copy + 2);
            writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
        }
        const ImportedRun result = imported(folder);
        CHECK(result.run.schedule.shape.dataParallel == 2);
        CHECK(result.run.info.scheme == "1f1b");
        REQUIRE(result.run.schedule.shape.devices == 2);
        CHECK(toString(result.run.schedule.program[DeviceId{1}].front()) == "1F0");
        REQUIRE(result.run.info.import->rankOf(1));
        CHECK(result.run.info.import->rankOf(1)->rank == 2);
    }
}

// All four ranks of two pipelines formed one.
TEST_CASE("messages give the stages only if they show one pipeline")
{
    for (const int copies : {1, 2}) {
        const TemporaryFolder folder;
        for (int copy = 0; copy < copies; ++copy) {
            TorchTraceOptions options;
            options.copies = copies;
            options.copy = copy;
            options.name = [](const Op& op) -> std::string {
                if (!isTransfer(op.kind))
                    return op.kind == OpKind::Forward ? "block(F)"
                        : isBackward(op.kind)         ? "block(B)"
                                                      : "";
                const bool forward
                    = op.kind == OpKind::SendActivation || op.kind == OpKind::RecvActivation;
                const bool sends
                    = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
                return fmt::format("megatron.core.pipeline_parallel.p2p_communication.{}_{}",
                                   sends ? "send" : "recv", forward ? "forward" : "backward");
            };
            writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
        }
        CHECK(imported(folder).run.info.import->stagesKnown == (copies == 1));
    }
}
