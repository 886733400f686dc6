#include "app/estimator/bpipe_text.h"
#include "app/plan/bpipe_memory.h"
#include "tests/catch.h"

#include <algorithm>

using namespace app;

namespace {

constexpr double kMebi = 1024.0 * 1024;

engine::BpipeAnswer answered(const BpipePlan& plan)
{
    const auto question = questionOf(plan);
    REQUIRE(question);
    auto answer = answerOf(*question);
    REQUIRE(answer);
    return *std::move(answer);
}

std::string problem(const BpipePlan& plan)
{
    const auto question = questionOf(plan);
    if (!question)
        return question.error().message;
    const auto answer = answerOf(*question);
    return answer ? "" : answer.error().message;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the published cases of the estimator are computed within their tolerances")
{
    const std::vector<double> tolerances{0.15 * 1.35, 0.02, 0.03};
    REQUIRE(bpipeCases().size() == tolerances.size());
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
        const BpipeCase& one = bpipeCases()[i];
        CAPTURE(one.title.toStdString());
        const BpipeStep step = stepsOf(answered(one.plan)).front();
        CHECK(step.from == one.from);
        CHECK(step.to == one.to);
        CHECK(step.speedUp() == Approx(one.speedUp).margin(tolerances[i]));
        const BpipePoint& point = publishedPoints()[i];
        CHECK(point.gain / step.needed == Approx(point.speedUp));
    }
}

TEST_CASE("a text of the estimator that is no list of numbers names its field")
{
    BpipePlan plan;
    CHECK(problem(plan).empty());
    plan.sizes = QStringLiteral("1, two");
    CHECK(contains(problem(plan), "Micro-batch sizes: “two” is not a number of sequences"));
    plan.sizes = QStringLiteral("0");
    CHECK(contains(problem(plan), "“0” is not a number of sequences from 1 to 1048576"));
    plan.sizes = QStringLiteral(" , ");
    CHECK(contains(problem(plan), "Micro-batch sizes are missing"));
    plan.sizes = QStringLiteral("1; 2 4"); // any separator
    plan.hasTypedMfu = true;
    CHECK(contains(problem(plan), "Stage MFU is missing"));
    plan.stageMfu = QStringLiteral("40, 120");
    CHECK(contains(problem(plan), "“120” is not a number from 0 to 100 %"));
    plan.stageMfu = QStringLiteral("40, 50");
    CHECK(contains(problem(plan), "Stage MFU has 2 values for 3 micro-batch sizes"));
    plan.stageMfu = QStringLiteral("40, 50, 50.5");
    CHECK(problem(plan).empty());
    CHECK(answered(plan).rows[1].stageMfu == Approx(0.5));
    plan.batch = 6;
    CHECK(contains(problem(plan), "Batch 6 is not divisible by micro-batches of 4"));
    plan.batch = 128;
    plan.devices = 200;
    CHECK(contains(problem(plan), "80 layers"));
}

TEST_CASE("the command of the estimator repeats its set-up")
{
    BpipePlan plan;
    CHECK(estimateCommand(plan)
          == QStringLiteral("bscope estimate bpipe --model gpt3-96b --hardware a100-sxm-80 "
                            "--devices 8 --global-batch 128 --micro-batch-size 1,2,4 "
                            "--tensor-parallel 4 --attention recompute --reserve 5"));
    plan.setup.dataParallel = 2;
    plan.setup.attention = engine::AttentionMode::Flash;
    plan.hasTypedMfu = true;
    plan.stageMfu = QStringLiteral("40 50 50.5");
    const QString command = estimateCommand(plan);
    CHECK(command.contains(QStringLiteral("--data-parallel 2")));
    CHECK(command.contains(QStringLiteral("--stage-mfu 40,50,50.5")));
}

TEST_CASE("the sources of the numbers say that the peak is that of 16 bits")
{
    const BpipePlan plan;
    const auto sources = numberSources(questionOf(plan).value(), answered(plan), 0);
    const auto peak
        = std::ranges::find(sources, QStringLiteral("Peak 312 TFLOP/s"), &NumberSource::title);
    REQUIRE(peak != sources.end());
    CHECK(peak->detail.startsWith(QStringLiteral("of 16-bit matrix products")));
}

TEST_CASE("the simulated memory of the fullest device is that of the estimate")
{
    const BpipePlan plan;
    const engine::BpipeRow row = answered(plan).rows[1];
    const auto memory = bpipeMemory(plan, 2);
    REQUIRE(memory);
    REQUIRE(memory->oneFOneB.size() == 8);
    REQUIRE(memory->bpipe.size() == 8);
    CHECK(memory->oneFOneB[0].sum() == Approx(row.memory.oneFOneB).margin(kMebi));
    CHECK(std::ranges::max(memory->bpipe, {}, &DevicePeak::sum).sum()
          == Approx(row.memory.bpipe.value()).epsilon(0.01));
    CHECK(memory->bpipe[0].guests == 0);
    CHECK(memory->bpipe[7].guests > memory->bpipe[7].stash);
    CHECK(memory->oneFOneB[7].guests == 0);
}

TEST_CASE("more micro-batches than are simulated do not change the memory of a device")
{
    BpipePlan shorter, longer;
    shorter.batch = 2 * shorter.devices;
    longer.batch = 4 * longer.devices;
    const auto few = bpipeMemory(shorter, 1), many = bpipeMemory(longer, 1);
    REQUIRE(few);
    REQUIRE(many);
    CHECK(few->microBatches == 16);
    CHECK(many->microBatches == 32);
    for (std::size_t device = 0; device < few->bpipe.size(); ++device) {
        CHECK(few->bpipe[device].sum() == many->bpipe[device].sum());
        CHECK(few->oneFOneB[device].sum() == many->oneFOneB[device].sum());
    }
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
