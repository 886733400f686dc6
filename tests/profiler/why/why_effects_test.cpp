#include "profiler/whatif/own_replay.h"
#include "profiler/why/why.h"
#include "tests/profiler/why/connected.h"

using namespace analysis_test;
using namespace engine;
using namespace profiler;
using namespace why_test;

TEST_CASE("an op that runs earlier sends its message earlier, too")
{
    const Run run = connected(handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 20},
                                       {{0, "0F0", 0, 2},
                                        {0, "0SEND_F0", 2, 2},
                                        {0, "0F1", 2, 4},
                                        {0, "0SEND_F1", 4, 4},
                                        {0, "0RECV_B0", 10, 10},
                                        {0, "0B0", 10, 16},
                                        {0, "0RECV_B1", 14, 14},
                                        {0, "0B1", 16, 20},
                                        {1, "1RECV_F0", 2, 2},
                                        {1, "1F0", 2, 4},
                                        {1, "1RECV_F1", 4, 4},
                                        {1, "1F1", 4, 6},
                                        {1, "1B0", 6, 10},
                                        {1, "1SEND_B0", 10, 10},
                                        {1, "1B1", 10, 14},
                                        {1, "1SEND_B1", 14, 14}}));
    WhyChange change;
    change.kind = WhyChange::Kind::Earlier;
    change.op = 12;    // 1B0, then from 4 to 8
    change.other = 11; // 1F1
    CHECK(WhyEffects(run, 0).of(change).value().difference == -2);
}

TEST_CASE("a trace without messages is simulated with its gaps as waits")
{
    const Run run = connected(handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 18},
                                       {{0, "0F0", 0, 2},
                                        {0, "0SEND_F0", 2, 2},
                                        {0, "0RECV_B0", 14, 14},
                                        {0, "0B0", 14, 18},
                                        {1, "1RECV_F0", 5, 5},
                                        {1, "1F0", 5, 7},
                                        {1, "1B0", 7, 11},
                                        {1, "1SEND_B0", 11, 11}}));
    Run bare = run;
    for (Track& track : bare.timeline.tracks)
        if (track.kind != Track::Kind::Compute)
            track.spans.clear();
    CHECK(whyNotFaster(bare)->shares.waits == 6);
    CHECK(OwnReplay::create(bare, 0)->simulated() == 18);
    bare.timeline.tracks.front().spans.pop_back(); // 0B0
    CHECK(WhyEffects(bare, 0).accuracy().error().message.find("were not recorded")
          != std::string::npos);
}
