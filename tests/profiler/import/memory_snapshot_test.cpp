#include "profiler/analysis/metrics.h"
#include "profiler/import/readers/readers.h"
#include "tests/profiler/import/memory_snapshots.h"
#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// What Python's pickle.dumps(..., protocol=4) writes.
std::string pickled(std::int64_t number)
{
    std::string bytes = "\x8A\x08";
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>(number >> (8 * i));
    return bytes;
}

std::string pickled(std::string_view text)
{
    return std::string("\x8C") + static_cast<char>(text.size()) + std::string(text) + "\x94";
}

using Items = std::vector<std::string>; // pickled
std::string list(const Items& items)
{
    std::string bytes = "]\x94(";
    for (const std::string& item : items)
        bytes += item;
    return bytes + "e";
}

using Fields = std::vector<std::pair<std::string_view, std::string>>;
std::string dict(const Fields& fields)
{
    std::string bytes = "}\x94(";
    for (const auto& [key, value] : fields)
        bytes += pickled(key) + value;
    return bytes + "u";
}

std::string file(const std::string& value)
{
    return "\x80\x04" + value + ".";
}

constexpr std::int64_t kEpoch = 1'800'000'000'000'000; // µs

std::string entry(std::string_view action, std::int64_t size, std::int64_t micros)
{
    return dict({{"action", pickled(action)},
                 {"size", pickled(size)},
                 {"time_us", pickled(kEpoch + micros)},
                 {"frames", list({dict({{"line", pickled(12)}})})}});
}

std::string block(std::string_view state, std::int64_t size, std::int64_t requested)
{
    return dict({{"state", pickled(state)},
                 {"size", pickled(size)},
                 {"requested_size", pickled(requested)}});
}

// 1500 bytes are allocated at the end of `entries`.
std::string snapshot(const Items& entries)
{
    const std::string own
        = dict({{"device", pickled(std::int64_t{0})},
                {"blocks",
                 list({block("active_allocated", 1024, 1000), block("active_allocated", 512, 500),
                       block("inactive", 4096, 0)})}});
    const std::string other = dict({{"device", pickled(std::int64_t{1})},
                                    {"blocks", list({block("active_allocated", 512, 77)})}});
    return file(dict({{"segments", list({own, other})},
                      {"device_traces", list({list(entries), list({})})},
                      {"external_annotations", ")"}}));
}

// Device d allocates (d + 1) * 100 bytes during the ops.
std::string snapshotOf(int devices)
{
    Items segments, traces;
    for (int d = 0; d < devices; ++d) {
        const std::int64_t bytes = 100 * (d + 1);
        segments.push_back(dict({{"device", pickled(std::int64_t{d})},
                                 {"blocks", list({block("active_allocated", 512, bytes)})}}));
        traces.push_back(list({entry("segment_alloc", 512, -9), entry("alloc", bytes, 3),
                               entry("segment_free", 512, 99)}));
    }
    return file(dict({{"segments", list(segments)}, {"device_traces", list(traces)}}));
}

// A process that executes stage g on GPU `devices[g]`.
void writeGpuTrace(const std::filesystem::path& file, const std::vector<int>& devices)
{
    std::string events;
    int correlation = 0;
    for (std::size_t g = 0; g < devices.size(); ++g)
        for (const char kind : {'F', 'B'}) {
            const std::size_t at = 1 + (kind == 'F' ? 2 * g : 2 * (2 * devices.size() - 1 - g));
            events += fmt::format(
                R"({0}{{"ph":"X","cat":"user_annotation","name":"PP:{1}{2}0","pid":1,"tid":1,"ts":{3},"dur":1}},
                {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{3},"dur":0.5,"args":{{"correlation":{4}}}}},
                {{"ph":"X","cat":"kernel","name":"gemm","pid":{5},"tid":7,"ts":{3}.5,"dur":1,"args":{{"device":{5},"stream":7,"correlation":{4}}}}})",
                events.empty() ? "" : ",", g, kind, at, ++correlation, devices[g]);
        }
    writeText(
        file,
        R"({"baseTimeNanoseconds":1800000000000000000,"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)"
            + events + "]}");
}

