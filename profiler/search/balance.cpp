#include "profiler/search/balance.h"

#include "engine/base/try.h"

#include <algorithm>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

using Move = std::pair<std::size_t, std::size_t>; // of one layer, from and to a stage

class Balance
{
public:
    Balance(std::vector<int> layers, const ScoreLayout& score)
        : m_layers(std::move(layers))
        , m_score(score)
    {
        for (std::size_t from = 0; from < m_layers.size(); ++from)
            for (std::size_t to = 0; to < m_layers.size(); ++to)
                if (from != to)
                    m_moves.emplace_back(from, to);
    }

    Result<std::vector<int>> run()
    {
        constexpr std::size_t kMostForPairs = 6;
        m_best = TRY(m_score(LayerLayout(m_layers)));
        for (bool improved = true; improved;) {
            improved = TRY(tryEach([this](const Move& move) { return attempt({move}); }));
            if (!improved && m_layers.size() <= kMostForPairs)
                improved = TRY(tryEach([this](const Move& first) {
                    return tryEach([&](const Move& second) { return attempt({first, second}); });
                }));
        }
        return m_layers;
    }

private:
    // Whether one of the moves improved the layout.
    template<class Try>
    Result<bool> tryEach(Try tryOne)
    {
        bool improved = false;
        for (const Move& move : m_moves)
            improved = TRY(tryOne(move)) || improved;
        return improved;
    }

    Result<bool> attempt(std::initializer_list<Move> moves)
    {
        std::vector<int> next = m_layers;
        for (const auto& [from, to] : moves) {
            --next[from];
            ++next[to];
        }
        if (next == m_layers || std::ranges::min(next) < 1)
            return false;
        const auto score = TRY(m_score(LayerLayout(next)));
        if (score >= m_best)
            return false;
        m_best = score;
        m_layers = std::move(next);
        return true;
    }

    std::vector<int> m_layers;
    const ScoreLayout& m_score;
    std::vector<Move> m_moves;
    LayoutScore m_best;
};

} // namespace

LayoutScore LayoutScore::of(const RunMetrics& metrics, const MemoryLimit& limit)
{
    LayoutScore score{.iteration = metrics.duration};
    for (const DeviceId d : metrics.devices.ids()) {
        const DeviceMetrics& device = metrics.devices[d];
        const double compute = device.compute;
        score.unevenness += compute * compute;
        if (!limit.of.empty() && device.peakBytes)
            score.excess = std::max(score.excess,
                                    static_cast<double>(*device.peakBytes)
                                        - limit.on(static_cast<std::size_t>(d.value)));
    }
    return score;
}

Result<std::vector<int>> balancedLayers(std::vector<int> layers, const ScoreLayout& score)
{
    return Balance(std::move(layers), score).run();
}

} // namespace profiler
