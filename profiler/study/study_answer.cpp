#include "engine/base/median.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/option_text.h"
#include "profiler/study/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {

// Writes the sentence of an answer. A set-up is a combination of values of all axes except the
// compared one. Only set-ups that match StudyAnswer::where are compared.
class AnswerWriter
{
public:
    AnswerWriter(const Study& study, const std::vector<StudyPoint>& points,
                 const std::vector<StudyResult>& results, const StudyAnswer& answer)
        : m_study(study)
        , m_points(points)
        , m_results(results)
        , m_answer(answer)
        , m_axis(static_cast<std::size_t>(study.comparedAxis() - study.grid.data()))
        , m_less(lessIsBetter(study, answer.y))
    {
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<std::string> key = points[i].values;
            key[m_axis].clear();
            if (isMeant(i))
                if (const auto value = valueOf(study, points, results, answer.y, i))
                    m_setUps[key].push_back({*value, i});
        }
    }

    std::string text()
    {
        const auto ratio = std::ranges::find(m_study.ratios, m_answer.y, &StudyRatio::name);
        return ratio == m_study.ratios.end() ? ranking() : medians(*ratio);
    }

private:
    struct Value
    {
        double value = 0;
        std::size_t point = 0;
    };
    // The set-ups in which one compared value is the best, or several are equally good.
    struct Wins
    {
        // For each set-up that has a second best value: the factor by which the best one is better.
        std::vector<double> factors;
        std::size_t setUps = 0, overlaps = 0;
        bool isShared = false;
    };

    bool isMeant(std::size_t point) const
    {
        for (std::size_t i = 0; i < m_study.grid.size(); ++i)
            if (const auto at = m_answer.where.find(m_study.grid[i].key);
                at != m_answer.where.end() && at->second != m_points[point].values[i])
                return false;
        return true;
    }

    const std::string& keyOf(std::size_t point) const { return m_points[point].values[m_axis]; }
    std::string titleOf(const std::string& value) const
    {
        return valueTitle(m_study.grid[m_axis].key, value);
    }

    bool overlap(std::size_t one, std::size_t other) const
    {
        const auto first = intervalOf(m_study, m_points, m_results, m_answer.y, one),
                   second = intervalOf(m_study, m_points, m_results, m_answer.y, other);
        return first && second && first->first <= second->second && second->first <= first->second;
    }

    void count(std::vector<Value>& values, std::map<std::string, Wins>& wins) const
    {
        std::ranges::stable_sort(values, [this](const Value& a, const Value& b) {
            return m_less ? a.value < b.value : a.value > b.value;
        });
        constexpr double kEqual = 1e-6; // relative; losses of equal schedules differ by rounding
        const double best = values.front().value;
        const auto second = std::ranges::find_if(values, [best](const Value& value) {
            return std::abs(value.value - best) > kEqual * std::abs(best);
        });
        std::string names;
        for (auto at = values.begin(); at != second; ++at)
            names += (names.empty()          ? ""
                          : at + 1 == second ? " and "
                                             : ", ")
                + titleOf(keyOf(at->point));
        Wins& own = wins[names];
        ++own.setUps;
        own.isShared = second - values.begin() > 1;
        if (second == values.end())
            return;
        own.overlaps += overlap(values.front().point, second->point) ? 1 : 0;
        if (best > 0 && second->value > 0)
            own.factors.push_back(m_less ? second->value / best : best / second->value);
    }

    // "BitPipe has the shortest iteration in 3 of 4 set-ups, by a factor of 1.1 over the second"
    std::string ranking()
    {
        std::map<std::string, Wins> wins;
        std::size_t compared = 0;
        for (auto& [key, values] : m_setUps)
            if (values.size() > 1) {
                ++compared;
                count(values, wins);
            }
        std::vector<std::pair<std::size_t, std::string>> order;
        for (const auto& [names, of] : wins)
            order.emplace_back(of.setUps, names);
        std::ranges::sort(order, std::greater());
        std::string text;
        for (const auto& [setUps, names] : order)
            text += sentence(names, wins[names], compared);
        return text;
    }

    std::string sentence(const std::string& names, Wins& wins, std::size_t compared) const
    {
        const bool isTime = m_answer.y == metricName(StudyMetric::Iteration);
        const std::string column = asWord(columnTitle(m_study, m_results, m_answer.y));
        std::string text = fmt::format("{} {} the {} {} in {} of {} set-ups", names,
                                       wins.isShared ? "have" : "has",
                                       isTime       ? "shortest"
                                           : m_less ? "lowest"
                                                    : "highest",
                                       column, wins.setUps, compared);
        if (!wins.factors.empty()) {
            const double most = std::ranges::max(wins.factors);
            text += fmt::format(", by a factor of {:.3f} over the {} (median; at most {:.3f})",
                                engine::medianOf(wins.factors), wins.isShared ? "next" : "second",
                                most);
        }
        if (wins.overlaps > 0)
            text += fmt::format("; not distinguishable from it in {}, where the 95 % intervals "
                                "overlap",
                                wins.overlaps);
        return text + ". ";
    }

    // "Loss against 1F1B, median (minimum to maximum): BitPipe 1.000 (1.000 to 1.000)."
    std::string medians(const StudyRatio& ratio) const
    {
        std::map<std::string, std::vector<double>> values;
        for (const auto& [key, setUp] : m_setUps)
            for (const Value& value : setUp)
                values[keyOf(value.point)].push_back(value.value);
        if (const auto base = ratio.baseline.find(m_study.grid[m_axis].key);
            base != ratio.baseline.end())
            values.erase(base->second);
        std::string text;
        for (const std::string& name : m_study.grid[m_axis].values) {
            auto& of = values[name];
            if (of.empty())
                continue;
            const auto [least, most] = std::ranges::minmax(of);
            text += fmt::format("{}{} {:.3f} ({:.3f} to {:.3f})", text.empty() ? "" : ", ",
                                titleOf(name), engine::medianOf(of), least, most);
        }
        auto others = m_answer.where;
        others.erase(m_study.grid[m_axis].key);
        const std::string where = others.empty() ? "" : ", " + whereText(others);
        return text.empty() ? text
                            : fmt::format("{}{}, median (minimum to maximum): {}. ",
                                          columnTitle(m_study, m_results, ratio.name), where, text);
    }

    const Study& m_study;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    const StudyAnswer& m_answer;
    std::size_t m_axis; // index of the compared axis
    bool m_less;
    // The values to compare in each set-up. The key of a set-up has the values of all axes, with ""
    // for the compared axis.
    std::map<std::vector<std::string>, std::vector<Value>> m_setUps;
};

} // namespace

std::string studyAnswer(const Study& study, const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results)
{
    const StudyAxis* const axis = study.comparedAxis();
    if (axis == nullptr || axis->values.size() < 2)
        return "";
    const std::vector<StudyAnswer> usual{{std::string(metricName(StudyMetric::Iteration)), {}}};
    std::string text;
    for (const StudyAnswer& answer : study.answers.empty() ? usual : study.answers)
        text += AnswerWriter(study, points, results, answer).text();
    return text;
}

} // namespace profiler
