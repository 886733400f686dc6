#include "profiler/whatif/predict.h"
#include "profiler/whatif/stage_times.h"
#include "tests/profiler/whatif/measured_run.h"

#include <string>

using namespace engine;
using namespace profiler;
using namespace whatif_test;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// The iteration in its own order with these edits, in ns.
std::int64_t own(const Run& run, const std::vector<std::string>& edits, std::int64_t delay = 0,
                 double linkSpeed = 1, const std::vector<int>& nodes = {})
{
    auto predictor = WhatIfPredictor::create(run).value();
    predictor.times().nodes = nodes;
    for (const std::string& text : edits) {
        predictor.times().slowdowns.push_back(parseRunEdit(text).value());
        REQUIRE(checkEdit(predictor.times().slowdowns.back(), run.schedule, nodes));
    }
    predictor.times().messageDelay = delay;
    return predictor.predictOwn(linkSpeed)->iteration;
}

std::string refusal(std::string_view text)
{
    const auto edit = parseRunEdit(text);
    return edit ? checkEdit(*edit, measuredRun("1f1b").schedule).error().message
                : edit.error().message;
}

} // namespace

// 1F1B, F = 1, B = 2, D = 4, N = 8: the last device is busy from 3 to 27, and 3 backwards follow.
TEST_CASE("edits of ops on the critical path of 1F1B lengthen it by their time")
{
    const Run run = measuredRun("1f1b", 4, 1, 8, 0);
    CHECK(own(run, {}) == 33 * kMs);
    CHECK(own(run, {"3=2"}) == (33 + 8 * 3) * kMs);
    CHECK(own(run, {"3:F=2"}) == (33 + 8) * kMs);
    CHECK(own(run, {"3F5=2"}) == (33 + 1) * kMs);
    CHECK(own(run, {"0B7=2.5"}) == (33 + 3) * kMs);
    CHECK(own(run, {"3F5=2", "3F5=3"}) == (33 + 5) * kMs); // factors multiply
    CHECK(own(run, {"F=2", "B=2"}) == 2 * 33 * kMs);
    CHECK(own(run, {"0=0.5", "1=0.5", "2=0.5", "3=0.5"}) == 33 * kMs / 2);
    CHECK(own(run, {"0F3=2"}) == 33 * kMs); // device 1 runs it later anyway
}

// D = 2, N = 1: F, message, F, B, message, B = 6.2 ms.
TEST_CASE("links are slowed between two devices, by a speed of all, or by a delay")
{
    const Run run = measuredRun("1f1b", 2, 1, 1, 1);
    CHECK(own(run, {}) == 62 * kMs / 10);
    CHECK(own(run, {"0-1=3"}) == 66 * kMs / 10);
    CHECK(own(run, {"1-0=3"}) == 66 * kMs / 10);
    CHECK(own(run, {}, kMs) == 82 * kMs / 10);
    CHECK(own(run, {}, 0, 2) == 61 * kMs / 10);
}

// D = 4, N = 1, devices 0 and 1 in one node, 2 and 3 in another: F crosses once and stays in a node
// twice, and so does B. 12 ms of ops and 6 messages of 0.1 ms.
TEST_CASE("all links within or between nodes are slowed")
{
    const Run run = measuredRun("1f1b", 4, 1, 1, 1);
    const std::vector<int> two{0, 0, 1, 1}, four{0, 1, 2, 3};
    CHECK(own(run, {}, 0, 1, two) == 126 * kMs / 10);
    CHECK(own(run, {"network=3"}, 0, 1, two) == (126 + 2 * 2) * kMs / 10);
    CHECK(own(run, {"node=3"}, 0, 1, two) == (126 + 4 * 2) * kMs / 10);
    CHECK(own(run, {"node=2", "network=2"}, 0, 1, two) == (126 + 6) * kMs / 10);
    const auto network = parseRunEdit("network=2").value(), node = parseRunEdit("node=2").value();
    CHECK_FALSE(network.selectsAs(node));
    CHECK(network.selectsAs(parseRunEdit("network=3").value()));
    CHECK(checkEdit(network, run.schedule, four).has_value());
    CHECK(checkEdit(node, run.schedule, four).error().message
          == "no message is sent within nodes; slow other links");
}

