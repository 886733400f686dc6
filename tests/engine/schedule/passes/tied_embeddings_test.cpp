#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

#include <algorithm>
#include <iterator>

using namespace engine;

namespace {

Schedule built(std::string_view scheme, int devices, int copies = 1)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = 2 * devices;
    request.dataParallel = copies;
    return buildSchedule(request).value();
}

Schedule tied(std::string_view scheme, int devices, SyncPolicy sync = SyncPolicy::Eager)
{
    return tieEmbeddings(lower(built(scheme, devices), sync), sync);
}

// Read under the name that it had.
Schedule readBack(const Schedule& schedule)
{
    return readScheduleText(writeCsv(schedule), schedule.scheme).value();
}

std::vector<Op> callsOf(const Schedule& schedule)
{
    std::vector<Op> calls;
    for (const auto& program : schedule.program)
        std::ranges::copy_if(program, std::back_inserter(calls),
                             [](const Op& op) { return op.kind == OpKind::AllReduce; });
    return calls;
}

} // namespace

TEST_CASE("tied embeddings survive a schedule file")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b", "zb-h1", "gpipe"})
        for (const SyncPolicy sync : {SyncPolicy::Eager, SyncPolicy::Late}) {
            INFO(scheme << ' ' << syncName(sync));
            const Schedule schedule = tied(scheme, 4, sync);
            REQUIRE(hasTiedEmbeddings(schedule));
            const Schedule read = readBack(schedule);
            CHECK(read == schedule);
            CHECK(validate(read).empty());
            CHECK(writeCsv(read) == writeCsv(schedule));
        }
}

TEST_CASE("all-reduces of every stage, or of two stages in all, tie nothing by themselves")
{
    CHECK_FALSE(hasTiedEmbeddings(readBack(lower(built("1f1b", 4, 2)))));
    CHECK_FALSE(hasTiedEmbeddings(readBack(lower(built("bitpipe", 4)))));
    CHECK_FALSE(hasTiedEmbeddings(readBack(tied("1f1b", 2))));
}

TEST_CASE("the all-reduces of tied embeddings in a file are not added again")
{
    const Schedule schedule = tied("1f1b", 2);
    CHECK(tieEmbeddings(readBack(schedule), SyncPolicy::Eager) == schedule);
    const Schedule four = tied("1f1b", 4);
    CHECK(tieEmbeddings(four, SyncPolicy::Eager) == four);
}

// Other stages of the two devices got no OPT, and the OPTs of the ends did not wait.
TEST_CASE("every stage of a file with only the all-reduces of tied embeddings gets its OPT")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b"}) {
        INFO(scheme);
        const Schedule whole = tied(scheme, 4);
        Schedule file = whole;
        for (auto& program : file.program)
            std::erase_if(program, [](const Op& op) { return op.kind == OpKind::OptimizerStep; });
        const Schedule lowered = lower(readBack(file));
        CHECK(validate(lowered).empty());
        for (const DeviceId d : whole.program.ids())
            CHECK(std::ranges::is_permutation(lowered.on(d), whole.on(d)));
    }
}

TEST_CASE("an all-reduce of one end alone is a violation still")
{
    Schedule schedule = tied("1f1b", 4);
    std::erase_if(schedule.program[{3}], [](const Op& op) { return op.kind == OpKind::AllReduce; });
    CHECK_FALSE(validate(readBack(schedule)).empty());
}

TEST_CASE("between several copies the all-reduces of the ends become those that tie them")
{
    const Schedule lowered = lower(built("interleaved-1f1b", 4, 2));
    const Schedule schedule = tieEmbeddings(lowered, SyncPolicy::Eager);
    CHECK(opCount(schedule) == opCount(lowered));
    for (const Op& op : callsOf(schedule))
        CHECK(tiesEmbeddings(op) == (op.stage.value == 0 || op.stage.value == 7));
    CHECK(validate(schedule).empty());
    // That of the last stage is over last, so it is called for last.
    const std::vector<Op>& program = schedule.program[{3}];
    const auto call
        = std::ranges::find(program.rbegin(), program.rend(), OpKind::AllReduce, &Op::kind);
    REQUIRE(call != program.rend());
    CHECK(call->stage == StageId{7});
}

TEST_CASE("tied embeddings from a file are replaced by the all-reduces of several copies")
{
    Schedule schedule = readBack(tied("1f1b", 4));
    schedule.shape.dataParallel = 2;
    const std::vector<Op> calls = callsOf(addAllReduce(schedule, SyncPolicy::Eager));
    CHECK(calls.size() == 4);
    CHECK(std::ranges::none_of(calls, [](const Op& op) { return tiesEmbeddings(op); }));
}
