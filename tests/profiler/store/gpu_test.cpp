#include "engine/timeline/run.h"
#include "tests/profiler/store/script.h"
#include "tests/support/gpu_run.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

constexpr const char* kNorm = "_ZN6engine4cuda12_GLOBAL__N_19layerNormIfLi4EEEvPKfPf";

std::size_t firstCompute(const std::vector<Op>& program)
{
    const auto found
        = std::ranges::find_if(program, [](const Op& op) { return isCompute(op.kind); });
    return static_cast<std::size_t>(found - program.begin());
}

// The first F of device 2 launched a kernel, and a copy; somebody else launched a kernel.
struct RecordedGpu
{
    Run run = simulatedRun(1);
    std::size_t position = firstCompute(run.schedule.program[{2}]);
    std::uint32_t op = OpIndex(run.schedule).of(DeviceId{2}, position);
    std::string name = toString(run.schedule.program[{2}][position]);
    Span span;
    GpuTrace trace;

    RecordedGpu()
    {
        for (const Track& track : run.timeline.tracks)
            for (const Span& each : track.spans)
                if (each.op == op)
                    span = each;
        const std::int64_t begin = nanoseconds(span.begin), end = nanoseconds(span.end);
        trace.strings = {kNorm, "cudaLaunchKernel_v7000"};
        GpuKernel kernel;
        kernel.window = {begin + 5, end - 5};
        kernel.place = {0, 1, 7, 41};
        kernel.of = {op, 0};
        kernel.grid = {16, 2, 1};
        kernel.block = {128, 1, 1};
        kernel.registers = 40;
        kernel.staticShared = 64;
        kernel.dynamicShared = 4096;
        kernel.localPerThread = 8;
        kernel.gridId = 99;
        kernel.graphNode = 0xFFFFFFFF00000001;
        GpuKernel stranger;
        stranger.window = {begin, begin + 1};
        stranger.place = {0, 1, 8, 42};
        trace.kernels = {kernel, stranger};
        GpuCopy copy;
        copy.window = {begin, end};
        copy.place = {0, 1, 7, 43};
        copy.of = {op, 0};
        copy.bytes = 1 << 20;
        copy.kind = 10;
        copy.sourceMemory = copy.targetMemory = 3;
        copy.targetDevice = 1;
        trace.copies = {copy};
        GpuMemset set;
        set.window = {begin, end};
        set.place = {0, 1, 7, 44};
        set.of = {op, 0};
        set.bytes = 512;
        set.memory = 3;
        trace.memsets = {set};
        GpuCall call;
        call.window = {begin + 1, begin + 3};
        call.of = {op, 0};
        call.name = 1;
        call.correlation = 41;
        trace.calls = {call};
        trace.waits = {{{begin, end}, {0, 1, 7, 45}, 2, 12, 13}};
        trace.allocations = {{begin, {0, 1, 0, 46}, 0xABCD00, 4096, 3, false}};
        trace.overheads = {{{begin, end}, 5}};
        trace.contexts = {{1, 0, 0, 132, false}, {9, 0, 1, 16, true}};
        trace.streams = {{7, 9, 0}};
        trace.strings.insert(trace.strings.end(),
                             {"device 2: compute", "ncclAllReduce", "NCCL", "cudaGraph", ""});
        trace.streamNames = {{2, 7, 9, 0}};
        trace.ranges = {{{begin, end}, {op, 0}, 3, 4, 5, 0xFF00FF00, 77, -6, true},
                        {{begin + 2, end}, {}, 5, 6, 0, 0, 78, std::nullopt, false}};
        trace.samples = {{begin, 0, 1980, 2619, 512'000, 61, 4}};
        trace.launches = {{{begin - 40, begin + 10}, {op, 0}, 77}};
        trace.health = {1, 1, 0, 0, 0};
    }
    std::int64_t nanoseconds(std::int64_t ticks) const { return nanosecondsOf(run.info, ticks); }
};

std::filesystem::path write(const TemporaryFolder& folder, const RecordedGpu& recorded)
{
    const auto file = folder / "run.sqlite";
    auto writer = TraceWriter::create(file, recorded.run.info, recorded.run.schedule);
    REQUIRE(writer);
    Batch batch = batchOf(recorded.run.timeline, 0, 0);
    batch.gpu = recorded.trace;
    writer->append(std::move(batch));
    REQUIRE(writer->finish(Outcome::Finished));
    return file;
}

} // namespace

TEST_CASE("GPU activity is read back as written")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    auto read = readGpuTrace(write(folder, recorded));
    REQUIRE(read);
    GpuTrace expected = recorded.trace;
    // A reader numbers strings in the order of their rows.
    REQUIRE(read->kernels.size() == 2);
    REQUIRE(read->calls.size() == 1);
    CHECK(read->strings.at(read->kernels[0].name) == kNorm);
    CHECK(read->strings.at(read->calls[0].name) == "cudaLaunchKernel_v7000");
    for (GpuKernel& kernel : read->kernels)
        kernel.name = 0;
    read->calls[0].name = 1;
    // A call's thread is its device's, see run-files.md.
    expected.calls[0].thread = 0x700002;
    CHECK(read->kernels == expected.kernels);
    CHECK(read->copies == expected.copies);
    CHECK(read->memsets == expected.memsets);
    CHECK(read->calls == expected.calls);
    CHECK(read->waits == expected.waits);
    CHECK(read->allocations == expected.allocations);
    CHECK(read->overheads == expected.overheads);
    CHECK(read->contexts == expected.contexts);
    CHECK(read->streams == expected.streams);
    CHECK(read->health == expected.health);
    CHECK(read->samples == expected.samples);
    REQUIRE(read->streamNames.size() == 1);
    CHECK(read->strings.at(read->streamNames[0].name) == "device 2: compute");
    CHECK(read->streamNames[0].stream == 7);
    REQUIRE(read->ranges.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const GpuRange &range = read->ranges[i], &wanted = expected.ranges[i];
        CHECK(read->strings.at(range.text) == expected.strings.at(wanted.text));
        CHECK(read->strings.at(range.domain) == expected.strings.at(wanted.domain));
        GpuRange same = range;
        same.text = wanted.text;
        same.domain = wanted.domain;
        CHECK(same == wanted);
    }
}

