#include "tests/support/pipelines.h"

#include <climits>
#include <set>

using namespace engine;
using namespace tests;

namespace {

std::string errorOf(const ScheduleRequest& request)
{
    const auto schedule = buildSchedule(request);
    REQUIRE_FALSE(schedule);
    return schedule.error().message;
}

std::string errorOf(const std::string& scheme, int devices, int microBatches)
{
    return errorOf(requestOf(scheme, devices, microBatches));
}

ScheduleRequest withOption(const std::string& scheme, const std::string& key,
                           const std::string& value)
{
    ScheduleRequest request = requestOf(scheme, 4, 8);
    request.options[key] = value;
    return request;
}

} // namespace

TEST_CASE("the table of schemes is complete: texts, citation, limits and a default per option")
{
    std::set<std::string_view> names;
    for (const Scheme& scheme : schemes()) {
        INFO(scheme.name);
        CHECK(names.insert(scheme.name).second);
        CHECK(findScheme(scheme.name) == &scheme);
        for (const std::string_view words :
             {scheme.title, scheme.summary, scheme.citation, scheme.family, scheme.accepts})
            CHECK_FALSE(words.empty());
        for (const SchemeOption& option : scheme.options)
            CHECK_FALSE(option.values.empty());
        CHECK(scheme.build != nullptr);
        // The rule, a picture of what devices do, and the closed forms.
        CHECK(scheme.details.find("device 0 | ") != std::string_view::npos);
        CHECK(scheme.details.ends_with('\n'));
    }
    CHECK(names.contains("bitpipe"));
    CHECK(findScheme("") == nullptr);
}

TEST_CASE("every value of every option that is offered works")
{
    for (const Scheme& scheme : schemes())
        for (const SchemeOption& option : scheme.options)
            for (const std::string_view value : option.values)
                CHECK(buildSchedule(withOption(std::string(scheme.name), std::string(option.key),
                                               std::string(value))));
}

TEST_CASE("the first value of an option is its default")
{
    CHECK(scheduleOf("gpipe", 4, 8) == scheduleOf("gpipe", 4, 8, {{"backward", "fifo"}}));
    CHECK_FALSE(scheduleOf("gpipe", 4, 8) == scheduleOf("gpipe", 4, 8, {{"backward", "lifo"}}));
}

TEST_CASE("BitPipe names its rule and the nearest number it takes")
{
    CHECK(errorOf("bitpipe", 5, 10)
          == "bitpipe needs an even number of devices, not 5; the nearest is 6; --set concat=early "
             "accepts any number");
    CHECK(errorOf("bitpipe", 1, 4)
          == "bitpipe needs an even number of devices, not 1; the nearest is 2; --set concat=early "
             "accepts any number");
    CHECK(
        errorOf("bitpipe", 4, 6)
        == "bitpipe needs a number of micro-batches that is a multiple of the devices (4), not 6; "
           "the nearest is 8; --set concat=early accepts any number");
    CHECK_THAT(errorOf("bitpipe", 4, 5), Catch::Contains("the nearest is 4; "));
    CHECK_THAT(errorOf("bitpipe", 8, 3), Catch::Contains("the nearest is 8; "));
}

