#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

#include <random>

using namespace engine;
using namespace tests;

namespace {

using Options = std::map<std::string, std::string, std::less<>>;

std::vector<Options> partsOfBitPipe(const std::string& concat)
{
    std::vector<Options> all;
    for (const char* placement : {"v", "looping"})
        for (const char* directions : {"2", "1"})
            all.push_back(
                {{"placement", placement}, {"directions", directions}, {"concat", concat}});
    return all;
}

Schedule inChunks(int chunks, int devices, int microBatches, const Options& options = {})
{
    ScheduleRequest request = requestOf("bitpipe", devices, microBatches);
    request.chunks = chunks;
    request.options = options;
    return buildSchedule(request).value();
}

Schedule early(int devices, int microBatches)
{
    return scheduleOf("bitpipe", devices, microBatches, {{"concat", "early"}});
}

// The makespan of 1F1B.
double oneFOneB(int devices, int microBatches)
{
    return 3.0 * microBatches + 3.0 * (devices - 1);
}

// Both ends, what is just not a unit, and some in between.
std::vector<int> bitpipeMicroBatches(int devices, std::mt19937& random)
{
    std::vector<int> counts{1,           2,           devices,         devices + 1,
                            2 * devices, 3 * devices, 4 * devices - 1, 4 * devices + 3};
    for (int i = 0; i < (devices < 16 ? 8 : 2); ++i)
        counts.push_back(std::uniform_int_distribution<int>(1, 4 * devices)(random));
    return counts;
}

} // namespace

TEST_CASE("BitPipe, direct: 3N+(D-2)(K+1)/v, 2vN(D-1) messages, 2(v-1)N local copies, two models")
{
    for (const int chunks : {2, 4, 6})
        for (const int devices : {2, 4, 6, 8, 10, 16, 26, 32, 48, 64})
            for (const int units : {1, 2, 3, 4, 5, 6, 7, 8}) {
                if (devices > 10 && (units % 3 != 2 || chunks == 6))
                    continue; // 2, 5, 8: the large ones take their time
                const int microBatches = units * devices;
                INFO("v=" << chunks << " D=" << devices << " N=" << microBatches);
                const Measured bitpipe = measured(inChunks(chunks, devices, microBatches));
                const double bubble = (devices - 2) * (units + 1) / static_cast<double>(chunks);
                CHECK(bitpipe.iteration == Approx(3.0 * microBatches + bubble));
                CHECK(bitpipe.bubbleRatio
                      == Approx(bubble / (3.0 * microBatches + bubble)).margin(1e-12));
                CHECK(bitpipe.messages == 2 * chunks * microBatches * (devices - 1));
                CHECK(bitpipe.localCopies == 2 * (chunks - 1) * microBatches);
                for (int d = 0; d < devices; ++d) {
                    const auto at = static_cast<std::size_t>(d);
                    CHECK(bitpipe.weights[at] == 2);
                    CHECK(chunks * bitpipe.peakStash[at]
                          == Approx((2 * chunks - 1) * devices / 2 + 1
                                    + std::min(d, devices - 1 - d)));
                }
            }
}

TEST_CASE("BitPipe with v chunks is v/2 Vs one behind the other: the turns stay on their device")
{
    const Schedule schedule = inChunks(4, 6, 6);
    CHECK(schedule.shape.stages == 24);
    for (int stage = 0; stage < 24; ++stage) {
        const int along = stage % 6;
        const int device = stage / 6 % 2 == 0 ? along : 5 - along;
        CHECK(schedule.device(0, StageId{stage}).value == device);
        CHECK(schedule.device(1, StageId{stage}).value == 5 - device);
    }
    ScheduleRequest odd = requestOf("bitpipe", 4, 8);
    odd.chunks = 3;
    CHECK(buildSchedule(odd).error().message
          == "bitpipe needs an even number of chunks per device and direction (two for each V), "
             "not 3; the nearest is 4");
}

TEST_CASE("BitPipe, early, in whole units: never above 3N+D-2, within 5/4 of the stash")
{
    const std::map<std::pair<int, int>, double> known{
        {{2, 8}, 24},    {{4, 4}, 14},    {{4, 8}, 25.5},    {{4, 16}, 49.5},
        {{8, 8}, 30},    {{8, 16}, 52.5}, {{8, 32}, 100.5},  {{16, 16}, 62},
        {{16, 32}, 107}, {{16, 64}, 203}, {{32, 64}, 215.5}, {{32, 128}, 407},
    };
    for (const auto& [size, makespan] : known) {
        const auto [devices, microBatches] = size;
        INFO("D=" << devices << " N=" << microBatches);
        const Measured bitpipe = measured(early(devices, microBatches));
        CHECK(bitpipe.iteration == makespan);
        CHECK(bitpipe.iteration <= 3 * microBatches + devices - 2);
        if (microBatches > devices && devices >= 4)
            CHECK(*std::ranges::max_element(bitpipe.peakStash) == 1.25 * devices - 0.5);
    }
    CHECK(early(8, 8).program == scheduleOf("bitpipe", 8, 8).program);
}