TEST_CASE("of a live run, where the host launched an op is read back, of others it is where it ran")
{
    const TemporaryFolder folder;
    RecordedGpu recorded;
    CHECK(readGpuTrace(write(folder, recorded))->launches.empty());
    std::filesystem::remove(folder / "run.sqlite");
    recorded.run.info.mode = Mode::Live;
    const auto read = readGpuTrace(write(folder, recorded));
    REQUIRE(read);
    const GpuOpLaunch& wanted = recorded.trace.launches.front();
    CHECK(std::ranges::count_if(read->launches,
                                [&](const GpuOpLaunch& launch) {
                                    return launch.window == wanted.window && launch.of == wanted.of;
                                })
          == 1);
}

TEST_CASE("readGpuTrace() returns only the activity within the window")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    const auto file = write(folder, recorded);
    const std::int64_t end = recorded.nanoseconds(recorded.span.end);
    const auto late = readGpuTrace(file, {end + 1, end + 1000});
    REQUIRE(late);
    CHECK(late->kernels.empty());
    CHECK(late->copies.empty());
    CHECK(late->allocations.empty());
    const auto early = readGpuTrace(file, {0, end});
    REQUIRE(early);
    CHECK(early->kernels.size() == 2);
}

// The durations of such rows overflowed.
TEST_CASE("GPU activity at times that no run has is damage")
{
    constexpr const char* kBoth = "start = -9000000000000000000, \"end\" = 9000000000000000000";
    for (const auto& [table, change] :
         {std::pair("CUPTI_ACTIVITY_KIND_KERNEL", kBoth),
          {"CUPTI_ACTIVITY_KIND_MEMCPY", kBoth},
          {"CUPTI_ACTIVITY_KIND_MEMSET", kBoth},
          {"CUPTI_ACTIVITY_KIND_RUNTIME", kBoth},
          {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kBoth},
          {"NVTX_EVENTS", kBoth},
          {"CUDA_GPU_MEMORY_USAGE_EVENTS", "start = 9000000000000000000"},
          {"BS_gpu_sample", "time = -9000000000000000000"},
          {"BS_gpu_overhead", "begin = -9000000000000000000"}}) {
        CAPTURE(table);
        const TemporaryFolder folder;
        RecordedGpu recorded;
        recorded.run.info.mode = Mode::Live;
        const auto file = write(folder, recorded);
        REQUIRE(readGpuTrace(file));
        const Script script(file);
        script("UPDATE " + std::string(table) + " SET " + change);
        const auto read = readGpuTrace(file);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == Error::Code::Corrupt);
    }
}