TEST_CASE("a violated rule on micro-batches is reported with the nearest valid number")
{
    CHECK(
        errorOf("grouped-interleaved", 4, 7)
        == "grouped-interleaved needs a number of micro-batches that is a multiple of the devices "
           "(4), not 7; the nearest is 8");
    CHECK(errorOf("zb-h2", 4, 6)
          == "zb-h2 needs at least 2D-1 = 7 micro-batches on 4 devices, not 6; use 7, or "
             "use zb-h1");
    CHECK(errorOf("interleaved-zb", 4, 9)
          == "interleaved-zb on 4 devices needs 2 groups of equal size, into which 9 micro-batches "
             "cannot be divided; the nearest is 10");
    CHECK(errorOf("interleaved-1f1b", 8, 9)
          == "interleaved-1f1b needs groups of 8 micro-batches with a remainder of 0 or at least "
             "6, but 9 micro-batches leave 1; the nearest is 8");
    CHECK_THAT(errorOf("interleaved-1f1b", 8, 12), Catch::EndsWith("the nearest is 14"));
    CHECK_THAT(errorOf("interleaved-1f1b", 8, 2'000'000'001), Catch::EndsWith("is 2000000000"));
    CHECK(buildSchedule(requestOf("interleaved-1f1b", 8, 14)));
    CHECK(buildSchedule(requestOf("interleaved-1f1b", 8, 3)));
}

TEST_CASE("an option that is a number takes any from its smallest on, and its default by name")
{
    CHECK(scheduleOf("seq1f1b", 4, 8) == scheduleOf("seq1f1b", 4, 8, {{"slices", "2"}}));
    CHECK(scheduleOf("seq1f1b", 4, 8, {{"slices", "7"}}).shape.slices == 7);
    CHECK(scheduleOf("seq1f1b", 4, 8, {{"slices", "1"}}).program
          == scheduleOf("1f1b", 4, 8).program);
    CHECK(scheduleOf("interleaved-1f1b", 4, 8, {{"group", "D"}})
          == scheduleOf("interleaved-1f1b", 4, 8, {{"group", "4"}}));
    CHECK(errorOf(withOption("seq1f1b", "slices", "0"))
          == "seq1f1b does not accept slices=0; use 2, or an integer of at least 1");
    CHECK(errorOf(withOption("interleaved-1f1b", "group", "big"))
          == "interleaved-1f1b does not accept group=big; use D, or an integer of at least 1");
    CHECK(errorOf(withOption("interleaved-1f1b", "group", "3"))
          == "interleaved-1f1b needs at least as many micro-batches per group as devices (4), not "
             "3; the nearest is 4");
}

TEST_CASE("one device is the sequential baseline of the one-direction schemes")
{
    for (const std::string scheme :
         {"gpipe", "1f1b", "eager-1f1b", "1f1b-overlap", "zb-h1", "zb-h2", "seq1f1b"}) {
        CHECK(scheduleOf(scheme, 1, 3).shape.stages == 1);
        CHECK(simulated(scheduleOf(scheme, 1, 3)).iteration() == 9);
    }
}

TEST_CASE("invalid numbers are refused with valid ones")
{
    CHECK(errorOf("1f1b", 4, 0) == "0 micro-batches: there must be at least 1");
    CHECK(errorOf("bitpipe", 4, 0) == "0 micro-batches: there must be at least 1");
    CHECK(errorOf("1f1b", 0, 4) == "0 devices: there must be at least 1");
    CHECK(errorOf("gpipe", -3, 4) == "-3 devices: there must be at least 1");
    ScheduleRequest request = requestOf("1f1b", 4, 4);
    request.dataParallel = 0;
    CHECK(errorOf(request) == "data-parallel width 0: it must be at least 1");
}

TEST_CASE("a million devices are refused before anything is allocated")
{
    CHECK(errorOf("1f1b", 1'000'000, 8) == "1000000 devices are too many; the limit is 65534");
    CHECK(errorOf("bitpipe", 1'000'000, 1'000'000)
          == "1000000 devices are too many; the limit is 65534");
    CHECK(errorOf("1f1b", 60'000, 2'000'000'000)
          == "2000000000 micro-batches on 60000 devices would be 240000000000000 ops and need "
             "44703483.6 GiB, more than the limit of 16777216 ops; use fewer devices or "
             "micro-batches");
    CHECK_THAT(errorOf("bitpipe", 2048, 4096), Catch::Contains("limit of 16777216"));
    CHECK(errorOf(withOption("seq1f1b", "slices", "2000000000"))
          == "seq1f1b supports fewer than 65535 slices per micro-batch, not 2000000000");
    ScheduleRequest sliced = requestOf("seq1f1b", 4, 100'000);
    sliced.options["slices"] = "1000";
    CHECK(
        errorOf(sliced)
        == "100000 micro-batches of 1000 slices on 4 devices would be 800000000 ops and need 149.0 "
           "GiB, more than the limit of 16777216 ops; use fewer devices, slices or micro-batches");
    ScheduleRequest request = requestOf("looped-bfs", 60'000, 2'000'000'000);
    request.chunks = 2'000'000'000;
    CHECK_THAT(errorOf(request), Catch::Contains("480000000000000000000000 ops"));
}

TEST_CASE("the error about the machine's limit has the available and the required memory")
{
    const SizeLimit limit{50'000'000, 200, true};
    CHECK(checkRequest(requestOf("1f1b", 1024, 20'000), limit));
    CHECK(checkRequest(requestOf("1f1b", 1024, 40'000), limit).error().message
          == "40000 micro-batches on 1024 devices would be 81920000 ops and need 15.3 GiB, more "
             "than the 9.3 GiB available; use fewer devices or micro-batches");
    const SizeLimit machine = limitOfMachine(kBytesPerSummedOp);
    CHECK(machine.ops > kMaxOps);
    CHECK(machine.ops <= kMostOps);
    CHECK(limitOfMachine(kBytesPerOp).ops <= machine.ops);
}

TEST_CASE("an unknown name is answered with the nearest one")
{
    CHECK(errorOf("bitpip", 4, 8) == "unknown scheme 'bitpip'; did you mean 'bitpipe'?");
    CHECK_THAT(errorOf("Schedule1F1B", 4, 8), Catch::EndsWith("did you mean '1f1b'?"));
    CHECK_THAT(errorOf("pipedream-flush", 4, 8), Catch::EndsWith("did you mean '1f1b'?"));
    CHECK_THAT(errorOf("interleaved", 4, 8),
               Catch::EndsWith("did you mean 'interleaved-1f1b', 'interleaved-zb' or "
                               "'grouped-interleaved'?"));
    CHECK_THAT(errorOf("alpha", 4, 8),
               Catch::StartsWith("unknown scheme 'alpha'; use one of: gpipe, 1f1b, "));
    CHECK(errorOf(withOption("gpipe", "backwards", "fifo"))
          == "gpipe has no option 'backwards'; did you mean 'backward'?");
    CHECK(errorOf(withOption("gpipe", "backward", "lif"))
          == "gpipe does not accept backward=lif; did you mean 'lifo'?");
    CHECK(errorOf(withOption("bitpipe", "placement", "lopping"))
          == "bitpipe does not accept placement=lopping; did you mean 'looping'?");
    CHECK(errorOf(withOption("1f1b", "backward", "lifo"))
          == "1f1b has no options; remove --set backward=lifo");
}

TEST_CASE("chunks are refused where the scheme fixes them")
{
    ScheduleRequest request = requestOf("1f1b", 4, 8);
    request.chunks = 2;
    CHECK(errorOf(request) == "1f1b always has 1 chunk per device, not 2; remove --chunks");
    request.scheme = "zb-v";
    CHECK(buildSchedule(request));
    request.scheme = "chimera";
    CHECK(errorOf(request)
          == "chimera always has 1 chunk per device and direction, not 2; remove --chunks");
}

// It named the micro-batches of all iterations and advised fewer of them.
TEST_CASE("the error about a long stream has the number of its windows")
{
    const ScheduleRequest request
        = asStream(requestOf("pipedream", 4, 8), {.warmup = 0, .measured = 3'000'000});
    CHECK(errorOf(request)
          == "24000016 micro-batches on 4 devices would be 192000128 ops and need 35.8 GiB, more "
             "than the limit of 16777216 ops; use fewer devices or micro-batches, or fewer "
             "iterations: the stream has 3000002 windows of 8 micro-batches");
}

// For large updates the number of windows overflowed, and was found one by one, in seconds.
TEST_CASE("a stream has the fewest windows that fill, measure, drain and complete an update")
{
    struct Row
    {
        int microBatches, batch, windows;
    };
    for (const Row& row : {Row{4, 2, 3}, Row{4, 4, 4}, Row{6, 4, 4}, Row{6, 9, 6}, Row{4, 7, 7},
                           Row{4, 1 << 30, 3 << 28}, Row{4, (1 << 30) + 1, (1 << 30) + 1},
                           Row{1, INT_MAX, INT_MAX}}) {
        ScheduleRequest request = requestOf("pipedream-2bw", 2, row.microBatches);
        request.options["batch"] = std::to_string(row.batch);
        CAPTURE(row.microBatches, row.batch);
        CHECK(asStream(request, {}).windows == row.windows);
    }
}

// The default limit applied. A larger window became a stream of one window, which drains.
TEST_CASE("the window of a stream may have as many ops as the limit of the caller")
{
    const ScheduleRequest request = requestOf("pipedream-2bw", 2, 4);
    CHECK(asStream(request, {}, {.ops = 16}).windows == asStream(request, {}).windows);
    CHECK(asStream(request, {}, {.ops = 15}) == request);
}

TEST_CASE("the data-parallel width is part of the shape")
{
    ScheduleRequest request = requestOf("bitpipe", 4, 8);
    request.dataParallel = 3;
    CHECK(buildSchedule(request).value().shape.dataParallel == 3);
}
