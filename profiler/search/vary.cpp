#include "profiler/search/vary.h"

#include "engine/base/try.h"
#include "profiler/search/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

class Variations
{
public:
    Variations(const SearchRequest& request, Variation variation,
               const std::function<void(const SearchProgress&)>& progress,
               const std::atomic<bool>& stop)
        : m_request(request)
        , m_variation(variation)
        , m_progress(progress)
        , m_stop(stop)
    {
        constexpr std::array kAll{Recompute::None, Recompute::Attention, Recompute::Full};
        m_recomputes.assign(kAll.begin(), kAll.end());
        if (!variation.recompute)
            m_recomputes = {request.prediction.recompute};
        m_rounds = static_cast<int>(m_recomputes.size()) * (variation.layers ? 2 : 1);
        m_request.seconds /= m_rounds;
        m_request.orders = (m_request.orders + m_rounds - 1) / m_rounds;
    }

    Result<VariedSearch> run()
    {
        if (m_variation.layers && !m_request.limit.of.empty() && !m_request.limit.isInBytes)
            return invalid("--vary layers: M_a do not depend on the layers of a stage; give "
                           "--memory in bytes, as in 40GiB");
        const auto ahead = m_request.prediction.recomputeAhead;
        for (const Recompute recompute : m_recomputes) {
            m_request.prediction.recompute = recompute;
            const bool hasNone = m_variation.recompute && recompute == Recompute::None;
            m_request.prediction.recomputeAhead = hasNone ? std::nullopt : ahead;
            const auto order = TRY(next());
            if (!m_variation.layers || !order)
                continue;
            const PredictionRequest even = m_request.prediction;
            const auto layers = TRY(balanced(*order));
            if (layers) {
                m_request.prediction.source.setup.layout = *layers;
                TRY(next());
            }
            m_request.prediction = even;
        }
        if (!m_best)
            return tl::unexpected(*m_error);
        return VariedSearch{*std::move(m_best), m_chosen, std::move(m_choices)};
    }

private:
    // Searches for the current choice. Returns the order that was found; nullopt if none was.
    // Fails only if it was cancelled.
    Result<std::optional<Schedule>> next()
    {
        const int round = m_round++;
        SearchChoice& choice = m_choices.emplace_back();
        choice.recompute = m_request.prediction.recompute;
        choice.layout = m_request.prediction.source.setup.layout;
        auto result = found([&](SearchProgress now) {
            now.share = (round + now.share) / m_rounds;
            m_progress(now);
        });
        if (!result) {
            if (result.error().code == Error::Code::Cancelled)
                return tl::unexpected(result.error());
            choice.why = result.error().message;
            if (!m_error)
                m_error = result.error();
            return std::nullopt;
        }
        choice.length = result->length();
        std::optional<Schedule> order = result->order;
        if (!m_best || *choice.length < m_best->length()) {
            m_best = *std::move(result);
            m_chosen = m_choices.size() - 1;
        }
        return order;
    }

    Result<SearchResult> found(const std::function<void(const SearchProgress&)>& progress) const
    {
        const PredictionRequest& prediction = m_request.prediction;
        if (prediction.recompute == Recompute::Attention
            && prediction.source.kind == CostSource::Kind::Hardware
            && prediction.source.setup.attention == AttentionMode::Flash)
            return invalid("flash attention stores no scores, so there are none to recompute");
        const auto costs = TRY(costsOf(prediction));
        return search(m_request, costs, progress, m_stop);
    }

    // The layers with the shortest iteration of this order; nullopt: those that it has.
    Result<std::optional<LayerLayout>> balanced(const Schedule& order) const
    {
        auto task = TRY(LayoutTask::create(m_request.prediction, order, ""));
        task.limit = m_request.limit;
        const auto layers = TRY(balancedLayers(
            task.before, [&task](const LayerLayout& layout) { return task.score(layout); }));
        return layers == task.before ? std::nullopt : std::optional(LayerLayout(layers));
    }

    SearchRequest m_request;
    Variation m_variation;
    const std::function<void(const SearchProgress&)>& m_progress;
    const std::atomic<bool>& m_stop;
    std::vector<Recompute> m_recomputes;
    int m_rounds = 1, m_round = 0;
    std::vector<SearchChoice> m_choices;
    std::optional<SearchResult> m_best;
    std::size_t m_chosen = 0;
    std::optional<Error> m_error; // of the first choice without a length
};

} // namespace

std::string SearchChoice::text() const
{
    std::string text;
    if (recompute != Recompute::None)
        text += fmt::format("--recompute {}", nameIn(kRecomputeNames, recompute));
    if (!layout.isDefault())
        text += fmt::format("{}--layout '{}'", text.empty() ? "" : " ", layout.text());
    return text;
}

Result<VariedSearch> searchVaried(const SearchRequest& request, Variation variation,
                                  const std::function<void(const SearchProgress&)>& progress,
                                  const std::atomic<bool>& stop)
{
    return Variations(request, variation, progress, stop).run();
}

} // namespace profiler