TEST_CASE("a run without a GPU has an empty trace")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", simulatedRun(1)));
    const auto read = readGpuTrace(folder / "run.sqlite");
    REQUIRE(read);
    CHECK(*read == GpuTrace{});
}

TEST_CASE("the documented joins find a kernel's launch, its range and its device")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    const Script script(write(folder, recorded));
    // Kernel to launching call, as NVIDIA documents it.
    CHECK(script("SELECT s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                 "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND "
                 "r.globalTid / 0x1000000 = k.globalPid / 0x1000000 JOIN StringIds s ON s.id = "
                 "r.nameId")
          == Rows{{"cudaLaunchKernel_v7000"}});
    // The innermost push/pop range that owns it.
    CHECK(script("SELECT n.text FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                 "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId JOIN "
                 "NVTX_EVENTS n ON n.eventType = 59 AND n.globalTid = r.globalTid AND n.start <= "
                 "r.start AND n.\"end\" >= r.\"end\" ORDER BY n.start DESC LIMIT 1")
          == Rows{{"PP:" + recorded.name}});
    // Names in both forms.
    CHECK(script("SELECT d.value, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON "
                 "d.id = k.demangledName JOIN StringIds s ON s.id = k.shortName WHERE "
                 "k.correlationId = 41")
          == Rows{{"void engine::cuda::(anonymous namespace)::layerNorm<float, 4>(float const*, "
                   "float*)",
                   "layerNorm"}});
    CHECK(script("SELECT o.label, m.label FROM CUPTI_ACTIVITY_KIND_MEMCPY c JOIN "
                 "ENUM_CUDA_MEMCPY_OPER o ON o.id = c.copyKind JOIN ENUM_CUDA_MEM_KIND m ON m.id = "
                 "c.srcKind")
          == Rows{{"Peer-to-Peer", "Device"}});
    CHECK(script("SELECT isGreenContext, numMultiprocessors FROM TARGET_INFO_CUDA_CONTEXT_INFO "
                 "ORDER BY contextId")
          == Rows{{"0", "132"}, {"1", "16"}});
    CHECK(script("SELECT o.name FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN BS_gpu_launch l ON "
                 "l.correlation = k.correlationId JOIN BS_schedule o USING (op)")
          == Rows{{recorded.name}});
}

TEST_CASE("the range of an op that was launched is when the host did so")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    const Script script(write(folder, recorded));
    const std::int64_t begin = recorded.nanoseconds(recorded.span.begin);
    CHECK(script("SELECT n.start, n.\"end\", s.begin FROM NVTX_EVENTS n JOIN BS_span s ON s.id = "
                 "n.eventId WHERE s.op = "
                 + std::to_string(recorded.op))
          == Rows{{std::to_string(begin - 40), std::to_string(begin + 10),
                   std::to_string(recorded.span.begin)}});
    // One range an op, as before.
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS n WHERE n.text = 'PP:" + recorded.name + "'")
          == Rows{{"1"}});
}