TEST_CASE("BitPipe, early, in whole units of v chunks: never above 3N+2(D-2)/v")
{
    for (const int chunks : {2, 4, 6, 8})
        for (const int devices : {2, 4, 6, 8, 16, 32})
            for (const int units : {1, 2, 3, 5}) {
                const int microBatches = units * devices;
                INFO("v=" << chunks << " D=" << devices << " N=" << microBatches);
                const double makespan
                    = measured(inChunks(chunks, devices, microBatches, {{"concat", "early"}}))
                          .iteration;
                CHECK(makespan <= 3 * microBatches + 2.0 * (devices - 2) / chunks + 1e-9);
            }
}

// The V with early has basic units and looping has none, so their difference was that of two
// orders.
TEST_CASE("BitPipe, alternate, has one order in every placement, so only the messages differ")
{
    const auto of = [](const char* placement, const char* concat) {
        return scheduleOf("bitpipe", 8, 32, {{"placement", placement}, {"concat", concat}});
    };
    const Schedule v = of("v", "alternate"), looping = of("looping", "alternate");
    CHECK(looping.program == of("looping", "early").program);
    CHECK(v.program != of("v", "early").program);
    CHECK(measured(v).messages == 4 * 32 * 7);
    CHECK(measured(looping).messages == 2 * 32 * 15);
    CHECK(measured(v).iteration == measured(looping).iteration);
}

TEST_CASE(
    "BitPipe, early, takes any D and N: never longer than 1F1B, and with N >= D hardly longer "
    "than 1F1B-interleaved")
{
    std::mt19937 random(20241025);
    for (const int chunks : {2, 4, 6})
        for (const int devices : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 23, 33, 47, 64})
            for (const int microBatches : bitpipeMicroBatches(devices, random)) {
                if (chunks > 2 && devices > 16)
                    continue;
                INFO("v=" << chunks << " D=" << devices << " N=" << microBatches);
                for (const char* concat : {"early", "alternate"}) {
                    const Schedule schedule
                        = inChunks(chunks, devices, microBatches, {{"concat", concat}});
                    CHECK(validate(lower(schedule)).empty());
                    const double makespan = measured(schedule).iteration;
                    CHECK(makespan <= oneFOneB(devices, microBatches));
                    if (microBatches >= devices)
                        CHECK(makespan <= 3 * microBatches + 1.5 * (devices - 1) + 1);
                }
            }
}

TEST_CASE("early, whichever part of BitPipe is left out, is never longer than 1F1B")
{
    std::mt19937 random(20241026);
    for (const Options& options : partsOfBitPipe("early"))
        for (const int chunks : {2, 4})
            for (const int devices : {1, 2, 3, 4, 5, 7, 8, 12, 17})
                for (const int microBatches : bitpipeMicroBatches(devices, random)) {
                    INFO(options.at("placement")
                         << " " << options.at("directions") << " v=" << chunks << " D=" << devices
                         << " N=" << microBatches);
                    const Schedule schedule = inChunks(chunks, devices, microBatches, options);
                    CHECK(validate(lower(schedule)).empty());
                    CHECK(measured(schedule).iteration <= oneFOneB(devices, microBatches));
                }
}

TEST_CASE("in the smallest odd pipelines BitPipe, early, keeps below what a list scheduler reached")
{
    CHECK(measured(early(5, 10)).iteration <= 35.5);
    CHECK(measured(early(7, 14)).iteration <= 49);
    CHECK(measured(early(3, 6)).iteration <= 22);
}

TEST_CASE("every part of BitPipe can be left out: valid, with the messages of its placement")
{
    for (const char* concat : {"direct", "early"})
        for (const Options& options : partsOfBitPipe(concat))
            for (const auto& [devices, microBatches] :
                 {std::pair{2, 4}, {4, 4}, {4, 8}, {6, 18}, {16, 32}}) {
                INFO(options.at("placement") << " " << options.at("directions") << " " << concat
                                             << " D=" << devices << " N=" << microBatches);
                const Schedule schedule = scheduleOf("bitpipe", devices, microBatches, options);
                const Measured bitpipe = measured(schedule);
                const bool looping = options.at("placement") == "looping";
                const int directions = options.at("directions") == "1" ? 1 : 2;
                CHECK(validate(lower(schedule)).empty());
                CHECK(bitpipe.messages
                      == 2 * microBatches * (looping ? 2 * devices - 1 : 2 * devices - 2));
                CHECK(bitpipe.localCopies == (looping ? 0 : 2 * microBatches));
                CHECK(bitpipe.weights.front() == directions);
                if (options.at("concat") == "early")
                    CHECK(bitpipe.iteration <= 3 * microBatches + 3 * (devices - 1));
            }
}

TEST_CASE("one direction takes an odd number of devices, two only with concat=early")
{
    ScheduleRequest request = requestOf("bitpipe", 5, 10);
    CHECK_FALSE(buildSchedule(request));
    request.options = {{"directions", "1"}};
    CHECK(buildSchedule(request));
    request.options = {{"concat", "early"}};
    CHECK(buildSchedule(request));
}
