#include "profiler/analysis/metrics.h"
#include "profiler/import/import.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("the clock of another host is moved to that of the first rank's host")
{
    for (const bool onGpu : {false, true}) {
        CAPTURE(onGpu);
        const TemporaryFolder folder;
        const Run run = simulatedRun("1f1b", 2, 8);
        TorchTraceOptions options;
        options.onGpu = onGpu;
        writeText(folder / "0.json", TorchTrace(run, 0, options).text());
        options.host = "host b";
        options.base += 1'284'000; // ns
        writeText(folder / "1.json", TorchTrace(run, 1, options).text());
        const ImportedRun result = imported(folder);
        const auto& clocks = result.run.info.import->clocks;
        REQUIRE(clocks.size() == 1);
        CHECK(clocks[0].host == "host b");
        CHECK(std::abs(clocks[0].offset - 1'284'000) < 1000);
        CHECK(clocks[0].spread < 1000);
        CHECK(clocks[0].pairs == 32);
        CHECK(metrics(result.run, 1)->duration
              == Approx(1000 * metrics(run, 1)->duration).epsilon(0.001));
    }
}

// The offset was the mean of the medians of both directions: 5.495 ms, so that ops ran before their
// inputs arrived. The same happened if rounding let a message arrive 0.1 µs before it was sent.
TEST_CASE("no message arrives before it was sent, however long most of them wait")
{
    const double least = GENERATE(10.0, -0.1); // µs from the send of a message to its arrival
    const TemporaryFolder folder;
    constexpr int kOffset = 5000; // µs; host b
    std::string events[2];
    const auto add = [&](int rank, const std::string& op, double begin, double duration) {
        events[rank] += fmt::format(
            R"({}{{"ph":"X","cat":"user_annotation","name":"PP:{}{}","pid":1,)"
            R"("tid":1,"ts":{:.3f},"dur":{:.3f}}})",
            events[rank].empty() ? "" : ",", rank, op, begin + rank * kOffset, duration);
    };
    for (int m = 0; m < 4; ++m) {
        const double begin = 10'000 * m, waits = m == 0 ? least : 1000;
        add(0, fmt::format("F{}", m), begin, 100);
        add(0, fmt::format("SEND_F{}", m), begin + 100, 5);
        add(1, fmt::format("RECV_F{}", m), begin + 95, 5 + waits);
        add(1, fmt::format("F{}", m), begin + 1200, 100);
        add(1, fmt::format("B{}", m), begin + 1300, 200);
        add(1, fmt::format("SEND_B{}", m), begin + 1500, 5);
        add(0, fmt::format("RECV_B{}", m), begin + 1495, 5 + least);
        add(0, fmt::format("B{}", m), begin + 1600, 200);
    }
    for (int rank = 0; rank < 2; ++rank)
        writeText(
            folder / fmt::format("{}.json", rank),
            fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":2}},)"
                        R"("host_name":"host {}","traceEvents":[{}]}})",
                        rank, rank == 0 ? "a" : "b", events[rank]));
    const auto clocks = imported(folder).run.info.import->clocks;
    REQUIRE(clocks.size() == 1);
    CHECK(clocks[0].offset == kOffset * 1000);
}