TEST_CASE("ranges of libraries have separate domains, and streams have names")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    const Script script(write(folder, recorded));
    CHECK(script("SELECT n.text, d.text, n.eventType, n.globalTid % 0x1000000, n.int64Value FROM "
                 "NVTX_EVENTS n JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = n.domainId "
                 "WHERE n.domainId <> 1 AND n.eventType IN (59, 60) ORDER BY n.start")
          == Rows{{"ncclAllReduce", "NCCL", "59", "77", "-6"},
                  {"cudaGraph", "", "60", "78", "NULL"}});
    CHECK(script("SELECT n.name FROM TARGET_INFO_CUDA_STREAM s JOIN TARGET_INFO_NVTX_CUDA_STREAM n "
                 "USING (streamId, contextId, processId)")
          == Rows{{"device 2: compute"}});
}

TEST_CASE("a range of another copy of the pipeline is of no op, a large thread number is cut")
{
    const TemporaryFolder folder;
    RecordedGpu recorded;
    recorded.trace.ranges[0].of = {OpOfIteration::kOtherCopy, 0};
    recorded.trace.ranges[0].thread = 0x5000007;
    const auto file = write(folder, recorded);
    const auto read = readGpuTrace(file);
    REQUIRE(read);
    REQUIRE(read->ranges.size() == 2);
    CHECK_FALSE(read->ranges[0].of.isKnown());
    CHECK(read->ranges[0].thread == 7);
    const Script script(file);
    CHECK(script("SELECT count(DISTINCT globalTid / 0x1000000) FROM NVTX_EVENTS WHERE globalTid IS "
                 "NOT NULL")
          == Rows{{"1"}});
    CHECK(script("SELECT count(*) FROM sqlite_schema WHERE name = 'BS_gpu_range'") == Rows{{"0"}});
}

TEST_CASE("what was launched without a number belongs to no op, and memory may be of a kind that "
          "nobody knows")
{
    const TemporaryFolder folder;
    RecordedGpu recorded;
    recorded.trace.kernels[0].place.correlation = 0;
    recorded.trace.kernels[1].place.correlation = 0; // of nobody
    recorded.trace.memsets[0].memory = 0;
    recorded.trace.calls.clear();
    const auto read = readGpuTrace(write(folder, recorded));
    REQUIRE(read);
    CHECK_FALSE(read->kernels[0].of.isKnown());
    CHECK_FALSE(read->kernels[1].of.isKnown());
    CHECK(read->memsets[0].memory == 0);
    CHECK(read->copies[0].of == OpOfIteration{recorded.op, 0});
}

TEST_CASE("the GPUs of a run are in its file in the tables of Nsight Systems")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(1);
    run.info.machine.gpus
        = {{0, "NVIDIA H200", "0000:19:00.0", "aa-bb", {{"smCount", 132}, {"computeMajor", 9}}},
           {1, "NVIDIA H200", "0000:3b:00.0", "cc-dd", {{"smCount", 132}, {"computeMajor", 9}}}};
    run.info.machine.settings = {{"nvidia_driver", "580.95.05"}, {"tf32", "off"}};
    run.info.machine.peers = {{false, true}, {true, false}};
    run.info.machine.clocks = {41, 1755, 1965, 1980, 4, ""};
    REQUIRE(writeRun(folder / "run.sqlite", run));
    const auto read = readRun(folder / "run.sqlite");
    REQUIRE(read);
    CHECK(read->info.machine == run.info.machine);
    const Script script(folder / "run.sqlite");
    CHECK(script("SELECT c.cudaId, g.name, g.busLocation, g.smCount, c.numMultiprocessors, "
                 "g.chipName FROM TARGET_INFO_CUDA_DEVICE c JOIN TARGET_INFO_GPU g ON g.id = "
                 "c.gpuId AND c.uuid = g.uuid ORDER BY c.cudaId")
          == Rows{{"0", "NVIDIA H200", "0000:19:00.0", "132", "132", "NULL"},
                  {"1", "NVIDIA H200", "0000:3b:00.0", "132", "132", "NULL"}});
    CHECK(script("SELECT value FROM BS_machine WHERE name = 'tf32'") == Rows{{"off"}});
    CHECK(script("SELECT count(*) FROM BS_peer_access WHERE access = 1") == Rows{{"2"}});
}

