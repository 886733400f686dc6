#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/small_training.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_schedule.h"

#include <fstream>

using namespace engine;

namespace {

// The losses and gradient norms of a run with exact sums.
std::vector<std::pair<double, double>> resultsOf(const std::string& program)
{
    const tests::TemporaryFolder folder;
    const auto file = folder / "schedule.csv";
    std::ofstream(file) << writeCsv(tests::scheduleFrom({program}));
    Experiment experiment;
    experiment.scheduleFile = file.string();
    experiment.model = tests::narrowModel(2);
    experiment.accumulate = Accumulate::Exact;
    experiment.warmup = 0;
    experiment.iterations = 3;
    const auto run = tests::runOf(experiment);
    if (!run)
        FAIL(run.error().message);
    std::vector<std::pair<double, double>> results;
    for (const Iteration& iteration : run->timeline.iterations)
        if (iteration.loss)
            results.emplace_back(*iteration.loss, iteration.gradientNorm.value());
    return results;
}

} // namespace

// W added its two halves as floats.
TEST_CASE("exact sums do not depend on whether a B, an I and a W, or two halves add to them")
{
    const auto whole = resultsOf("0F0 0B0.0 0B0.1 0F1 0B1");
    CHECK(whole.size() == 3);
    CHECK(resultsOf("0F0 0B0.0 0B0.1 0F1 0I1 0W1") == whole);
    CHECK(resultsOf("0F0 0B0.0 0B0.1 0F1 0B1.0 0B1.1") == whole);
}
