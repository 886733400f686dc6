#include "engine/base/try.h"
#include "engine/cost/hardware.h"
#include "profiler/search/balance.h"
#include "tests/catch.h"
#include "tests/support/pipelines.h"

#include <algorithm>
#include <functional>

using namespace engine;
using namespace profiler;

namespace {

// A model whose output layer takes as long as several layers.
ModelOnHardware wideVocabulary(int layers)
{
    ModelOnHardware on{loadTransformer("small").value(), loadHardware("a100-sxm-80").value(), {}};
    on.model.layers = layers;
    on.model.vocabulary = 200'000;
    return on;
}

ScoreLayout scoreOf(const char* scheme, int devices, ModelOnHardware on, MemoryLimit limit = {})
{
    const Schedule schedule = tests::scheduleOf(scheme, devices, 2 * devices);
    return [=](const LayerLayout& layout) -> Result<LayoutScore> {
        PredictionCosts costs;
        costs.model = on;
        costs.model->setup.layout = layout;
        return LayoutScore::of(TRY(predict(schedule, costs, {.needsSpans = false})).metrics, limit);
    };
}

// Every way to divide the layers, with at least one for each stage.
void forEachSplit(std::vector<int>& split, std::size_t stage, int left,
                  const std::function<void()>& visit)
{
    const auto after = static_cast<int>(split.size() - stage) - 1;
    if (after == 0) {
        split[stage] = left;
        return visit();
    }
    for (int own = 1; own <= left - after; ++own) {
        split[stage] = own;
        forEachSplit(split, stage + 1, left - own, visit);
    }
}

} // namespace

TEST_CASE("the balanced layers are the best of all layouts of small cases")
{
    struct Row
    {
        const char* scheme;
        int devices, stages, layers;
    };
    for (const auto& [scheme, devices, stages, layers] :
         {Row{"1f1b", 3, 3, 12}, Row{"1f1b", 4, 4, 14}, Row{"gpipe", 4, 4, 13},
          Row{"zb-h1", 4, 4, 12}, Row{"interleaved-1f1b", 2, 4, 12}, Row{"zb-v", 2, 4, 13}}) {
        INFO(scheme << ' ' << layers);
        const ScoreLayout score = scoreOf(scheme, devices, wideVocabulary(layers));
        const auto found = balancedLayers(LayerLayout().counts(layers, stages), score);
        REQUIRE(found);
        std::vector<int> split(static_cast<std::size_t>(stages), 0);
        LayoutScore best = score(LayerLayout(*found)).value();
        const std::int64_t balanced = best.iteration;
        forEachSplit(split, 0, layers,
                     [&] { best = std::min(best, score(LayerLayout(split)).value()); });
        CHECK(balanced == best.iteration);
        CHECK(balanced < score(LayerLayout()).value().iteration);
    }
}

TEST_CASE("layers leave a device whose memory they exceed")
{
    const ModelOnHardware on = wideVocabulary(12);
    const auto peaks = [&](const std::vector<int>& layers) {
        const ScoreLayout none = scoreOf("1f1b", 3, on, {true, {0}});
        return none(LayerLayout(layers)).value().excess;
    };
    const double limit = 0.98 * peaks(LayerLayout().counts(12, 3));
    const auto found
        = balancedLayers(LayerLayout().counts(12, 3), scoreOf("1f1b", 3, on, {true, {limit}}));
    REQUIRE(found);
    CHECK(peaks(*found) <= limit);
}
