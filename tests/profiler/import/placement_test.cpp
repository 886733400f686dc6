#include "engine/schedule/transfers.h"
#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <filesystem>
#include <set>

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

// Writes the traces of the first `ranks` ranks of a job with 2 stages, 2 copies and 2
// tensor-parallel ranks per stage: ranks 0 1 | 2 3 have stage 0, ranks 4 5 | 6 7 have stage 1.
void writeTensorParallel(const TemporaryFolder& folder, TorchTraceOptions options, int ranks)
{
    const Run run = simulatedRun("1f1b", 2, 4);
    options.copies = 4;
    for (int rank = 0; rank < ranks; ++rank) {
        options.copy = rank % 4;
        const int first = rank - rank % 2;
        options.groups = fmt::format(
            R"([{{"pg_name":"1","pg_desc":"TENSOR_MODEL_PARALLEL_GROUP","ranks":[{},{}]}},)"
            R"({{"pg_name":"2","pg_desc":"PIPELINE_MODEL_PARALLEL_GROUP","ranks":[{},{}]}}])",
            first, first + 1, options.copy, options.copy + 4);
        writeText(folder / fmt::format("{}.json", rank), TorchTrace(run, rank / 4, options).text());
    }
}

std::string withoutStage(const Op& op)
{
    return op.kind == OpKind::Forward ? fmt::format("Forward {}", op.microBatch.value)
        : isBackward(op.kind)         ? fmt::format("Backward {}", op.microBatch.value)
                                      : std::string();
}

} // namespace

// The partner device of the copy was read past the end of the placement.
TEST_CASE("a copy of a stage that no device computes is refused")
{
    CHECK(traceError(R"([{"ph":"X","name":"0F0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"0B0","pid":1,"tid":1,"ts":4,"dur":2},
        {"ph":"X","name":"9EVICT0","pid":1,"tid":1,"ts":7,"dur":2}])")
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
            options.name = withoutStage;
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

// W was the number of data-parallel copies times that of tensor-parallel ranks.
TEST_CASE("tensor-parallel ranks are not copies of the pipeline")
{
    TorchTraceOptions withoutStages;
    withoutStages.name = withoutStage;
    for (const TorchTraceOptions& options : {TorchTraceOptions(), withoutStages}) {
        const TemporaryFolder folder;
        writeTensorParallel(folder, options, 8);
        const ImportedRun result = imported(folder);
        const ImportReport& report = *result.run.info.import;
        CHECK(result.run.schedule.shape.dataParallel == 2);
        CHECK(result.run.schedule.shape.devices == 2);
        CHECK(result.run.info.scheme == "1f1b");
        CHECK(report.tensorParallel == 2);
        CHECK(report.contextParallel == 1);
        REQUIRE(report.rankOf(1));
        CHECK(report.rankOf(1)->rank == 4);
        CHECK_FALSE(report.ranks[1].device);
    }
}

TEST_CASE("the copies of a tensor-parallel job are known from the traces of its first node")
{
    TorchTraceOptions options;
    options.name = withoutStage;
    const TemporaryFolder folder;
    writeTensorParallel(folder, options, 4);
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.dataParallel == 2);
    CHECK(result.run.schedule.shape.devices == 2);
}

// The devices of stages 0 and 2 were ranks 0 and 1, which compute stage 0 together.
TEST_CASE("stages without a trace are on ranks of the pipeline")
{
    const Run run = simulatedRun("1f1b", 4, 4);
    const TemporaryFolder folder;
    for (const int device : {1, 3}) {
        TorchTraceOptions options;
        options.copies = 2;
        options.groups = fmt::format(
            R"([{{"pg_name":"1","pg_desc":"TENSOR_MODEL_PARALLEL_GROUP","ranks":[{},{}]}},)"
            R"({{"pg_name":"2","pg_desc":"PIPELINE_MODEL_PARALLEL_GROUP","ranks":[0,2,4,6]}}])",
            2 * device, 2 * device + 1);
        writeText(folder / fmt::format("{}.json", device), TorchTrace(run, device, options).text());
    }
    const ImportedRun result = imported(folder);
    REQUIRE(result.run.schedule.shape.devices == 4);
    CHECK(result.run.schedule.device(0, StageId{1}) == DeviceId{1});
    CHECK(result.run.schedule.device(0, StageId{2}) == DeviceId{2});
}

// A rank was in the pipeline once for each of the ranks that compute its stage.
TEST_CASE("messages in the group of all ranks form no pipeline of tensor-parallel ranks")
{
    const Run run = simulatedRun("1f1b", 2, 4);
    const TemporaryFolder folder;
    for (int rank = 0; rank < 4; ++rank) {
        TorchTraceOptions options;
        options.onGpu = true;
        options.inGroupOfAll = [](const Op&) { return true; };
        options.copies = 2;
        options.copy = rank % 2;
        options.name = withoutStage;
        options.groups = fmt::format(R"([{{"pg_name":"1","pg_desc":"mesh_tp","ranks":[{},{}]}}])",
                                     rank - rank % 2, rank - rank % 2 + 1);
        writeText(folder / fmt::format("{}.json", rank), TorchTrace(run, rank / 2, options).text());
    }
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.devices == 2);
    CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
}

TEST_CASE("copies that may be tensor-parallel ranks are reported if no process group is named")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.copies = 2;
    for (options.copy = 0; options.copy < 2; ++options.copy)
        writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(report.tensorParallel == 0);
    CHECK(std::ranges::any_of(report.warnings, [](const std::string& warning) {
        return warning.find("tensor-parallel") != std::string::npos;
    }));
}

