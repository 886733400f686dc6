#include "app/whatif/what_if.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

namespace app {
namespace {

WhatIfChanges batches(int count)
{
    WhatIfChanges changes;
    changes.microBatches = count;
    return changes;
}

struct Predicted
{
    Predicted()
        : predictions(sharedRun({"1f1b", 4, 8, 2, true}))
    {
        QObject::connect(&predictions, &WhatIfPredictions::measured,
                         [this](const auto& known) { predictor = known; });
        QObject::connect(&predictions, &WhatIfPredictions::predicted,
                         [this](const auto& row) { rows.push_back(row); });
        QObject::connect(&predictions, &WhatIfPredictions::schemeExplained,
                         [this](const WhatIfDetails& one, const auto&) { details.push_back(one); });
        QObject::connect(&predictions, &WhatIfPredictions::progressed,
                         [this](int done, int all) { isComplete = done == all; });
        REQUIRE(waitFor([this] { return predictor != nullptr; }));
    }

    WhatIfPredictions predictions;
    WhatIfPredictions::Predictor predictor;
    std::vector<WhatIfRow> rows;
    std::vector<WhatIfDetails> details;
    bool isComplete = false;
};

} // namespace

TEST_CASE(
    "every scheme is predicted twice: at once, then with its interval, which the own order has not")
{
    Predicted predicted;
    predicted.predictions.ask(batches(8), {});
    REQUIRE(waitFor([&] { return predicted.isComplete; }));
    for (const QString& scheme : whatIfSchemes()) {
        CAPTURE(scheme.toStdString());
        std::vector<bool> intervals;
        for (const WhatIfRow& row : predicted.rows)
            if (row.scheme == scheme && row.isKnown)
                intervals.push_back(row.hasInterval);
        const bool isRefused = scheme == QStringLiteral("bpipe"); // the run has no evicts
        CHECK(intervals
              == (isRefused ? std::vector<bool>() : std::vector{false, scheme != kOwnOrder}));
    }
    CHECK(predicted.details.empty());
}

TEST_CASE("a new request drops the rows of the one before it")
{
    Predicted predicted;
    predicted.predictions.ask(batches(64), QStringLiteral("gpipe"));
    predicted.predictions.ask(batches(4), QStringLiteral("zb-h1"));
    REQUIRE(waitFor([&] { return predicted.isComplete && !predicted.details.empty(); }));
    for (const WhatIfRow& row : predicted.rows) {
        CAPTURE(row.scheme.toStdString());
        const auto expected = predictScheme(*predicted.predictor, row.scheme, batches(4));
        CHECK(row.isKnown == expected.has_value());
        if (expected)
            CHECK(row.iteration == expected->iteration);
    }
    REQUIRE(predicted.details.size() == 1);
    CHECK(predicted.details[0].row.scheme == QStringLiteral("zb-h1"));
    CHECK(predicted.details[0].run->schedule.shape.microBatches == 4);
}

TEST_CASE("a run without times of a stage fails with the reason")
{
    engine::Run run = simulatedRun({"1f1b", 4, 8, 2, true});
    run.info.import.emplace(); // whose stages are unknown
    WhatIfPredictions predictions(std::make_shared<const engine::Run>(std::move(run)));
    QString reason;
    QObject::connect(&predictions, &WhatIfPredictions::failed,
                     [&](const QString& why) { reason = why; });
    REQUIRE(waitFor([&] { return !reason.isEmpty(); }));
    CHECK(reason.contains(QStringLiteral("stages of this run are unknown")));
}

} // namespace app
