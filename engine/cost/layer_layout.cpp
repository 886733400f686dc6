#include "engine/cost/layer_layout.h"

#include "engine/base/text.h"
#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace engine {
namespace {

tl::unexpected<Error> refused(std::string_view text, const std::string& reason)
{
    return invalid("--layout {}: {}", excerpt(text), reason);
}

// Reads a layout from left to right, and repeats what has a "*n".
class Reader
{
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    {
        for (const char c : text)
            if (c != ',' && std::isspace(static_cast<unsigned char>(c)) == 0)
                m_symbols += c;
    }

    // One character per embedding, layer, output layer and separator.
    Result<std::string> expanded()
    {
        std::string all;
        while (m_at < m_symbols.size()) {
            const bool isGroup = m_symbols[m_at] == '(';
            auto unit = TRY(isGroup ? group() : symbol());
            if (isGroup && (m_at >= m_symbols.size() || m_symbols[m_at] != '*'))
                return refused(m_text, fmt::format("({}) is not repeated; add *n", unit));
            const auto times = TRY(count());
            if (all.size() + unit.size() * times > kMost)
                return refused(m_text, fmt::format("more than {} layers and stages", kMost));
            for (std::size_t i = 0; i < times; ++i)
                all += unit;
        }
        return all;
    }

private:
    static constexpr std::size_t kMost = 1 << 20;

    Result<std::string> symbol()
    {
        const char c = m_symbols[m_at++];
        if (c == 'm')
            return refused(m_text,
                           "m is a multi-token prediction head, which no model has; "
                           "remove it");
        if (std::string_view("EtL|").find(c) == std::string_view::npos)
            return refused(m_text,
                           fmt::format("'{}' is not E (embedding), t (layer), L (loss), | "
                                       "(next stage) or a number after *",
                                       excerpt(std::string_view(&c, 1))));
        return std::string(1, c);
    }
    Result<std::string> group()
    {
        std::string all;
        for (++m_at; m_at < m_symbols.size() && m_symbols[m_at] != ')';) {
            const auto unit = TRY(symbol());
            const auto times = TRY(count());
            if (all.size() + times > kMost)
                return refused(m_text, fmt::format("more than {} layers and stages", kMost));
            all.append(times, unit.front());
        }
        if (m_at++ == m_symbols.size())
            return refused(m_text, "a ) is missing");
        return all;
    }
    Result<std::size_t> count()
    {
        if (m_at >= m_symbols.size() || m_symbols[m_at] != '*')
            return 1;
        const std::size_t begin = ++m_at;
        m_at = std::min(m_symbols.find_first_not_of("0123456789", m_at), m_symbols.size());
        const auto times = parseInteger<int>(m_symbols.substr(begin, m_at - begin));
        if (!times || *times > static_cast<int>(kMost))
            return refused(m_text, fmt::format("* needs a whole number up to {}", kMost));
        return static_cast<std::size_t>(*times);
    }

    std::string_view m_text;
    std::string m_symbols; // without commas and blanks
    std::size_t m_at = 0;
};

std::string repeated(int layers)
{
    return layers < 3 ? std::string(layers, 't') : fmt::format("t*{}", layers);
}

} // namespace

LayerLayout::LayerLayout(const std::vector<int>& layers)
    : m_first(layers.size() + 1, 0)
{
    std::partial_sum(layers.begin(), layers.end(), m_first.begin() + 1);
}

Result<LayerLayout> LayerLayout::parse(std::string_view text)
{
    if (text.empty())
        return LayerLayout();
    const std::string all = TRY(Reader(text).expanded());
    if (std::ranges::count(all, 'E') != 1 || !all.starts_with('E'))
        return refused(text, "the first stage has to begin with the only E, the embedding");
    if (std::ranges::count(all, 'L') != 1 || !all.ends_with('L'))
        return refused(text, "the last stage has to end with the only L, the loss");
    std::vector<int> layers(1, 0);
    for (const char c : all)
        if (c == '|')
            layers.push_back(0);
        else if (c == 't')
            ++layers.back();
    return LayerLayout(layers);
}

std::string LayerLayout::text() const
{
    if (isDefault())
        return {};
    const int stages = static_cast<int>(m_first.size()) - 1;
    std::string text = "E";
    for (int stage = 0; stage < stages;) {
        const auto layers = [this](int s) { return m_first[s + 1] - m_first[s]; };
        int next = stage + 1;
        while (next + 1 < stages && stage > 0 && layers(next) == layers(stage))
            ++next;
        const std::string part = repeated(layers(stage)) + (next < stages ? "|" : "L");
        text += next - stage > 1 ? fmt::format("({})*{}", part, next - stage) : part;
        stage = next;
    }
    return text;
}

int LayerLayout::first(int layers, int stages, int stage) const
{
    return isDefault() ? static_cast<int>(std::int64_t{stage} * layers / stages) : m_first[stage];
}

int LayerLayout::count(int layers, int stages, int stage) const
{
    return first(layers, stages, stage + 1) - first(layers, stages, stage);
}

std::vector<int> LayerLayout::counts(int layers, int stages) const
{
    std::vector<int> all;
    for (int stage = 0; stage < stages; ++stage)
        all.push_back(count(layers, stages, stage));
    return all;
}

Result<void> LayerLayout::check(std::string_view model, int layers, int stages) const
{
    if (isDefault() && layers < stages)
        return invalid("{} has {} layers, fewer than the {} stages; use fewer devices or "
                       "chunks",
                       model, layers, stages);
    const auto parts = static_cast<int>(m_first.size()) - 1;
    if (!isDefault() && parts != stages)
        return refused(text(),
                       fmt::format("has {} stages, the schedule {}; use one part for each "
                                   "stage (devices x chunks)",
                                   parts, stages));
    if (!isDefault() && m_first.back() != layers)
        return refused(text(),
                       fmt::format("has {} layers, {} has {}; use one t for each layer",
                                   m_first.back(), model, layers));
    return {};
}

} // namespace engine
