#include "engine/schedule/transfers.h"
#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("the ranges of a kit name slices and directions")
{
    for (const char* scheme : {"seq1f1b", "mixpipe"}) {
        CAPTURE(scheme);
        const TemporaryFolder folder;
        const Run run = simulatedRun(scheme, 4, 8);
        TorchTraceOptions options;
        options.name = [](const Op& op) { return toString(op); };
        writeTorchTraces(folder.path(), run, options);
        const ImportedRun result = imported(folder);
        CHECK(result.run.info.scheme == scheme);
        CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
        REQUIRE(result.run.info.import->replayError);
        CHECK(std::abs(*result.run.info.import->replayError) < 0.005);
    }
}

// The shape had one slice, so the halves of a micro-batch shared their numbers in the data flow.
TEST_CASE("halves of micro-batches are two slices")
{
    const TemporaryFolder folder;
    ScheduleRequest request;
    request.scheme = "chimera";
    request.options["concat"] = "halving";
    const Run run = simulatedRun(request);
    TorchTraceOptions options;
    options.name = [](const Op& op) { return toString(op); };
    writeTorchTraces(folder.path(), run, options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.slices == 2);
    CHECK(hasHalves(result.run.schedule));
    CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
    REQUIRE(result.run.info.import->replayError);
    CHECK(std::abs(*result.run.info.import->replayError) < 0.005);
}

// Every end of a slice was compared with the ends of all slices of its micro-batch.
TEST_CASE("clocks are aligned by the messages of each slice")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun("seq1f1b", 2, 4);
    REQUIRE(run.schedule.shape.slices > 1);
    for (const int rank : {0, 1}) {
        TorchTraceOptions options;
        options.name = [](const Op& op) { return toString(op); };
        options.host = rank == 0 ? "host a" : "host b";
        options.base += rank * 1'284'000; // ns
        writeText(folder / fmt::format("{}.json", rank), TorchTrace(run, rank, options).text());
    }
    const ImportedRun result = imported(folder);
    const auto& clocks = result.run.info.import->clocks;
    REQUIRE(clocks.size() == 1);
    CHECK(std::abs(clocks[0].offset - 1'284'000) < 1000);
    CHECK(clocks[0].spread < 1000);
    const auto sends = [&](DeviceId device) {
        return std::ranges::count_if(run.schedule.program[device], isSend, &Op::kind);
    };
    CHECK(clocks[0].pairs == 2 * (sends(DeviceId{0}) + sends(DeviceId{1}))); // two iterations
}

TEST_CASE("the losses that a kit adds to its traces are those of the iterations")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.kit = R"({"scheme":"file","model":"tiny","losses":[5.5,5.25,5.125]})";
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.model == "tiny");
    CHECK(result.run.info.label == "1F1B"); // the order of the ops has precedence
    REQUIRE(result.run.timeline.iterations.size() == 2);
    CHECK(result.run.timeline.iterations[1].loss == 5.25);
}

TEST_CASE("a run has no losses if the only rank that records them has no trace")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.kit = R"({"scheme":"file","model":"tiny","losses":[]})"; // of a rank other than 0
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.model == "tiny");
    REQUIRE(result.run.timeline.iterations.size() == 2);
    CHECK_FALSE(result.run.timeline.iterations[1].loss);
}

// Without a shared file system, each node packs its traces, which are compressed already.
TEST_CASE("compressed traces in archives are read")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4));
    const std::string command = "cd " + folder.path().string()
        + " && gzip *.json && for file in *.gz; do tar czf $file.tar.gz $file && rm $file; done";
    REQUIRE(std::system(command.c_str()) == 0); // NOLINT
    const ImportedRun result = imported(folder);
    CHECK(result.run.info.import->ranks.size() == 2);
    CHECK(result.run.info.import->missingRanks.empty());
}
