#include "profiler/search/vary.h"

#include "engine/base/try.h"
#include "profiler/search/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {

constexpr double kLowerShare = 1.0 / 8; // of the orders, for each lower limit

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
        m_request.variesPlacement = variation.placement;
        constexpr std::array kAll{Recompute::None, Recompute::Attention, Recompute::Full};
        constexpr std::array kOffloads{1.0, 1.5, 3.0};
        for (const Recompute recompute : kAll)
            if (variation.recompute || recompute == request.prediction.recompute)
                for (const double from : kOffloads)
                    if (from == 1 || (variation.offload && recompute == Recompute::None))
                        m_kept.emplace_back(recompute, from);
        m_rounds = static_cast<int>(m_kept.size()) * (variation.layers ? 2 : 1);
        m_request.seconds /= m_rounds * (1 + kLowerShare * request.lowerLimits);
        m_request.orders = (m_request.orders + m_rounds - 1) / m_rounds;
    }

    Result<VariedSearch> run()
    {
        TRY(check());
        const auto ahead = m_request.prediction.recomputeAhead;
        for (const auto& [recompute, offloadFrom] : m_kept) {
            m_request.prediction.recompute = recompute;
            m_request.offloadFrom = offloadFrom;
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
            return nothingFound();
        m_best->orders = m_isComplete ? m_request.orders * m_rounds : m_tried;
        m_best->isComplete = m_isComplete;
        m_best->seconds = m_seconds;
        return VariedSearch{*std::move(m_best), m_chosen, std::move(m_choices), {}};
    }

    // Evenly from the peak of the found schedule to that of the leanest published one. A limit that
    // nothing fits is left out.
    std::vector<LowerSearch> searchLower(const VariedSearch& above,
                                         const std::function<void(const LowerSearch&)>& found)
    {
        const SearchChoice& choice = above.choices[above.chosen];
        m_request.prediction.recompute = choice.recompute;
        m_request.prediction.source.setup.layout = choice.layout;
        m_request.orders = std::max<std::int64_t>(
            1, std::llround(kLowerShare * ratio(above.result.orders, m_rounds)));
        const bool isInBytes
            = m_request.limit.isInBytes || above.result.found.metrics.peakBytes().has_value();
        const auto peak = [isInBytes](const RunMetrics& metrics) {
            return isInBytes ? static_cast<double>(metrics.peakBytes().value_or(0))
                             : metrics.peakStash();
        };
        const double most = peak(above.result.found.metrics);
        double least = most;
        for (const PublishedSchedule& one : above.result.published)
            least = std::min(least, peak(one.metrics));
        std::vector<LowerSearch> all;
        // The evicts of an order depend on the limit, so its peak is the limit.
        const int limits = choice.offloadFrom > 1 || least == most ? 0 : m_request.lowerLimits;
        for (int i = 1; i <= limits && !m_stop; ++i) {
            m_request.limit = {isInBytes, {most + (least - most) * i / limits}};
            if (!all.empty() && m_request.limit.admits(all.back().result.found.metrics))
                continue; // it needs less than its limit
            auto result = this->found([](const SearchProgress&) {});
            if (!result)
                continue;
            all.push_back({m_request.limit, *std::move(result)});
            found(all.back());
        }
        return all;
    }

private:
    Result<void> check() const
    {
        const PredictionRequest& prediction = m_request.prediction;
        if (m_variation.layers && !m_request.limit.of.empty() && !m_request.limit.isInBytes)
            return invalid("--vary layers: M_a do not depend on the layers of a stage; give "
                           "--memory in bytes, as in 40GiB");
        if (!m_variation.offload)
            return {};
        if (m_request.limit.of.empty())
            return invalid("--vary offload: without a limit every stash stays on its device; add "
                           "--memory");
        if (prediction.source.isUnits() && prediction.costs.transfer == Fraction{0})
            return invalid("--vary offload: evicts and loads take no time at these costs; give "
                           "their time with --transfer");
        if (prediction.source.kind == CostSource::Kind::Recorded
            && !(prediction.source.run && anyOp(prediction.source.run->schedule, usesHost)))
            return invalid("--vary offload: the run has no copies to host memory, so their time is "
                           "unknown; calibrate with a run of bscope run --offload M_A");
        return {};
    }

    // Every choice has another reason, such as the memory that it would need.
    tl::unexpected<Error> nothingFound() const
    {
        std::string reasons;
        for (const SearchChoice& choice : m_choices) {
            const std::string text = choice.text();
            reasons += m_choices.size() == 1
                ? choice.why
                : fmt::format("{}{}: {}", reasons.empty() ? "" : ". ",
                              text.empty() ? "Nothing added" : text, choice.why);
        }
        return tl::unexpected(Error{Error::Code::Unsupported, std::move(reasons)});
    }

    // Searches for the current choice. Returns the order that was found; nullopt if none was.
    // Fails only if it was cancelled.
    Result<std::optional<Schedule>> next()
    {
        const int round = m_round++;
        SearchChoice& choice = m_choices.emplace_back();
        choice.recompute = m_request.prediction.recompute;
        choice.layout = m_request.prediction.source.setup.layout;
        choice.offloadFrom = m_request.offloadFrom;
        auto result = found([&](SearchProgress now) {
            now.share = (round + now.share) / m_rounds;
            if (choice.offloadFrom > 1 && !m_best)
                return; // the length of an order before evicts is no result
            now.seconds += m_seconds;
            now.orders += m_tried;
            if (m_best && (choice.offloadFrom > 1 || m_best->length() <= now.best)) {
                now.best = m_best->length();
                now.found = nullptr;
            }
            m_progress(now);
        });
        if (!result) {
            if (result.error().code == Error::Code::Cancelled)
                return tl::unexpected(result.error());
            choice.why = result.error().message;
            return std::nullopt;
        }
        choice.length = result->length();
        // Each choice tries as many orders, so that the number of all repeats the search.
        m_request.orders = result->isComplete ? result->orders : m_request.orders;
        m_isComplete = m_isComplete && result->isComplete;
        m_tried += result->orders;
        m_seconds += result->seconds;
        std::optional<Schedule> order = result->order;
        if (!m_best || *choice.length < m_best->length()) {
            m_best = *std::move(result);
            m_chosen = m_choices.size() - 1;
        }
        return order;
    }

    Result<SearchResult> found(const std::function<void(const SearchProgress&)>& progress) const
    {
        const auto costs = TRY(costsOf(m_request.prediction));
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
    std::vector<std::pair<Recompute, double>> m_kept; // what is rebuilt, and from where evicted
    int m_rounds = 1, m_round = 0;
    std::vector<SearchChoice> m_choices;
    std::optional<SearchResult> m_best;
    bool m_isComplete = true;
    std::int64_t m_tried = 0; // orders
    double m_seconds = 0;
    std::size_t m_chosen = 0;
};

} // namespace

