#include "tests/profiler/store/script.h"
#include "tests/profiler/store/store_support.h"

#include <cmath>
#include <limits>

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("a run that is written and read again is the same run")
{
    const TemporaryFolder folder;
    const Run run = fullRun();
    REQUIRE(writeRun(folder / "run.sqlite", run));
    const auto read = readRun(folder / "run.sqlite");
    REQUIRE(read);
    CHECK(read->info == run.info);
    CHECK(read->schedule == run.schedule);
    CHECK(read->timeline.tracks == run.timeline.tracks);
    CHECK(read->timeline.memory == run.timeline.memory);
    CHECK(read->timeline.iterations == run.timeline.iterations);
    CHECK(*read == run);
}

TEST_CASE("an imported run of an older version has no list of matches")
{
    const TemporaryFolder folder;
    Run run = fullRun();
    REQUIRE_FALSE(run.info.import->matches.empty());
    REQUIRE(writeRun(folder / "run.sqlite", run));
    Script(folder / "run.sqlite")("DROP TABLE BS_import_match");
    run.info.import->matches.clear();
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("a run that grew batch by batch is the same run as one written at once")
{
    const TemporaryFolder folder;
    const Run run = fullRun();
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Run growing{run.info, run.schedule, {}};
    growing.timeline.tracks = run.timeline.tracks;
    for (Track& track : growing.timeline.tracks)
        track.spans.clear();
    for (std::uint32_t i = 0; i < run.timeline.iterations.size(); ++i) {
        growing.timeline.iterations.push_back(run.timeline.iterations[i]);
        for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t)
            for (const Span& span : run.timeline.tracks[t].spans)
                if (span.iteration == i)
                    growing.timeline.tracks[t].spans.push_back(span);
        writer->append(batchOf(growing.timeline, i, growing.timeline.memory.size()));
    }
    Batch memory;
    memory.memory = run.timeline.memory;
    writer->append(memory);
    REQUIRE(writer->finish(run.info.outcome, run.info.failure));
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("flags, peers, slices, versions and odd names of a schedule survive")
{
    const TemporaryFolder folder;
    Run run;
    run.info.scheme = "file";
    run.info.label = "it's \"odd\"; DROP TABLE BS_run; \xC3\xA9";
    run.schedule.scheme = "mine";
    run.schedule.shape = {3, 2, 5, 2, 2, 4, 3};
    run.schedule.deviceOf = {{DeviceId{2}, DeviceId{0}}, {DeviceId{0}, DeviceId{2}}};
    Op joint{OpKind::Forward, OpFlag::JointWithNext, 1, 200, 1, 2, StageId{1}, MicroBatchId{4}};
    Op half{OpKind::BackwardWeight, OpFlag::Half, 0, 0, 1, Op::kNoPeer, StageId{0},
            MicroBatchId{0}};
    Op both = half;
    both.flags = static_cast<OpFlag>(3);
    Op reduce{OpKind::AllReduce, OpFlag::None, 1, 0, Op::kWhole, Op::kNoPeer, StageId{1}, {}};
    run.schedule.program = {{joint, half}, {}, {both, reduce}}; // the second device has nothing
    REQUIRE(writeRun(folder / "run.sqlite", run));
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("every kind of op survives")
{
    const TemporaryFolder folder;
    Run run;
    run.schedule.shape = {1, 3, 1, 1, 1, 1};
    run.schedule.deviceOf = {{DeviceId{0}, DeviceId{0}, DeviceId{0}}};
    run.schedule.program.resize(1);
    for (int kind = 0; kind < kOpKinds; ++kind) {
        Op op;
        op.kind = static_cast<OpKind>(kind);
        op.stage = StageId{1};
        op.microBatch = MicroBatchId{0};
        if (isTransfer(op.kind) || isCopy(op.kind))
            op.peer = 0;
        run.schedule.program[{0}].push_back(op);
    }
    REQUIRE(writeRun(folder / "run.sqlite", run));
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("a loss that left the numbers is not mistaken for one that is not known")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(3);
    run.timeline.iterations[0].loss = std::numeric_limits<double>::quiet_NaN();
    run.timeline.iterations[1].loss = std::numeric_limits<double>::infinity();
    run.timeline.iterations[1].microBatchLoss = {std::numeric_limits<float>::quiet_NaN()};
    REQUIRE(writeRun(folder / "run.sqlite", run));
    const auto iterations = readRun(folder / "run.sqlite").value().timeline.iterations;
    REQUIRE(iterations[0].loss);
    CHECK(std::isnan(*iterations[0].loss));
    CHECK(iterations[1].loss == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(iterations[1].microBatchLoss.at(0)));
    CHECK_FALSE(iterations[2].loss);
}

TEST_CASE("the last row of an iteration wins")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Iteration iteration = run.timeline.iterations[0];
    iteration.window.end = iteration.window.begin;
    Batch begun;
    begun.iterations = {iteration};
    writer->append(begun);
    writer->append(batchOf(run.timeline, 0, 0));
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("a schedule with an op that does not exist is not written")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(1);
    run.schedule.program[{1}][0].stage = StageId{99};
    const auto written = writeRun(folder / "run.sqlite", run);
    REQUIRE_FALSE(written);
    CHECK(written.error().message == "op 0 of device 1 does not exist in a schedule of this size");
    CHECK(folder.files() == 0);
}

TEST_CASE("a span of an op or iteration that does not exist is an error of the writer")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Batch batch;
    batch.spans = {{DeviceId{0}, Track::Kind::Compute, {Span{0, 1, 99999, 0}}}};
    writer->append(batch);
    const auto flushed = writer->flush();
    REQUIRE_FALSE(flushed);
    CHECK(flushed.error().message.find("op 99999 in iteration 0") != std::string::npos);
    CHECK_FALSE(writer->finish(Outcome::Finished));
    CHECK(readRun(folder / "run.sqlite").value().info.outcome == Outcome::Failed);
}

TEST_CASE("a run recorded without ops differs from one that has not begun")
{
    Run run = simulatedRun(1);
    CHECK(checkHasOps(run, "a.sqlite"));
    run.timeline.tracks.clear();
    const auto refused = checkHasOps(run, "a.sqlite");
    REQUIRE(!refused);
    CHECK_THAT(refused.error().message,
               Catch::StartsWith("a.sqlite has losses and durations, but no ops"));
    run.timeline.iterations.clear();
    CHECK(checkHasOps(run, "a.sqlite"));
}