// Messages that wait longer and longer were a drift: up to 500 ppm, with two decimals.
TEST_CASE("a clock drifts only if both directions of its messages show it")
{
    struct Case
    {
        double ppm;                        // of the clock of host b
        double waitPerMicroBatch, perStep; // µs that a forward message waits in addition
    };
    const auto clock = [](const Case& of) {
        const TemporaryFolder folder;
        std::string events[2];
        const auto add = [&](int rank, const std::string& op, double begin, double duration) {
            const double factor = rank == 1 ? 1 + of.ppm / 1e6 : 1;
            events[rank]
                += fmt::format(R"({}{{"ph":"X","cat":"user_annotation","name":"{}","pid":1,)"
                               R"("tid":1,"ts":{:.3f},"dur":{:.3f}}})",
                               events[rank].empty() ? "" : ",", op, factor * begin + 5000 * rank,
                               factor * duration);
        };
        for (int step = 0; step < 4; ++step) {
            for (int rank : {0, 1})
                add(rank, fmt::format("ProfilerStep#{}", step), 200'000 * step, 190'000);
            for (int m = 0; m < 8; ++m) {
                const double begin = 200'000 * step + 20'000 * m + 10;
                const double waits = 20 + (7 * m + 3 * step) % 5 // noise
                    + of.waitPerMicroBatch * m + of.perStep * step;
                const auto op = [&](int rank, const char* kind) {
                    return fmt::format("PP:{}{}{}", rank, kind, m);
                };
                add(0, op(0, "F"), begin, 100);
                add(0, op(0, "SEND_F"), begin + 100, 5);
                add(1, op(1, "RECV_F"), begin + 95, 5 + waits);
                add(1, op(1, "F"), begin + 3000, 100);
                add(1, op(1, "B"), begin + 3100, 200);
                add(1, op(1, "SEND_B"), begin + 3300, 5);
                add(0, op(0, "RECV_B"), begin + 3295, 25 + (5 * m + step) % 7);
                add(0, op(0, "B"), begin + 3400, 200);
            }
        }
        for (int rank : {0, 1})
            writeText(
                folder / fmt::format("{}.json", rank),
                fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":2}},)"
                            R"("host_name":"host {}","traceEvents":[{}]}})",
                            rank, rank == 0 ? "a" : "b", events[rank]));
        const auto clocks = imported(folder).run.info.import->clocks;
        REQUIRE(clocks.size() == 1);
        CHECK(std::abs(clocks[0].offset - 5'000'000) < 100'000);
        return clocks[0];
    };
    CHECK(clock({80, 0, 0}).drift == Approx(80).margin(5));
    CHECK(clock({-30, 0, 0}).drift == Approx(-30).margin(5));
    CHECK(clock({0, 0, 0}).drift == 0);
    CHECK(clock({0, 150, 0}).drift == 0); // the waits of a schedule
    CHECK(clock({0, 0, 40}).drift == 0);  // a link that becomes slower
}

// Every rank was paired with every aligned one: 20 million pairs for 1024 ranks on 128 hosts.
TEST_CASE("a collective gives one pair of times for each rank of a host")
{
    const TemporaryFolder folder;
    constexpr int kRanks = 4, kCollectives = 3;
    for (int rank = 0; rank < kRanks; ++rank) {
        const int late = rank < 2 ? 0 : 1284; // µs; host b
        std::string events;
        const auto add = [&](const char* op, int begin) {
            events
                += fmt::format(R"({}{{"ph":"X","cat":"user_annotation","name":"PP:{}{}","pid":1,)"
                               R"("tid":1,"ts":{},"dur":5}})",
                               events.empty() ? "" : ",", rank, op, begin + late);
        };
        add("F0", 10);
        add("B0", 20);
        for (int i = 0; i < kCollectives; ++i)
            add("REDUCE_GRAD", 30 + 10 * i);
        writeText(
            folder / fmt::format("{}.json", rank),
            fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":{}}},)"
                        R"("host_name":"host {}","traceEvents":[{}]}})",
                        rank, kRanks, rank < 2 ? "a" : "b", events));
    }
    const auto clocks = imported(folder).run.info.import->clocks;
    REQUIRE(clocks.size() == 1);
    CHECK(clocks[0].offset == 1'284'000);
    CHECK(clocks[0].pairs == 2 * kCollectives);
}

// A job of 128 hosts had 127 warnings.
TEST_CASE("hosts whose clocks cannot be aligned share a warning")
{
    const TemporaryFolder folder;
    for (int rank = 0; rank < 4; ++rank)
        writeText(
            folder / fmt::format("{}.json", rank),
            fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{0},"world_size":4}},)"
                        R"("host_name":"host {0}","traceEvents":[)"
                        R"({{"ph":"X","name":"PP:{0}F0","pid":1,"tid":1,"ts":{1},"dur":5}},)"
                        R"({{"ph":"X","name":"PP:{0}B0","pid":1,"tid":1,"ts":{2},"dur":5}}]}})",
                        rank, 10 * rank, 100 - 10 * rank));
    const auto warnings = imported(folder).run.info.import->warnings;
    CHECK(std::ranges::count_if(warnings,
                                [](const std::string& warning) {
                                    return warning.find("cannot be aligned") != std::string::npos;
                                })
          == 1);
    CHECK(std::ranges::any_of(warnings, [](const std::string& warning) {
        return warning.starts_with("The clock of host 1 and those of 2 others cannot be aligned");
    }));
}