// The slices of a micro-batch had the same name, so all but one were left out as repetitions.
TEST_CASE("the last number of sail-sg's ranges is the slice, or 0 for whole micro-batches")
{
    for (const auto& [scheme, slices] : {std::pair("seq1f1b", 2), {"1f1b", 1}}) {
        CAPTURE(scheme);
        const Run run = simulatedRun(scheme, 2, 4);
        REQUIRE(run.schedule.shape.slices == slices);
        TorchTraceOptions options;
        options.name = [](const Op& op) {
            return op.kind == OpKind::Forward || op.kind == OpKind::Backward
                ? fmt::format("{}{}.0.{}", kindShortName(op.kind), op.microBatch.value,
                              op.slice == Op::kWhole ? 0 : op.slice)
                : std::string();
        };
        const TemporaryFolder folder;
        writeTorchTraces(folder.path(), run, options);
        const ImportedRun result = imported(folder);
        CHECK(result.run.schedule.shape.slices == slices);
        CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
    }
}

namespace {
// The range of an op of Megatron-LM.
std::string megatronName(const Op& op)
{
    if (!isTransfer(op.kind))
        return op.kind == OpKind::Forward ? "block(F)" : isBackward(op.kind) ? "block(B)" : "";
    const bool forward = op.kind == OpKind::SendActivation || op.kind == OpKind::RecvActivation;
    return fmt::format("megatron.core.pipeline_parallel.p2p_communication.{}_{}",
                       isSend(op.kind) ? "send" : "recv", forward ? "forward" : "backward");
}

// Whether the traces of all ranks but `missing` give the stages.
bool messagesGiveStages(int devices, int copies, const std::set<int>& missing)
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.copies = copies;
    options.name = megatronName;
    for (options.copy = 0; options.copy < copies; ++options.copy)
        writeTorchTraces(folder.path(), simulatedRun("1f1b", devices, 4), options);
    for (const int rank : missing)
        std::filesystem::remove(folder / fmt::format("rank{}.json", rank));
    return imported(folder).run.info.import->stagesKnown;
}
} // namespace

// All four ranks of two pipelines formed one.
TEST_CASE("messages give the stages only if they show one pipeline")
{
    CHECK(messagesGiveStages(2, 1, {}));
    CHECK_FALSE(messagesGiveStages(2, 2, {}));
}

// Every rank without a trace made the stages unknown.
TEST_CASE("messages give the stages of a pipeline of which one rank has no trace")
{
    for (const int rank : {0, 1, 2, 3}) {
        CHECK(messagesGiveStages(4, 1, {rank}));
        CHECK_FALSE(messagesGiveStages(2, 2, {rank}));
    }
    CHECK_FALSE(messagesGiveStages(4, 1, {1, 2})); // as two pipelines without ranks 1 and 2 do
}

// The group with most messages was the pipeline of all ranks.
TEST_CASE("messages in the group of all ranks leave the pipelines of other messages alone")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.copies = 2;
    options.name = [](const Op&) { return ""; };
    options.inGroupOfAll = [](const Op& op) { return op.microBatch.value > 0; };
    for (options.copy = 0; options.copy < 2; ++options.copy)
        writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.import->stagesKnown);
    CHECK(result.run.schedule.shape.dataParallel == 2);
}

// All ranks formed one pipeline, whose stages were unknown.
TEST_CASE("ranks that exchange messages in the group of all ranks are a pipeline")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.copies = 2;
    options.name = [](const Op&) { return ""; };
    options.inGroupOfAll = [](const Op&) { return true; };
    for (options.copy = 0; options.copy < 2; ++options.copy)
        writeTorchTraces(folder.path(), simulatedRun("1f1b", 3, 4), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.import->stagesKnown);
    CHECK(result.run.schedule.shape.dataParallel == 2);
    REQUIRE(result.run.info.import->rankOf(1));
    CHECK(result.run.info.import->rankOf(1)->rank == 2);
    // Ranks 0 and 4 may be in two pipelines.
    std::filesystem::remove(folder / "rank2.json");
    CHECK_FALSE(imported(folder).run.info.import->stagesKnown);
}

// Ranks without a trace, all of other copies, made the stages unknown.
TEST_CASE("the process group of messages gives the stages without the traces of other copies")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.copies = 2;
    options.name = [](const Op&) { return ""; };
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 3, 4), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.import->stagesKnown);
    CHECK(result.run.schedule.shape.stages == 3);
    // "stage s is rank s" was false: stage 1 is rank 2.
    CHECK(std::ranges::any_of(result.run.info.import->warnings, [](const std::string& warning) {
        return warning.find("stages are in the order of ranks") != std::string::npos;
    }));
}

namespace {
// Imports the traces of two pipelines of four ranks that show only messages.
ImportedRun importedFromMessages(const char* scheme)
{
    const TemporaryFolder folder;
    for (const int copy : {0, 1}) {
        TorchTraceOptions options;
        options.onGpu = true;
        options.copies = 2;
        options.copy = copy;
        options.name = [](const Op&) { return ""; };
        writeTorchTraces(folder.path(), simulatedRun(scheme, 4, 8), options);
    }
    return tests::imported(folder);
}
} // namespace

// The chunks of a rank were further micro-batches of one stage.
TEST_CASE("stages are unknown if the last rank sends activations to the first one")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b"}) {
        CAPTURE(scheme);
        const ImportedRun result = importedFromMessages(scheme);
        CHECK(result.run.info.import->stagesKnown == (scheme == std::string_view("1f1b")));
        CHECK(result.run.schedule.shape.devices == 4);
    }
}

// Activations in the other direction were gradients.
TEST_CASE("stages are unknown if ranks send activations in both directions")
{
    for (const char* scheme : {"zb-v", "chimera"}) {
        CAPTURE(scheme);
        CHECK_FALSE(importedFromMessages(scheme).run.info.import->stagesKnown);
    }
}
