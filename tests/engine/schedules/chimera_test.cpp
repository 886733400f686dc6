#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

using namespace engine;
using namespace tests;

namespace {

Schedule chimera(const char* concat, int devices, int microBatches)
{
    return scheduleOf("chimera", devices, microBatches, {{"concat", concat}});
}

// The golden orders of halving number halves through and list a forward by its two halves, which
// run as one: half h of micro-batch m is 2m+h.
std::vector<std::string> inHalves(std::vector<std::string> programs)
{
    for (std::string& program : programs) {
        std::istringstream words(program);
        std::string halved;
        for (std::string word; words >> word;) {
            Op op = parseOp(word).value();
            const int half = op.microBatch.value % 2;
            op.microBatch = MicroBatchId{op.microBatch.value / 2};
            if (op.kind == OpKind::Backward)
                op.slice = static_cast<std::uint16_t>(half);
            else if (half == 1)
                continue;
            halved += (halved.empty() ? "" : " ") + toString(op);
        }
        program = halved;
    }
    return programs;
}

// What all three ways have in common.
void checkChimera(const Schedule& schedule, double makespan)
{
    const int devices = schedule.shape.devices;
    const int microBatches = schedule.shape.microBatches;
    INFO("D=" << devices << " N=" << microBatches);
    const Measured chimera = measured(schedule);
    CHECK(validate(lower(schedule)).empty());
    CHECK(chimera.iteration == makespan);
    CHECK(chimera.span == makespan);
    CHECK(chimera.bubbleRatio == Approx(1 - 3 * microBatches / makespan));
    CHECK(chimera.messages == (schedule.shape.slices + 1) * microBatches * (devices - 1));
    CHECK(chimera.localCopies == 0);
    for (const double weights : chimera.weights)
        CHECK(weights == 2);
}

} // namespace

TEST_CASE("Chimera gives the golden orders, op for op")
{
    CHECK(programOf(chimera("direct", 4, 4)) == goldenProgram("chimera/chimera_d4_n4.csv"));
    CHECK(programOf(chimera("direct", 4, 8)) == goldenProgram("chimera/chimera_d4_n8.csv"));
    CHECK(programOf(chimera("doubling", 4, 8)) == goldenProgram("chimera_fd/chimera_fd_d4_n8.csv"));
    CHECK(programOf(chimera("halving", 4, 4))
          == inHalves(goldenProgram("chimera_bh/chimera_bh_d4_n4_s2.csv")));
    CHECK(programOf(chimera("halving", 4, 8))
          == inHalves(goldenProgram("chimera_bh/chimera_bh_d4_n8_s2.csv")));
}

TEST_CASE("Chimera, direct: 3N+(D-2)(N/D+1), a stash of D/2+1 at the ends to D in the middle")
{
    for (const int devices : {2, 4, 6, 8, 16, 30, 64})
        for (const int units : {1, 2, 3, 8}) {
            const Schedule schedule = chimera("direct", devices, units * devices);
            checkChimera(schedule, 3.0 * units * devices + (devices - 2) * (units + 1));
            const std::vector<double> peaks = measured(schedule).peakStash;
            for (int d = 0; d < devices; ++d)
                CHECK(peaks[static_cast<std::size_t>(d)]
                      == devices / 2 + 1 + std::min(d, devices - 1 - d));
        }
}

TEST_CASE("Chimera, forward doubling: 3N+2(D-2), the two forwards of a pair are one op")
{
    for (const int devices : {2, 4, 6, 8, 16, 30, 64})
        for (const int units : {1, 2, 4}) {
            const Schedule schedule = chimera("doubling", devices, 2 * units * devices);
            checkChimera(schedule, 6.0 * units * devices + 2 * (devices - 2));
            const std::vector<double> peaks = measured(schedule).peakStash;
            for (int d = 0; d < devices; ++d)
                CHECK(peaks[static_cast<std::size_t>(d)]
                      == 3 * devices / 2 + 1 + std::min(d, devices - 1 - d));
            for (const auto& pairs : pairsOf(schedule))
                CHECK(static_cast<int>(pairs.size()) == units * devices);
        }
}

TEST_CASE("Chimera, backward halving: 3N+(D-2), forwards are whole and each half frees its part")
{
    for (const int devices : {2, 4, 6, 8, 16, 30, 64})
        for (const int units : {1, 2, 4}) {
            const Schedule schedule = chimera("halving", devices, units * devices);
            checkChimera(schedule, 3.0 * units * devices + (devices - 2));
            const std::vector<double> peaks = measured(schedule).peakStash;
            for (int d = 0; d < devices; ++d)
                CHECK(peaks[static_cast<std::size_t>(d)]
                      == 0.75 * devices + 0.5 + 0.5 * std::min(d, devices - 1 - d));
        }
}

TEST_CASE("Chimera names its rule and the nearest number it takes")
{
    const auto errorOf = [](int devices, int microBatches, const char* concat) {
        ScheduleRequest request = requestOf("chimera", devices, microBatches);
        request.options["concat"] = concat;
        const auto schedule = buildSchedule(request);
        REQUIRE_FALSE(schedule);
        return schedule.error().message;
    };
    CHECK(errorOf(5, 10, "direct")
          == "chimera needs an even number of devices, not 5; the nearest is 6");
    CHECK(errorOf(4, 6, "halving")
          == "chimera needs a number of micro-batches that is a multiple of the devices (4), not "
             "6; the nearest is 8");
    CHECK(errorOf(4, 4, "doubling")
          == "chimera needs a number of micro-batches that is a multiple of twice the devices (8), "
             "not 4; the nearest is 8");
}