Fields<Variation> variationFields()
{
    const auto varied
        = [](const char* flag, const char* label, const char* help, bool Variation::*member) {
              return field(option({}, flag, label, help), member);
          };
    static const std::array kFields{
        varied("--vary placement", "Any placement of stages",
               "start from schemes with any placement and number of stages", &Variation::placement),
        varied("--vary layers", "Layers per stage", "also balance the layers of the stages",
               &Variation::layers),
        varied("--vary recompute", "Recomputation", "none, attention or full",
               &Variation::recompute),
        varied("--vary offload", "Stashes to the host",
               "evict stashes to host memory where that is shorter", &Variation::offload),
    };
    return kFields;
}

std::string varyText(const Variation& variation)
{
    std::string text = "order";
    for (const auto& field : variationFields())
        if (field.get(variation) == "true")
            text += "," + field.flag.substr(field.flag.find(' ') + 1);
    return text;
}

std::string SearchChoice::text() const
{
    const std::string options = this->options();
    return offloadFrom == 1 ? options
                            : fmt::format("{}{}an order of {} x the limit, with evicts to the host",
                                          options, options.empty() ? "" : ", ", offloadFrom);
}

std::string SearchChoice::options() const
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
                                  const std::atomic<bool>& stop,
                                  const std::function<void(const LowerSearch&)>& found)
{
    Variations search(request, variation, progress, stop);
    auto result = TRY(search.run());
    if (request.lowerLimits > 0)
        result.lower = search.searchLower(result, found);
    return result;
}

} // namespace profiler
