#include "app/whatif/what_if.h"
#include "app/whatif/what_if_page.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

namespace app {
namespace {

WhatIfRow rowWithInterval(std::int64_t iteration, std::int64_t least, std::int64_t most)
{
    WhatIfRow row;
    row.scheme = QStringLiteral("zb-v");
    row.isKnown = row.hasInterval = true;
    row.iteration = iteration;
    row.least = least;
    row.most = most;
    return row;
}

std::string textOf(const WhatIfVerdict& verdict)
{
    return (verdict.bold + QLatin1Char(' ') + verdict.rest).toStdString();
}

} // namespace

TEST_CASE("a prediction is shorter only if its whole interval is")
{
    const WhatIfNumbers numbers{488'000'000, {}, 0};
    using Kind = WhatIfVerdict::Kind;
    CHECK(verdictOf(rowWithInterval(412'000'000, 405'000'000, 421'000'000), numbers).kind
          == Kind::Shorter);
    CHECK(verdictOf(rowWithInterval(480'000'000, 470'000'000, 490'000'000), numbers).kind
          == Kind::Unclear);
    CHECK(verdictOf(rowWithInterval(500'000'000, 490'000'000, 510'000'000), numbers).kind
          == Kind::Longer);
    CHECK(textOf(verdictOf(rowWithInterval(412'000'000, 405'000'000, 421'000'000), numbers))
          == "ZB-V would take 412.0 ms instead of 488.0 ms (\u221215.6\u202F%, 95 % interval 405.0 "
             "to 421.0).");
}

TEST_CASE("the run's own order takes as long as recorded until an edit changes it")
{
    const WhatIfNumbers numbers{488'000'000, {}, 0};
    WhatIfRow row = rowWithInterval(488'000'000, 488'000'000, 488'000'000);
    row.scheme = kOwnOrder;
    row.hasInterval = false;
    CHECK(textOf(verdictOf(row, numbers))
          == "The run's own order takes 488.0 ms, as recorded. Drag the end of an op, or slow a "
             "device or a link.");
    row.iteration = row.least = row.most = 500'000'000;
    CHECK(textOf(verdictOf(row, numbers))
          == "Own order would take 500.0 ms instead of 488.0 ms (+2.5\u202F%).");
}

// 16 micro-batches were said to be longer than 8.
TEST_CASE("an iteration of other micro-batches is compared per micro-batch")
{
    WhatIfNumbers numbers{400'000'000, {}, 0};
    numbers.measuredBatches = 8;
    numbers.batches = 16;
    const auto verdict = verdictOf(rowWithInterval(600'000'000, 590'000'000, 610'000'000), numbers);
    CHECK(verdict.kind == WhatIfVerdict::Kind::Shorter);
    CHECK(
        textOf(verdict)
        == "ZB-V would take 600.0 ms for 16 micro-batches instead of 400.0 ms for 8 micro-batches "
           "(\u221225.0\u202F% per micro-batch, 95 % interval 590.0 to 610.0).");
}

// Named the device that changes most: "3.84 MiB more", where the why panel said "+3.32 MiB".
TEST_CASE("the sentence says how the peak of the fullest device changes, and a limit that is near")
{
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    WhatIfRow row = rowWithInterval(412'000'000, 405'000'000, 421'000'000);
    row.deviceBytes = engine::IdVector<engine::DeviceId, std::int64_t>({6 * kGiB, 5 * kGiB});
    WhatIfNumbers numbers{488'000'000, {}, 0};
    numbers.measuredBytes = engine::IdVector<engine::DeviceId, std::int64_t>({3 * kGiB, 4 * kGiB});
    CHECK(textOf(verdictOf(row, numbers)).ends_with(", with 2.00 GiB more on the fullest device."));
    numbers.memory = {8 * kGiB, 0};
    CHECK(verdictOf(row, numbers).kind == WhatIfVerdict::Kind::Shorter);
    numbers.memory = {8 * kGiB, 25};
    CHECK(verdictOf(row, numbers).kind == WhatIfVerdict::Kind::AlmostFull);
    numbers.measuredBytes.pop_back(); // of another number of devices
    CHECK(textOf(verdictOf(row, numbers)).ends_with("421.0)."));
}

TEST_CASE("the command repeats the changes of the page")
{
    const engine::Shape shape = simulatedRun({"1f1b", 4, 8}).schedule.shape;
    WhatIfChanges changes;
    changes.microBatches = 8;
    const auto command = [&](const char* file) {
        return whatIfCommand(QString::fromUtf8(file), QStringLiteral("zb-v"), changes, shape)
            .toStdString();
    };
    CHECK(command("runs/a.sqlite") == "bscope whatif runs/a.sqlite --scheme zb-v");
    changes.microBatches = 16;
    changes.linkSpeed = 2;
    changes.removesStragglers = true;
    changes.weightShare = 0.4;
    changes.times[{3, engine::OpKind::Forward}] = 12'400'000;
    CHECK(command("it's.sqlite")
          == "bscope whatif 'it'\\''s.sqlite' --scheme zb-v --micro-batches 16 --link-speed 2 "
             "--op-time 3F=12.4 --weight-share 0.4 --no-stragglers");
    changes = {};
    changes.microBatches = 8;
    changes.moves = layerMoves({8, 8, 8, 8}, {8, 8, 9, 7});
    changes.layers = 32;
    changes.tensorParallel = 2;
    CHECK(command("a.sqlite")
          == "bscope whatif a.sqlite --scheme zb-v --move-layers 3:2=1 --layers 32 "
             "--tensor-parallel 2");
}

TEST_CASE("layers that leave the slowest stage shorten the prediction")
{
    const engine::Run run = simulatedRun({"1f1b", 2, 4, 1, true});
    auto predictor = profiler::WhatIfPredictor::create(run).value();
    for (std::int64_t& time : predictor.times().stages[engine::StageId{1}].forward.times)
        time *= 2;
    WhatIfChanges changes;
    changes.microBatches = 4;
    const auto iteration
        = [&] { return whatIfDetails(predictor, run, changes, QStringLiteral("1f1b")); };
    const auto before = iteration();
    changes.moves = layerMoves({4, 4}, {5, 3});
    changes.layers = 8;
    const auto after = iteration();
    REQUIRE((before.run && after.run));
    CHECK(after.run->timeline.iterations.front().window.duration()
          < before.run->timeline.iterations.front().window.duration());
    CHECK(after.alternatives.front()
          == std::pair(QStringLiteral("With the measured layers per stage"),
                       before.run->timeline.iterations.front().window.duration()));
    changes.tensorParallel = 2;
    CHECK(iteration().assumptions.back().starts_with("Ops take 0.5 of their time"));
}

TEST_CASE("runs without measured times say why nothing is predicted")
{
    CHECK_FALSE(whyNoWhatIf(nullptr).isEmpty());
    CHECK(whyNoWhatIf(sharedRun({"1f1b", 4, 4, 1, true}).get()).isEmpty());
    CHECK(whyNoWhatIf(sharedRun({"1f1b", 4, 4}).get()).contains(QStringLiteral("simulated")));
    engine::Run imported = simulatedRun({"1f1b", 4, 4, 1, true});
    imported.info.mode = engine::Mode::Imported;
    imported.info.import.emplace();
    CHECK(whyNoWhatIf(&imported).contains(QStringLiteral("do not name stages")));
    imported.info.import->stagesKnown = true;
    CHECK(whyNoWhatIf(&imported).isEmpty());
}

TEST_CASE("the slowest device is compared with the mean of the others")
{
    engine::Run run = simulatedRun({"1f1b", 2, 4, 1, true});
    auto times = profiler::measuredTimes(run).value();
    CHECK(slowestDevice(run, times).device == -1);
    for (std::int64_t& time : times.stages[engine::StageId{1}].forward.times)
        time = time * 13 / 10; // of F + B = 3: 10 % of the sum
    CHECK(slowestDevice(run, times).device == 1);
    CHECK(slowestDevice(run, times).excess == Approx(0.1));
}

} // namespace app
