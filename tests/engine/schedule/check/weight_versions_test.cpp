#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

std::vector<std::string> versionFaults(const Schedule& schedule)
{
    std::vector<std::string> messages;
    for (const Violation& violation : validate(schedule)) {
        CHECK(violation.kind == Violation::Kind::Version);
        messages.push_back(violation.message);
    }
    return messages;
}

using Faults = std::vector<std::string>;

} // namespace

TEST_CASE("an asynchronous schedule is valid, as built and lowered, and survives its file")
{
    for (const std::string scheme : {"pipedream", "pipedream-2bw"})
        for (const int devices : {1, 2, 4, 7})
            for (const int microBatches : {1, 3, 8, 29, 300}) {
                INFO(scheme << " D=" << devices << " N=" << microBatches);
                const Schedule schedule = scheduleOf(scheme, devices, microBatches);
                const Schedule lowered = lower(schedule);
                CHECK(versionFaults(schedule).empty());
                CHECK(versionFaults(lowered).empty());
                const auto read = readCsv(writeCsv(lowered), scheme);
                REQUIRE(read);
                CHECK(read->program == lowered.program);
                CHECK(writeCsv(*read) == writeCsv(lowered));
                CHECK(isAsynchronous(*read));
            }
}

TEST_CASE("an update follows every micro-batch of PipeDream, and every batch of 2BW")
{
    const auto steps = [](const Schedule& schedule, int device) {
        std::vector<int> versions;
        const Schedule lowered = lower(schedule);
        for (const Op& op : lowered.program[{device}])
            if (op.kind == OpKind::OptimizerStep)
                versions.push_back(op.version);
        return versions;
    };
    CHECK(steps(scheduleOf("pipedream", 4, 5), 0) == std::vector{1, 2, 3, 4, 5});
    CHECK(steps(scheduleOf("pipedream-2bw", 4, 9), 0) == std::vector{1, 2});
    CHECK(steps(scheduleOf("pipedream-2bw", 2, 9, {{"batch", "3"}}), 1) == std::vector{1, 2, 3});
    CHECK(steps(scheduleOf("pipedream-2bw", 4, 3), 0).empty());
    CHECK(programOf(lower(scheduleOf("pipedream", 2, 2)))[0]
          == "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0OPT 0RECV_B1 0B1 0OPT");
    CHECK(programOf(lower(scheduleOf("pipedream", 2, 1)))[1] == "1RECV_F0 1F0 1B0 1SEND_B0 1OPT");
}

TEST_CASE("PipeDream keeps D-d versions on device d, 2BW two")
{
    for (const int devices : {2, 4, 8}) {
        const auto kept = versionsKept(scheduleOf("pipedream", devices, 3 * devices));
        for (int d = 0; d < devices; ++d)
            CHECK(kept[{d}] == devices - d);
        CHECK(versionsKept(scheduleOf("pipedream-2bw", devices, 4 * devices))
              == std::vector<int>(static_cast<std::size_t>(devices), 2));
        CHECK(versionsKept(lower(scheduleOf("1f1b", devices, devices)))
              == std::vector<int>(static_cast<std::size_t>(devices), 1));
    }
}

TEST_CASE("a version that is not created yet is named")
{
    Schedule schedule = scheduleOf("pipedream", 2, 3);
    schedule.program[{1}][2].version = 2; // 1F1, behind one backward
    CHECK(
        versionFaults(schedule)
        == Faults{"device 1, index 2: 1F1 uses weight version 2, but the newest before it is 1",
                  "device 1, index 3: 1B1 uses weight version 1, but its forward used version 2"});
    schedule = lower(scheduleOf("pipedream", 1, 2));
    std::swap(schedule.program[{0}][2], schedule.program[{0}][3]); // OPT behind the next forward
    CHECK(versionFaults(schedule)
          == Faults{"device 0, index 2: 0F1 uses weight version 1, but the newest before it is 0"});
}

TEST_CASE("a backward with other weights than its forward is named")
{
    Schedule schedule = scheduleOf("pipedream", 2, 4);
    schedule.program[{0}].back().version = 3;
    CHECK(
        versionFaults(schedule)
        == Faults{"device 0, index 7: 0B3 uses weight version 3, but its forward used version 2"});
}

TEST_CASE("an update before the all-reduce of its gradient is named, and a backward between them")
{
    const Schedule right = lower(scheduleOf("bitpipe-async", 2, 8));
    CHECK(versionFaults(right).empty());
    const auto first
        = [](std::vector<Op>& ops, OpKind kind) { return std::ranges::find(ops, kind, &Op::kind); };
    Schedule early = right;
    std::vector<Op>& ops = early.program[{0}];
    const Op reduce = *first(ops, OpKind::AllReduce);
    const auto step = std::ranges::find_if(ops, [&reduce](const Op& op) {
        return op.kind == OpKind::OptimizerStep && op.stage == reduce.stage;
    });
    std::rotate(first(ops, OpKind::AllReduce), step, step + 1);
    CHECK_THAT(checkVersions(early).front().message,
               Catch::Contains("before the all-reduce of its gradient"));

    Schedule late = right;
    std::vector<Op>& delayed = late.program[{0}];
    const auto update = std::ranges::find_if(delayed, [&reduce](const Op& op) {
        return op.kind == OpKind::OptimizerStep && op.stage == reduce.stage;
    });
    std::rotate(update, update + 1, update + 2); // behind the next batch's first backward
    CHECK_THAT(checkVersions(late).front().message,
               Catch::Contains("adds to a gradient between its all-reduce and its update"));
}

TEST_CASE("an update in the wrong order or without a gradient is named")
{
    Schedule schedule = lower(scheduleOf("pipedream", 1, 2));
    schedule.program[{0}].back().version = 5;
    CHECK(versionFaults(schedule)
          == Faults{"device 0, index 5: 0OPT creates weight version 5, but the next one is 2"});
    schedule = lower(scheduleOf("pipedream", 1, 2));
    std::swap(schedule.program[{0}][4], schedule.program[{0}][5]); // OPT before its B
    CHECK(versionFaults(schedule)
          == Faults{"device 0, index 4: 0OPT creates weight version 2 with no backward since the "
                    "last update"});
}

TEST_CASE("how often weights are updated is found again in a file")
{
    for (const int microBatches : {4, 12, 20})
        CHECK(readCsv(writeCsv(scheduleOf("pipedream", 4, microBatches)))->shape.updateEvery == 1);
    for (const int microBatches : {24, 32, 40}) {
        const Schedule schedule = scheduleOf("bitpipe-async", 4, microBatches);
        CHECK(readCsv(writeCsv(schedule))->shape.updateEvery == 8);
        const auto read = readCsv(writeCsv(lower(schedule)));
        CHECK(read->shape.updateEvery == 8);
        CHECK(read->program == lower(schedule).program);
        CHECK(readCsv(writeCsv(addOptimizer(schedule)))->shape.updateEvery == 8);
        CHECK(versionFaults(addOptimizer(schedule)).empty());
    }
    for (const int microBatches : {12, 16, 20})
        CHECK(readCsv(writeCsv(scheduleOf("pipedream-2bw", 4, microBatches)))->shape.updateEvery
              == 4);
    CHECK(readCsv(writeCsv(lower(scheduleOf("pipedream-2bw", 4, 8))))->shape.updateEvery == 4);
    CHECK(readCsv(writeCsv(scheduleOf("1f1b", 4, 8)))->shape.updateEvery == 0);
}