// F and B of one rank, from 1 to 18 µs after kEpoch.
void writeTrace(const TemporaryFolder& folder)
{
    writeText(folder / "rank0.json", R"({"baseTimeNanoseconds":1800000000000000000,"traceEvents":[
        {"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":8},
        {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":10,"dur":8}]})");
}

const Items kHistory{entry("segment_alloc", 1 << 20, -9),
                     entry("alloc", 700, -8),
                     entry("free_requested", 700, -7),
                     entry("alloc", 500, -6),
                     entry("alloc", 300, 3),
                     entry("free_requested", 300, 18),
                     entry("free_completed", 300, 18),
                     entry("alloc", 900, 25),
                     entry("free_requested", 900, 26)};

} // namespace

TEST_CASE("a memory snapshot gives the memory of its rank at the times of the trace")
{
    const TemporaryFolder folder;
    writeTrace(folder);
    writeText(folder / "rank0.memory.pickle", snapshot(kHistory));
    const Run run = imported(folder).run;
    CHECK(run.info.import->warnings.empty());
    std::vector<std::pair<std::int64_t, std::int64_t>> events;
    for (const MemoryEvent& event : run.timeline.memory)
        events.emplace_back(event.time, event.bytes);
    // 1000 requested bytes before the history and 500 in it, but not what warm-up freed.
    CHECK(events
          == std::vector<std::pair<std::int64_t, std::int64_t>>{
              {0, 1500}, {2000, 300}, {17000, -300}});
    CHECK(metrics(run)->devices[DeviceId{0}].peakBytes == 1800);
    // torchtitan writes a snapshot every few iterations.
    writeText(folder / "rank0.memory2.pickle", snapshot(kHistory));
    const Run twice = imported(folder).run;
    CHECK(twice.timeline.memory == run.timeline.memory);
    REQUIRE(twice.info.import->warnings.size() == 1);
    CHECK(twice.info.import->warnings.front().find("an earlier snapshot") != std::string::npos);
}

// Only the first GPU had its memory.
TEST_CASE("every GPU of a process has its memory of the snapshot")
{
    const TemporaryFolder folder;
    writeGpuTrace(folder / "rank0.json", {0, 1});
    writeText(folder / "rank0.memory.pickle", snapshotOf(2));
    const Run run = imported(folder).run;
    CHECK(run.info.import->warnings.empty());
    std::vector<std::pair<int, std::int64_t>> events;
    for (const MemoryEvent& event : run.timeline.memory)
        events.emplace_back(event.device, event.bytes);
    CHECK(events == std::vector<std::pair<int, std::int64_t>>{{0, 100}, {1, 200}});

    // A process that uses GPU 1 has a context on GPU 0, too.
    writeGpuTrace(folder / "rank0.json", {1});
    const Run one = imported(folder).run;
    REQUIRE(one.timeline.memory.size() == 1);
    CHECK(one.timeline.memory.front().bytes == 200);
    REQUIRE(one.info.import->warnings.size() == 1);
    CHECK(one.info.import->warnings.front().find("no work on device 0") != std::string::npos);

    writeGpuTrace(folder / "rank0.json", {0, 2});
    const auto warnings = imported(folder).run.info.import->warnings;
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0].find("does not have device 2") != std::string::npos);
    CHECK(warnings[1].find("no work on device 1") != std::string::npos);
}

