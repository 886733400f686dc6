#include "engine/schedule/validate.h"
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

Schedule early(int devices, int microBatches)
{
    return scheduleOf("bitpipe", devices, microBatches, {{"concat", "early"}});
}

} // namespace

TEST_CASE("BitPipe, direct: 3N+(D-2)(K+1)/2, 4N(D-1) messages, 2N local copies, two models")
{
    for (const int devices : {2, 4, 6, 8, 16, 32, 64})
        for (const int units : {1, 2, 3, 8}) {
            const int microBatches = units * devices;
            INFO("D=" << devices << " N=" << microBatches);
            const Measured bitpipe = measured(scheduleOf("bitpipe", devices, microBatches));
            CHECK(bitpipe.iteration == 3.0 * microBatches + (devices - 2) * (units + 1) / 2.0);
            CHECK(bitpipe.messages == 4 * microBatches * (devices - 1));
            CHECK(bitpipe.localCopies == 2 * microBatches);
            for (int d = 0; d < devices; ++d) {
                const auto at = static_cast<std::size_t>(d);
                CHECK(bitpipe.weights[at] == 2);
                CHECK(2 * bitpipe.peakStash[at]
                      == 3 * devices / 2 + 1 + std::min(d, devices - 1 - d));
            }
        }
}

TEST_CASE("BitPipe, early, in whole units: never above 3N+D-2, within 5/4 of the stash")
{
    const std::map<std::pair<int, int>, double> known{
        {{2, 8}, 24},    {{4, 4}, 14},    {{4, 8}, 25.5},    {{4, 16}, 49.5},
        {{8, 8}, 30},    {{8, 16}, 52.5}, {{8, 32}, 100.5},  {{16, 16}, 62},
        {{16, 32}, 107}, {{16, 64}, 203}, {{32, 64}, 216.5}, {{32, 128}, 408.5},
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

TEST_CASE("BitPipe, early, takes any D and N: valid, and hardly longer than 1F1B-interleaved")
{
    std::mt19937 random(20241025);
    for (int devices = 1; devices <= 64; devices += devices < 12 ? 1 : 13)
        for (int round = 0; round < 8; ++round) {
            const int most = round < 3 ? devices : 4 * devices;
            const int microBatches = std::uniform_int_distribution<int>(1, most)(random);
            INFO("D=" << devices << " N=" << microBatches);
            const Schedule schedule = early(devices, microBatches);
            CHECK(validate(lower(schedule)).empty());
            const double makespan = measured(schedule).iteration;
            CHECK(makespan <= 3 * microBatches + 3 * (devices - 1));
            if (microBatches >= devices)
                CHECK(makespan <= 3 * microBatches + 1.5 * (devices - 1) + 1);
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