TEST_CASE("classes of links are refused in a prediction for other devices than the run has")
{
    const Run run = measuredRun("1f1b", 4, 1, 8, 1);
    auto predictor = WhatIfPredictor::create(run).value();
    predictor.times().nodes = {0, 0, 1, 1};
    predictor.times().slowdowns = {parseRunEdit("network=2").value()};
    CHECK(predictor.predict({scheduleOf("gpipe", 4, 8)}).has_value());
    CHECK(predictor.predict({scheduleOf("gpipe", 2, 8)}).error().message
          == "the run does not name the nodes of 2 devices; slow a link between two devices, as in "
             "0-1=1.5");
}

TEST_CASE("edited times of stages change the run's own order, too")
{
    const Run run = measuredRun("1f1b", 4, 1, 8, 0);
    auto predictor = WhatIfPredictor::create(run).value();
    REQUIRE(setMedian(predictor.times(), StageId{3}, OpKind::Forward, 2 * kMs));
    CHECK(predictor.predictOwn()->iteration == (33 + 8) * kMs);
    REQUIRE(setMedian(predictor.times(), StageId{3}, OpKind::Forward, kMs));
    setTensorParallel(predictor.times(), 2);
    CHECK(predictor.predictOwn()->iteration == 33 * kMs / 2);
}

TEST_CASE("a slow device slows other schemes, an edited op only the run's own order")
{
    const Run run = measuredRun("1f1b", 4, 1, 8, 0);
    auto predictor = WhatIfPredictor::create(run).value();
    predictor.times().slowdowns = {parseRunEdit("3=2").value()};
    WhatIf gpipe{scheduleOf("gpipe", 4, 8)};
    gpipe.resamples = 0;
    // GPipe: 3 + 8 * 2 on the last device, 8 * 4 there, and 3 backwards.
    CHECK(predictor.predict(gpipe)->iteration == (3 + 16 + 32 + 6) * kMs);
    WhatIf again{scheduleOf("1f1b", 4, 8)};
    again.resamples = 0;
    CHECK(predictor.predict(again)->iteration == predictor.predictOwn()->iteration);
    predictor.times().slowdowns = {parseRunEdit("3F5=3").value()};
    CHECK(predictor.predictOwn()->iteration == (33 + 2) * kMs);
    CHECK(predictor.predict(again)->iteration == 33 * kMs);
}

TEST_CASE("an edit is parsed from its text, and printed again")
{
    for (const char* text :
         {"1=1.5", "F=1.2", "1:F=2", "2F3=0.5", "0-1=3", "2B3u.1=1.25", "node=2", "network=2"})
        CHECK(toString(parseRunEdit(text).value()) == text);
    CHECK(parseRunEdit("0-1=3")->selectsAs(parseRunEdit("1-0=2").value()));
    CHECK(parseRunEdit("2F3=3")->selectsAs(parseRunEdit("2F3=2").value()));
    CHECK_FALSE(parseRunEdit("2F3=3")->selectsAs(parseRunEdit("F=3").value()));
    CHECK_FALSE(parseRunEdit("1:F=3")->selectsAs(parseRunEdit("1=3").value()));
}

TEST_CASE("an edit of something that the run does not have is refused")
{
    CHECK(refusal("1=0") == "0 is not a slow-down factor; give one from 0.001 to 1000");
    CHECK(refusal("1=-2") == "-2 is not a slow-down factor; give one from 0.001 to 1000");
    CHECK(refusal("9=2") == "the run has no device 9; give a device from 0 to 3");
    CHECK(refusal("9F0=2") == "the run has no op 9F0; give one of its ops, as in 2F3");
    CHECK(
        refusal("0-2=2")
        == "no message is sent between devices 0 and 2; give two devices with neighbouring stages");
    CHECK(refusal("node=2")
          == "the run does not name several nodes; slow a link between two devices, as in 0-1=1.5");
    CHECK(refusal("1:W=2") == "device 1 has no W; give a kind of op that it has");
    for (const char* text : {"", "=", "1", "1=", "x=2", "1:=2", "1-=2", "-1=2", "1=nan", "1=1e"})
        CHECK(refusal(text).starts_with("give a device, a kind"));
}
