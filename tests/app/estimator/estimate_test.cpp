#include "app/estimator/estimator_page.h"
#include "app/ui/form.h"
#include "tests/catch.h"

#include <algorithm>

using namespace app;

namespace {

constexpr double kMebi = 1024.0 * 1024;

engine::BpipeAnswer answered(const EstimateRequest& request)
{
    const auto question = profiler::questionOf(request);
    REQUIRE(question);
    auto answer = engine::bpipeGain(*question);
    REQUIRE(answer);
    return *std::move(answer);
}

std::string problem(const EstimateRequest& request)
{
    const auto question = profiler::questionOf(request);
    if (!question)
        return question.error().message;
    const auto answer = engine::bpipeGain(*question);
    return answer ? "" : answer.error().message;
}

// Types a text into a field; returns why it was refused.
std::string typed(EstimateRequest& request, const char* flag, const char* text)
{
    const auto* field = engine::findField(profiler::estimateFields(), flag);
    REQUIRE(field != nullptr);
    const auto done = engine::setChecked(*field, request, text);
    return done ? "" : done.error().message;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the published cases of the estimator are computed within their tolerances")
{
    const std::vector<double> tolerances{0.08 * 1.35, 0.02, 0.03};
    REQUIRE(bpipeCases().size() == tolerances.size());
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
        const BpipeCase& one = bpipeCases()[i];
        CAPTURE(one.title.toStdString());
        const BpipeStep step = stepsOf(answered(one.request)).front();
        CHECK(step.from == one.from);
        CHECK(step.to == one.to);
        CHECK(step.speedUp() == Approx(one.speedUp).margin(tolerances[i]));
        const BpipeCase& point = one;
        CHECK(point.gain / step.needed == Approx(point.speedUp));
    }
}

TEST_CASE("a text of the estimator that is no list of numbers names its field")
{
    EstimateRequest request = defaultEstimate();
    CHECK(problem(request).empty());
    CHECK(typed(request, "--micro-batch-size", "1, two")
          == "--micro-batch-size two: give sequences from 1 to 1048576, as in 1,2,4");
    CHECK(contains(typed(request, "--micro-batch-size", "0"), "size 0: give sequences from 1"));
    CHECK(contains(typed(request, "--micro-batch-size", "1.5"), "size 1.5: give sequences"));
    CHECK(contains(typed(request, "--micro-batch-size", " , "), "size: give sequences"));
    CHECK(request == defaultEstimate());                           // a refused text changes nothing
    CHECK(typed(request, "--micro-batch-size", "1; 2 4").empty()); // any separator
    CHECK(contains(typed(request, "--stage-mfu", "40, 120"), "--stage-mfu 120: give a percentage"));
    CHECK_FALSE(request.hasStageMfu);
    CHECK(typed(request, "--stage-mfu", "40, 50").empty());
    CHECK(contains(problem(request), "--stage-mfu has 2 values for 3 micro-batch sizes"));
    CHECK(typed(request, "--stage-mfu", "40, 50, 50.5").empty());
    CHECK(problem(request).empty());
    CHECK(answered(request).rows[1].stageMfu == Approx(0.5));
    request.globalBatch = 6;
    CHECK(contains(problem(request), "--global-batch 6 is not divisible by micro-batches of 4"));
    request.globalBatch = 128;
    request.devices = 200;
    CHECK(contains(problem(request), "80 layers"));
}

TEST_CASE("the window words an error with the label of its field")
{
    CHECK(withLabels(profiler::estimateFields(), "--stage-mfu has 2 values; see --stage-mfus")
          == QStringLiteral("Stage MFU has 2 values; see --stage-mfus"));
    CHECK(withLabels(profiler::estimateFields(), "--devices 9 with --chunks 2")
          == QStringLiteral("Devices D 9 with Chunks v 2"));
}

TEST_CASE("the command of the estimator repeats its set-up")
{
    EstimateRequest request = defaultEstimate();
    CHECK(estimateCommand(request)
          == QStringLiteral("bscope estimate bpipe --devices 8 --global-batch 128 "
                            "--micro-batch-size 1,2,4 --model gpt3-96b --hardware "
                            "a100-sxm-80 --tensor-parallel 4 --attention recompute --reserve 5"));
    request.source.setup.dataParallel = 2;
    request.source.setup.attention = engine::AttentionMode::Flash;
    request.stageMfu = {40, 50, 50.5};
    CHECK_FALSE(estimateCommand(request).contains(QStringLiteral("--stage-mfu")));
    request.hasStageMfu = true;
    const QString command = estimateCommand(request);
    CHECK(command.contains(QStringLiteral("--data-parallel 2")));
    CHECK(command.contains(QStringLiteral("--stage-mfu 40,50,50.5")));
}

TEST_CASE("the sources of the numbers say that the peak is that of 16 bits")
{
    const EstimateRequest plan = defaultEstimate();
    const auto sources = numberSources(profiler::questionOf(plan).value(), answered(plan), 0);
    const auto peak
        = std::ranges::find(sources, QStringLiteral("Peak 312 TFLOP/s"), &NumberSource::title);
    REQUIRE(peak != sources.end());
    CHECK(peak->detail.startsWith(QStringLiteral("of 16-bit matrix products")));
}

// The window took the link in a node for all partners, the command the one that the mapping gives.
TEST_CASE("the partners of BPipe are in the nodes of the mapping")
{
    EstimateRequest request = defaultEstimate(); // two devices of four GPUs in a node
    const auto link = [&] {
        const auto question = profiler::questionOf(request).value();
        return numberSources(question, answered(request), 0).back();
    };
    CHECK(link().detail.contains(QStringLiteral("replicas-together on 4 nodes")));
    const QString across = link().title;
    request.schedule.mapping = "pair-adjacent"; // partners share a node
    CHECK(link().title != across);
}

TEST_CASE("the simulated memory of the fullest device is that of the estimate")
{
    const EstimateRequest plan = defaultEstimate();
    const engine::BpipeRow row = answered(plan).rows[1];
    const auto memory = bpipeMemory(plan, 2);
    REQUIRE(memory);
    REQUIRE(memory->oneFOneB.amounts.size() == 8);
    REQUIRE(memory->bpipe.amounts.size() == 8);
    CHECK(memory->oneFOneB.total({0}) == Approx(row.memory.oneFOneB).margin(kMebi));
    CHECK(memory->bpipe.highest() == Approx(row.memory.bpipe.value()).epsilon(0.01));
    // The last two parts are the device's own stashes and those of its partner.
    CHECK(memory->bpipe.parts.back().isHatched);
    CHECK(memory->bpipe.amounts[{0}].back() == 0);
    const std::vector<double>& last = memory->bpipe.amounts[{7}];
    CHECK(last.back() > last[last.size() - 2]);
    CHECK_FALSE(memory->oneFOneB.parts.back().isHatched);
}

TEST_CASE("more micro-batches than are simulated do not change the memory of a device")
{
    EstimateRequest shorter = defaultEstimate(), longer = shorter;
    shorter.globalBatch = 2 * shorter.devices;
    longer.globalBatch = 4 * longer.devices;
    const auto few = bpipeMemory(shorter, 1), many = bpipeMemory(longer, 1);
    REQUIRE(few);
    REQUIRE(many);
    CHECK(few->microBatches == 16);
    CHECK(many->microBatches == 32);
    CHECK(few->bpipe.totals() == many->bpipe.totals());
    CHECK(few->oneFOneB.totals() == many->oneFOneB.totals());
}

TEST_CASE("a step between sizes states the needed and the actual change of the stage MFU")
{
    CHECK(stepText({1, 2, 1.339, 1.052})
          == QStringLiteral("b = 1 to 2: the stage MFU must rise 5.2\u202F% to offset the bubble; "
                            "it rises 33.9\u202F%."));
    CHECK(stepText({4, 2, 0.98, 0.95})
          == QStringLiteral(
              "b = 4 to 2: the stage MFU may fall 5.0\u202F%, because the bubble shrinks; "
              "it falls 2.0\u202F%."));
}