TEST_CASE("a memory snapshot that does not show the iterations is left out with its reason")
{
    const auto warning = [](const std::string& name, const std::string& bytes) {
        const TemporaryFolder folder;
        writeTrace(folder);
        writeText(folder / name, bytes);
        const Run run = imported(folder).run;
        CHECK(run.timeline.memory.empty());
        return run.info.import->warnings.empty() ? "" : run.info.import->warnings.back();
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    const auto moved = [](std::int64_t micros) {
        return snapshot({entry("alloc", 500, micros), entry("alloc", 500, micros + 1)});
    };
    CHECK(has(warning("rank0_memory.pickle", moved(6)), "begins 0.0 ms after the first op"));
    CHECK(has(warning("rank0_memory.pickle", moved(0)), "ends 0.0 ms before the last op"));
    CHECK(has(warning("rank0_memory.pickle", moved(1000)), "not recorded at the time of"));
    CHECK(has(warning("rank7_memory.pickle", snapshot(kHistory)), "rank 7 has no trace"));
    CHECK(has(warning("memory.pickle", snapshot({entry("alloc", 2000, 0)})), "does not add up"));
    // Memory was negative in between.
    CHECK(has(warning("memory.pickle",
                      snapshot({entry("free_requested", 2000, 0), entry("alloc", 2000, 18)})),
              "does not add up"));
    CHECK(has(warning("memory.pickle", snapshot({})), "_record_memory_history"));
    CHECK(has(warning("memory.pickle", snapshot({entry("alloc", 500, -kEpoch)})), "has no times"));
    CHECK(has(warning("memory.pickle", snapshot({entry("alloc", -5, 0)})), "impossible numbers"));
    CHECK(has(warning("memory.pickle", file(list({}))), "but no memory snapshot"));
}

namespace {

struct Frame
{
    std::string_view file, function;
};
std::string frames(const std::vector<Frame>& innermostFirst)
{
    Items items;
    for (const Frame& frame : innermostFirst)
        items.push_back(
            dict({{"filename", pickled(frame.file)}, {"name", pickled(frame.function)}}));
    return list(items);
}

constexpr Frame kEngine{"??", "torch::autograd::Engine::thread_main(std::shared_ptr)"},
    kAdam{"/lib/torch/optim/adam.py", "_init_group"},
    kLinear{"/lib/torch/nn/modules/linear.py", "forward"},
    kZero{"/lib/torch/optim/optimizer.py", "zero_grad"}, kTrain{"train.py", "main"},
    kSchedule{"/lib/megatron/core/pipeline_parallel/schedules.py",
              "forward_backward_no_pipelining"};

// 500 bytes that are allocated and, after 1 µs, freed.
std::string changed(std::int64_t address, std::string_view action, std::int64_t micros,
                    const std::vector<Frame>& stack, std::int64_t size = 500)
{
    return dict({{"action", pickled(action)},
                 {"addr", pickled(address)},
                 {"size", pickled(size)},
                 {"time_us", pickled(kEpoch + micros)},
                 {"frames", frames(stack)}});
}

std::string blockAt(std::int64_t address, std::int64_t size, const std::vector<Frame>& stack)
{
    return dict({{"state", pickled("active_allocated")},
                 {"address", pickled(address)},
                 {"size", pickled(size)},
                 {"requested_size", pickled(size)},
                 {"frames", frames(stack)}});
}

std::string snapshot(const Items& blocks, const Items& entries)
{
    return file(
        dict({{"segments",
               list({dict({{"device", pickled(std::int64_t{0})}, {"blocks", list(blocks)}})})},
              {"device_traces", list({list(entries)})}}));
}

std::vector<MemoryEvent> eventsOf(const std::string& bytes)
{
    return readMemorySnapshot("rank0.pickle", bytes).value().devices.at(0).events;
}

} // namespace

TEST_CASE("the frames of an allocation and of its free give its category")
{
    using enum MemoryCategory;
    const std::vector<Frame> none;
    const Frame message{"/lib/megatron/core/pipeline_parallel/p2p_communication.py",
                        "_communicate"};
    const Frame toGpu{"/lib/torch/nn/modules/module.py", "_apply"};
    const Frame bucket{"??", "c10d::Reducer::initialize_buckets(std::vector)"};
    struct Case
    {
        std::vector<Frame> allocates, frees;
        MemoryCategory category;
    };
    for (const auto& [allocates, frees, category] : std::vector<Case>{
             {{toGpu, kTrain}, {kTrain}, Weights},
             {{kAdam, kTrain}, {kTrain}, Optimizer},
             {{kAdam, kTrain}, {kAdam, kTrain}, Buffers},
             {{bucket, kTrain}, {kTrain}, Gradients},
             {{kEngine}, {kZero, kTrain}, Gradients},
             {{kEngine}, {kEngine}, Buffers},
             {{kEngine}, {kTrain}, Unknown},
             {none, {kZero, kTrain}, Gradients}, // stacks="python": the backward has no frames
             {{kLinear, kTrain}, {kEngine}, Stash},
             {{kLinear, kTrain}, none, Stash},
             {{kLinear, kTrain}, {kLinear, kTrain}, Buffers},
             {{kLinear, kEngine}, {kEngine}, Stash}, // recomputed
             {{message, kTrain}, {kTrain}, Buffers},
             {{kSchedule, kTrain}, {kTrain}, Unknown},
             {none, none, Unknown}}) {
        // Another free has frames, so that this one is known to have none.
        const auto events = eventsOf(
            snapshot({},
                     {changed(1, "alloc", 1, allocates), changed(1, "free_requested", 2, frees),
                      changed(2, "alloc", 3, none), changed(2, "free_requested", 4, {kTrain})}));
        INFO(allocates.size() << frees.size() << static_cast<int>(category));
        REQUIRE(events.size() == 4);
        CHECK(events[0].category == category);
        CHECK(events[1].category == category);
        CHECK(events[1].bytes == -500);
    }
}

TEST_CASE("without the frames of frees, workspace counts as unknown or stash")
{
    using enum MemoryCategory;
    const auto events
        = eventsOf(snapshot({blockAt(3, 70, {kLinear})},
                            {changed(1, "alloc", 1, {kLinear}), changed(1, "free_requested", 2, {}),
                             changed(3, "alloc", 3, {kLinear}, 70)}));
    REQUIRE(events.size() == 3);
    CHECK(events[0].category == Unknown);
    CHECK(events[2].category == Stash);
}

TEST_CASE("memory that is older than the history has the category of its block or its free")
{
    using enum MemoryCategory;
    const Items blocks{blockAt(7, 300, {kAdam}), blockAt(8, 40, {kTrain}),
                       blockAt(1, 500, {kLinear})};
    const auto events = eventsOf(snapshot(
        blocks, {changed(9, "free_requested", 1, {kZero}), changed(1, "alloc", 2, {kLinear})}));
    std::vector<std::pair<MemoryCategory, std::int64_t>> all;
    for (const MemoryEvent& event : events)
        all.emplace_back(event.category, event.bytes);
    CHECK(all
          == std::vector<std::pair<MemoryCategory, std::int64_t>>{
              {Gradients, 500}, {Optimizer, 300}, {Unknown, 40}, {Gradients, -500}, {Stash, 500}});
}

// Levels of categories would be negative.
TEST_CASE("a history whose sizes contradict each other has no categories")
{
    for (const auto& entries :
         {Items{changed(1, "alloc", 1, {kLinear}), changed(1, "free_requested", 2, {kEngine}, 400)},
          Items{changed(1, "alloc", 1, {kLinear}), changed(1, "alloc", 2, {kLinear})}})
        for (const MemoryEvent& event : eventsOf(snapshot({blockAt(5, 1000, {kAdam})}, entries)))
            CHECK(event.category == MemoryCategory::Unknown);
}

TEST_CASE("snapshots of protocols 2 and 4 give a run its memory by category")
{
    for (const int protocol : {2, 4}) {
        const TemporaryFolder folder;
        writeTrace(folder);
        writeText(folder / "rank0.memory.pickle", pickledSnapshot(protocol));
        const Run run = imported(folder).run;
        using Event = std::tuple<std::int64_t, std::int64_t, MemoryCategory>;
        std::vector<Event> events;
        for (const MemoryEvent& event : run.timeline.memory)
            events.emplace_back(event.time, event.bytes, event.category);
        CHECK(events
              == std::vector<Event>{{0, 128, MemoryCategory::Stash},
                                    {2000, 64, MemoryCategory::Gradients},
                                    {7000, -64, MemoryCategory::Gradients}});
    }
}

// A small file could make the reader work for hours.
TEST_CASE("a history that a pickle has in two places is refused")
{
    // The dict is number 0 of the memo, its key 1, the list of all histories 2 and the first one 3.
    const auto read = readMemorySnapshot(
        "a.pickle",
        file(dict(
            {{"device_traces", list({list({changed(1, "free_requested", 1, {})}), "h\x03"})}})));
    REQUIRE(!read);
    CHECK(read.error().message.find("impossible numbers") != std::string::npos);
}

// A pickle can call any function of Python.
TEST_CASE("a pickle that calls functions, or is cut off, is refused")
{
    const std::string whole = snapshot(kHistory);
    for (const std::string& bytes :
         {std::string("\x80\x04\x8C\x05posix\x8C\x06system\x93\x8C\x02ls\x85R."),
          std::string("\x80\x02"
                      "cposix\nsystem\n."),
          whole.substr(0, whole.size() / 2), std::string("\x80\x04."), std::string("\x80\x04u."),
          std::string("\x80\x04(((e."), std::string("\x80\x04h\x09."),
          std::string("\x80\x04\x87.")}) {
        const auto read = readMemorySnapshot("a.pickle", bytes);
        REQUIRE(!read);
        CHECK(read.error().message.find("no memory snapshot") != std::string::npos);
    }
}

TEST_CASE("a memory snapshot alone says that it has no ops")
{
    const TemporaryFolder folder;
    writeText(folder / "rank0.memory.pickle", snapshot(kHistory));
    const auto result = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(!result);
    CHECK(result.error().message.find("together with the trace") != std::string::npos);
}