TEST_CASE("clocks are stored at the end of a run, and the reason for missing ones at its begin")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    const GpuClocks clocks{3, 1755, 1965, 1980, 0x20, ""};
    REQUIRE(writer->finish(Outcome::Finished, {}, {}, clocks));
    CHECK(readRun(folder / "run.sqlite")->info.machine.clocks == clocks);

    Run without = run;
    without.info.machine.clocks.reason = "NVML cannot be started";
    writer = TraceWriter::create(folder / "other.sqlite", without.info, without.schedule);
    REQUIRE(writer);
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(readRun(folder / "other.sqlite")->info.machine.clocks.reason == "NVML cannot be started");
}

TEST_CASE("a run without a GPU has none of these tables")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", simulatedRun(1)));
    const Script script(folder / "run.sqlite");
    CHECK(script("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'TARGET_INFO_GPU' OR name "
                 "LIKE 'TARGET_INFO_CUDA%' OR name LIKE 'BS_machine' OR name LIKE 'BS_peer%' OR "
                 "name LIKE 'BS_gpu%'")
          == Rows{{"0"}});
}

TEST_CASE("traces that come one after another add up, and share their strings")
{
    const TemporaryFolder folder;
    const RecordedGpu recorded;
    const auto file = folder / "run.sqlite";
    auto writer = TraceWriter::create(file, recorded.run.info, recorded.run.schedule);
    REQUIRE(writer);
    Batch batch = batchOf(recorded.run.timeline, 0, 0);
    batch.gpu = recorded.trace;
    writer->append(std::move(batch));
    Batch more;
    more.gpu.strings = recorded.trace.strings;
    more.gpu.kernels = {recorded.trace.kernels[1]};
    more.gpu.health.dropped = 4;
    writer->append(std::move(more));
    REQUIRE(writer->finish(Outcome::Finished));
    const auto read = readGpuTrace(file);
    REQUIRE(read);
    CHECK(read->kernels.size() == 3);
    CHECK(read->health.dropped == 5);
    CHECK(Script(file)("SELECT count(*) FROM (SELECT value FROM StringIds GROUP BY value HAVING "
                       "count(*) > 1)")
          == Rows{{"0"}});
}

TEST_CASE("the pieces of a trace are bounded and add up to it")
{
    const TemporaryFolder folder;
    GpuRun made = gpuRun();
    GpuKernel kernel = made.gpu.kernels[0];
    for (std::uint32_t i = 0; i < 150'000; ++i) {
        kernel.name = i % 2;
        kernel.place.correlation = 100'000 + i;
        made.gpu.kernels.push_back(kernel);
    }
    const auto file = folder / "run.sqlite";
    writeGpuRun(file, made);
    const auto whole = readGpuTrace(file);
    REQUIRE(whole);
    int pieces = 0;
    GpuTrace sum;
    std::vector<std::string> names;
    REQUIRE(readGpuPieces(file, [&](const GpuTrace& piece) {
        ++pieces;
        CHECK(piece.kernels.size() <= 100'000);
        for (const GpuKernel& each : piece.kernels) {
            names.push_back(piece.strings.at(each.name));
            sum.kernels.push_back(each);
        }
        std::ranges::copy(piece.waits, std::back_inserter(sum.waits));
        std::ranges::copy(piece.samples, std::back_inserter(sum.samples));
    }));
    CHECK(pieces == 2);
    CHECK(sum.waits == whole->waits);
    CHECK(sum.samples == whole->samples);
    REQUIRE(sum.kernels.size() == whole->kernels.size());
    bool isSame = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
        isSame = isSame && names[i] == whole->strings[whole->kernels[i].name];
        sum.kernels[i].name = whole->kernels[i].name; // each piece numbers its own strings
    }
    CHECK(isSame);
    CHECK(sum.kernels == whole->kernels);
}
