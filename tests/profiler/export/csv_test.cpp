#include "profiler/export/exporters.h"
#include "tests/profiler/export/text_of.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

Run runOf(const std::string& scheme, int devices, int microBatches, const UnitCosts& costs = {})
{
    const Simulated simulation = simulated(scheduleOf(scheme, devices, microBatches), costs);
    Run run{{}, simulation.schedule, simulation.timeline};
    run.info.ticksPerUnit = simulation.ticksPerUnit;
    return run;
}

} // namespace

TEST_CASE("1F1B on two devices with one micro-batch is this table")
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    CHECK(tests::textOf(profiler::exportCsv, runOf("1f1b", 2, 1, costs))
          == "iteration,phase,device,lane,op,kind,stage,microbatch,replica,slice,peer,begin,end,"
             "duration,unit\n"
             "0,measured,0,compute,0F0,F,0,0,0,,,0,1,1,forward\n"
             "0,measured,0,compute,0B0,B,0,0,0,,,4.5,6.5,2,forward\n"
             "0,measured,0,compute,0OPT,OPT,0,,0,,,6.5,6.5,0,forward\n"
             "0,measured,0,send,0SEND_F0,SF,0,0,0,,1,1,1.25,0.25,forward\n"
             "0,measured,0,receive,0RECV_B0,RB,0,0,0,,1,4.25,4.5,0.25,forward\n"
             "0,measured,1,compute,1F0,F,1,0,0,,,1.25,2.25,1,forward\n"
             "0,measured,1,compute,1B0,B,1,0,0,,,2.25,4.25,2,forward\n"
             "0,measured,1,compute,1OPT,OPT,1,,0,,,4.25,4.25,0,forward\n"
             "0,measured,1,send,1SEND_B0,SB,1,0,0,,0,4.25,4.5,0.25,forward\n"
             "0,measured,1,receive,1RECV_F0,RF,1,0,0,,0,1,1.25,0.25,forward\n");
}

TEST_CASE("times in nanoseconds are integers, and the unit is stated")
{
    Run run = runOf("1f1b", 1, 1);
    run.info.ticksPerUnit = 1;
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans)
            span.end = span.begin + 1234567890123456789;
    CHECK(tests::textOf(profiler::exportCsv, run).find(",1234567890123456789,ns\n")
          != std::string::npos);
}

TEST_CASE("the columns of a run do not depend on its scheme")
{
    const std::string csv = tests::textOf(profiler::exportCsv, runOf("bitpipe", 4, 4));
    std::size_t begin = 0;
    while (begin < csv.size()) {
        const std::size_t end = csv.find('\n', begin);
        CHECK(std::count(csv.begin() + static_cast<std::ptrdiff_t>(begin),
                         csv.begin() + static_cast<std::ptrdiff_t>(end), ',')
              == 14);
        begin = end + 1;
    }
}
