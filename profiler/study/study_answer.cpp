#include "profiler/study/study_answer.h"

#include "engine/base/field.h"
#include "engine/base/median.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

namespace profiler {

using namespace engine;

namespace {

// "a", "a and b", "a, b and c"
std::string listText(const std::vector<std::string>& all)
{
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
        text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
    return text;
}

// " (D = 8; N = 16; simulated)"
std::string conditionsText(const std::vector<std::pair<std::string, std::string>>& conditions)
{
    std::vector<std::string> texts;
    for (const auto& [key, text] : conditions)
        texts.push_back(settingText(key, text));
    return texts.empty() ? "" : fmt::format(" ({})", fmt::join(texts, "; "));
}

// How a value compares with another one. Equal values differ at most by rounding; those of two
// measurements can be unclear.
enum class Order : std::uint8_t { Better, Equal, Unclear, Worse };

// The best values of a set-up: several if they are equal or not distinguishable.
struct Winner
{
    std::vector<std::size_t> points;
    bool isUnclear = false;
    std::optional<double> lead; // factor over the best value that is worse
    std::size_t second = 0;     // its point
};

std::optional<std::pair<double, double>> intervalOf(const Amount& of)
{
    return of.spread == Spread::Interval ? std::optional(std::pair(of.least, of.most))
                                         : std::nullopt;
}

// Answers one question. A set-up is a combination of values of all axes except the compared one.
class Answerer
{
    using Kind = StudyAnswer::Kind;

public:
    // `all` has the points of every value of StudyAnswer::bestOver; nullptr without this axis.
    Answerer(const StudyData& data, const StudyAnswer& asked, const Answerer* all = nullptr)
        : m_data(data)
        , m_asked(asked)
        , m_all(all)
        , m_axis(
              *(asked.compare.empty() ? data.study.comparedAxis() : data.study.axis(asked.compare)))
        , m_compared(data.study.place(m_axis.key))
        , m_less(lessIsBetter(data.study, asked.y))
    {
        m_answer.kind = asked.kind;
        for (std::size_t i = 0; i < data.points.size(); ++i) {
            std::vector<std::string> first = data.points[i].values;
            first[m_compared] = m_axis.values.front();
            if (isMeant(i))
                m_setUps[pointAt(data.study, first).value()].push_back(i);
        }
    }

    AnsweredQuestion answer()
    {
        const bool isRatio = m_data.study.ratio(m_asked.y) != nullptr;
        const std::string claim = m_asked.kind == Kind::Crossing ? crossing()
            : m_asked.kind == Kind::Parts                        ? parts()
            : m_asked.kind == Kind::Ratio                        ? isRatio ? medians() : ratio()
                                   : m_asked.along.empty() ? ranking()
                                                                 : bestAlong();
        addConditions();
        const bool isKnown = m_answer.unknown.empty();
        m_answer.claim = isKnown ? claim : claim + " unknown: " + m_answer.unknown;
        m_answer.sentence = m_answer.claim + (isKnown ? missingText() : "")
            + conditionsText(m_answer.conditions) + ".";
        return std::move(m_answer);
    }

    StudyWins wins() const
    {
        StudyWins all;
        for (const auto& [key, setUp] : m_setUps)
            if (const auto best = winner(setUp); best && (best->points.size() > 1 || best->lead)) {
                ++all.setUps;
                for (const std::size_t point : best->points)
                    ++all.of[valueOf(point)];
            }
        return all;
    }

private:
    bool isMeant(std::size_t point) const
    {
        for (std::size_t i = 0; i < m_data.study.grid.size(); ++i)
            if (const auto at = m_asked.where.find(m_data.study.grid[i].key);
                at != m_asked.where.end() && at->second != m_data.points[point].values[i])
                return false;
        return true;
    }

    const std::string& valueOf(std::size_t point) const
    {
        return m_data.points[point].values[m_compared];
    }
    std::string name(std::size_t point) const { return nameOf(valueOf(point)); }
    std::string nameOf(const std::string& value) const
    {
        return settingText(m_axis.key, valueTitle(m_axis.key, value));
    }
    // After the word of the axis was used: "looping" for "placement of stages looping".
    std::string otherName(const std::string& value) const
    {
        const std::string title = valueTitle(m_axis.key, value);
        return axisNumber(title) || title == "true" || title == "false" ? nameOf(value) : title;
    }
    std::string column() const { return asWord(columnTitle(m_data, m_asked.y)); }

    std::optional<Amount> amount(std::size_t point) const
    {
        return m_data.amount(m_asked.y, point);
    }

    // `combine` of the values of both points in each repeat; empty without repeats.
    template<class Combine>
    std::vector<double> perRepeat(std::size_t own, std::size_t other, Combine combine) const
    {
        std::vector<double> all;
        const auto metric = metricNamed(m_asked.y);
        const auto &a = m_data.results[own].repeats, &b = m_data.results[other].repeats;
        for (std::size_t i = 0; metric && a.size() == b.size() && i < a.size(); ++i)
            if (a[i][*metric] && b[i][*metric])
                all.push_back(combine(*a[i][*metric], *b[i][*metric]));
        return all.size() < std::max<std::size_t>(2, a.size()) ? std::vector<double>() : all;
    }
    // The difference of `own` from `other`, both with a value. Repeats are compared one by one,
    // because what varies between them reaches both.
    Change difference(std::size_t own, std::size_t other) const
    {
        Change by = change(*amount(other), *amount(own));
        if (const auto all = perRepeat(own, other, std::minus()); !all.empty())
            by.by = meanAmount(all);
        return by;
    }
    Order order(std::size_t ownPoint, std::size_t otherPoint) const
    {
        constexpr double kEqual = 1e-6; // relative; losses of equal schedules differ by rounding
        const Amount own = *amount(ownPoint), other = *amount(otherPoint);
        if (std::abs(own.value - other.value) <= kEqual * std::abs(other.value))
            return Order::Equal;
        if (!difference(ownPoint, otherPoint).isDistinguishable())
            return Order::Unclear;
        return (own.value < other.value) == m_less ? Order::Better : Order::Worse;
    }

    std::optional<Winner> winner(const std::vector<std::size_t>& setUp) const
    {
        std::vector<std::size_t> known;
        for (const std::size_t point : setUp)
            if (amount(point))
                known.push_back(point);
        if (known.empty())
            return std::nullopt;
        std::ranges::stable_sort(known, {}, [this](std::size_t point) {
            return m_less ? amount(point)->value : -amount(point)->value;
        });
        const Amount best = *amount(known.front());
        Winner found;
        for (const std::size_t point : known) {
            const Order than = order(point, known.front());
            if (than != Order::Worse) {
                found.points.push_back(point);
                found.isUnclear = found.isUnclear || than == Order::Unclear;
            } else if (const double other = amount(point)->value;
                       !found.lead && best.value > 0 && other > 0) {
                found.lead = m_less ? other / best.value : best.value / other;
                found.second = point;
            }
        }
        std::ranges::sort(found.points);
        return found;
    }
    std::string names(const Winner& of) const
    {
        std::vector<std::string> all;
        for (const std::size_t point : of.points)
            all.push_back(name(point));
        return listText(all);
    }
    std::string bestText(bool areSeveral) const
    {
        return fmt::format("{} the {} {}", areSeveral ? "have" : "has",
                           m_asked.y == metricName(StudyMetric::Iteration) ? "shortest"
                               : m_less                                    ? "lowest"
                                                                           : "highest",
                           column());
    }

    // "ZB-V has the shortest iteration in 14 of 24 set-ups, by a factor of 1.02 over the second
    // (median, at most 1.07); V-Half in 6 of 24"
    std::string ranking()
    {
        struct Wins
        {
            Winner winner;
            std::vector<double> leads;
            std::vector<std::string> setUps;
        };
        std::map<std::string, Wins> wins;
        std::size_t compared = 0;
        for (const auto& [key, setUp] : m_setUps) {
            const auto best = winner(setUp);
            if (!best || (best->points.size() < 2 && !best->lead)) // nothing to compare
                continue;
            ++compared;
            Wins& own = wins[names(*best) + tieText(*best)];
            own.winner = *best;
            own.setUps.push_back(setUpText(key));
            if (best->lead)
                own.leads.push_back(*best->lead);
        }
        if (const auto only
            = m_setUps.size() == 1 ? winner(m_setUps.begin()->second) : std::optional<Winner>();
            compared == 0 && only)
            return fmt::format("Only {} has a value of {}", names(*only), column());
        if (compared == 0)
            return unknown("The best " + column() + " is");
        std::vector<std::pair<std::string, Wins>> order(wins.begin(), wins.end());
        std::ranges::stable_sort(order, std::greater(),
                                 [](const auto& one) { return one.second.setUps.size(); });
        std::vector<std::string> texts;
        for (const auto& [names, own] : order) {
            std::string text = names;
            if (texts.empty())
                text += " " + bestText(own.winner.points.size() > 1);
            if (m_setUps.size() > 1)
                text += fmt::format(" in {} of {} set-ups", own.setUps.size(), compared);
            if (!texts.empty() && own.setUps.size() <= 2)
                text += fmt::format(" ({})", fmt::join(own.setUps, "; "));
            if (!own.leads.empty())
                text += leadText(own.winner, own.leads);
            texts.push_back(std::move(text));
        }
        if (auto& leads = order.front().second.leads; !leads.empty())
            m_answer.value = medianOf(leads);
        return fmt::format("{}", fmt::join(texts, "; "));
    }

    std::string leadText(const Winner& winner, std::vector<double> leads) const
    {
        const std::string_view next = winner.points.size() > 1 ? "next" : "second";
        if (leads.size() == 1)
            return fmt::format(", by a factor of {:.3f} over {}, the {}", leads.front(),
                               name(winner.second), next);
        return fmt::format(", by a factor of {:.3f} over the {} (median, at most {:.3f})",
                           medianOf(leads), next, std::ranges::max(leads));
    }

    static std::string tieText(const Winner& of)
    {
        return of.points.size() < 2 ? "" : of.isUnclear ? " (not distinguishable)" : " (equal)";
    }

    // "N = 8, D = 4": the axes that differ between the set-ups of the question
    std::string setUpText(std::size_t point) const
    {
        const auto& values = m_data.points[point].values;
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const StudyAxis& axis = m_data.study.grid[i];
                i != m_compared && axis.values.size() > 1 && !m_asked.where.contains(axis.key))
                texts.push_back(settingText(axis.key, valueTitle(axis.key, values[i])));
        return fmt::format("{}", fmt::join(texts, ", "));
    }

    const StudyAxis& along() const { return *m_data.study.axis(m_asked.along); }
    // The points of the question at a value of the axis `along`.
    std::vector<std::size_t> pointsAt(const std::string& value) const
    {
        std::vector<std::size_t> points;
        for (const auto& [key, setUp] : m_setUps)
            if (m_asked.along.empty() || m_data.valueOf(key, m_asked.along) == value)
                points.insert(points.end(), setUp.begin(), setUp.end());
        return points;
    }
    std::vector<std::string> alongValues() const
    {
        return m_asked.along.empty() ? std::vector<std::string>{""} : along().values;
    }
    // "N = 4 to 16", "attention flash and standard"
    std::string rangeText(std::size_t first, std::size_t last) const
    {
        const auto values = titlesOf(along());
        const bool areNumbers
            = std::ranges::all_of(values, [](const auto& of) { return !!axisNumber(of); });
        return settingText(along().key,
                           first == last ? values[first]
                               : areNumbers
                               ? values[first] + " to " + values[last]
                               : listText({values.begin() + std::ptrdiff_t(first),
                                           values.begin() + std::ptrdiff_t(last) + 1}));
    }

    // "v = 4 has the shortest iteration for P2P message 0.05 to 0.1, v = 2 for P2P message 0.2"
    std::string bestAlong()
    {
        struct Group
        {
            Winner winner;
            std::size_t first = 0, last = 0;
        };
        std::vector<Group> groups;
        const auto values = alongValues();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto best = winner(pointsAt(values[i]));
            if (!best)
                continue;
            if (!groups.empty() && groups.back().last + 1 == i
                && names(groups.back().winner) + tieText(groups.back().winner)
                    == names(*best) + tieText(*best))
                groups.back().last = i;
            else
                groups.push_back({*best, i, i});
        }
        if (groups.empty())
            return unknown("The best " + column() + " is");
        std::string text;
        for (const Group& group : groups)
            text += fmt::format("{}{}{}{} for {}", text.empty() ? "" : ", ", names(group.winner),
                                text.empty() ? " " + bestText(group.winner.points.size() > 1)
                                             : std::string(),
                                tieText(group.winner), rangeText(group.first, group.last));
        return text;
    }

    std::optional<std::size_t> pointOf(const std::vector<std::size_t>& setUp,
                                       const std::string& value) const
    {
        const auto found = std::ranges::find(setUp, value, [this](auto i) { return valueOf(i); });
        return found == setUp.end() ? std::nullopt : std::optional(*found);
    }

    // "BitPipe falls below 1F1B in tokens/s between W = 4 and 8 (1.04 and 0.97 times)"
    std::string crossing()
    {
        struct At
        {
            std::size_t place = 0;
            double ratio = 1;
        };
        std::vector<At> clear; // where both are known and distinguishable
        std::vector<std::size_t> ties;
        const auto values = alongValues();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto setUp = pointsAt(values[i]);
            const std::size_t ownPoint = *pointOf(setUp, m_asked.of),
                              otherPoint = *pointOf(setUp, m_asked.against);
            const auto own = amount(ownPoint), other = amount(otherPoint);
            if (!own || !other)
                continue;
            if (const Order than = order(ownPoint, otherPoint);
                than == Order::Better || than == Order::Worse)
                clear.push_back({i, own->value / other->value});
            else
                ties.push_back(i);
        }
        const std::string of = nameOf(m_asked.of), against = otherName(m_asked.against);
        if (clear.empty() && ties.empty())
            return unknown(fmt::format("The order of {} and {} in {} is", of, against, column()));
        std::string text;
        for (std::size_t i = 1; i < clear.size(); ++i) {
            const At &before = clear[i - 1], &after = clear[i];
            if ((before.ratio < 1) == (after.ratio < 1))
                continue;
            text += fmt::format("{} {} {} {} between {} and {} ({:.3f} and {:.3f} times)",
                                text.empty() ? of : ", and", after.ratio < 1 ? "falls" : "rises",
                                after.ratio < 1 ? "below" : "above",
                                text.empty() ? against + " in " + column() : "it",
                                rangeText(before.place, before.place), values[after.place],
                                before.ratio, after.ratio);
            const auto from = axisNumber(values[before.place]),
                       to = axisNumber(values[after.place]);
            if (from && to && !m_answer.interval)
                m_answer.interval = std::pair(*from, *to);
        }
        if (text.empty() && !clear.empty()) {
            const auto [least, most] = std::ranges::minmax(clear, {}, &At::ratio);
            text = fmt::format("{} stays {} {} in {} for {} ({:.3f} to {:.3f} times)", of,
                               clear.front().ratio < 1 ? "below" : "above", against, column(),
                               rangeText(clear.front().place, clear.back().place), least.ratio,
                               most.ratio);
        }
        std::vector<std::string> at;
        for (const std::size_t tie : ties)
            at.push_back(rangeText(tie, tie));
        if (!at.empty())
            text += text.empty() ? fmt::format("{} and {} are not distinguishable in {} for {}", of,
                                               against, column(), listText(at))
                                 : fmt::format("; not distinguishable for {}", listText(at));
        return text;
    }

    // "BitPipe takes 12.3 % less time than 1F1B (-14.1 ms): bubble -15.1 ms, ..."
    std::string parts()
    {
        const auto setUp = pointsAt("");
        const auto own = pointOf(setUp, m_asked.of), other = pointOf(setUp, m_asked.against);
        const auto ownTime = amount(*own), otherTime = amount(*other);
        const std::string of = nameOf(m_asked.of), against = otherName(m_asked.against);
        if (!ownTime || !otherTime || otherTime->value <= 0)
            return unknown(fmt::format("The difference of {} and {} is", of, against));
        const double factor = shownFactor(m_data, m_asked.y);
        const Change by = difference(*own, *other);
        const std::string title = columnTitle(m_data, m_asked.y);
        m_answer.unit = title.substr(title.rfind(' ') + 1);
        m_answer.value = by.by.value * factor;
        if (const auto ends = intervalOf(by.by))
            m_answer.interval = std::pair(ends->first * factor, ends->second * factor);
        const int decimals = metricDecimals(m_asked.y, otherTime->value * factor) + 1;
        const auto shown = [&](double value) {
            return fmt::format("{:+.{}f} {}", value * factor, decimals, m_answer.unit);
        };
        std::string text = order(*own, *other) == Order::Unclear
            ? fmt::format("{} and {} are not distinguishable in iteration", of, against)
            : by.by.value == 0
            ? fmt::format("{} takes as long as {}", of, against)
            : fmt::format("{} takes {:.1f} % {} time than {}", of, 100 * std::abs(by.share()),
                          by.by.value < 0 ? "less" : "more", against);
        text += fmt::format(" ({}{})", shown(by.by.value),
                            m_answer.interval ? fmt::format(", 95 % interval {:.{}f} to {:.{}f}",
                                                            m_answer.interval->first, decimals,
                                                            m_answer.interval->second, decimals)
                                              : "");
        const auto bubble = metricName(StudyMetric::Bubble),
                   exposed = metricName(StudyMetric::Exposed);
        const auto ownBubble = m_data.value(bubble, *own),
                   otherBubble = m_data.value(bubble, *other),
                   ownExposed = m_data.value(exposed, *own),
                   otherExposed = m_data.value(exposed, *other);
        if (!ownBubble || !otherBubble)
            return text + "; its parts are unknown, because the bubble of a point is";
        // The bubble of a point includes the exposed communication if that is unknown.
        const double idle = *ownBubble * ownTime->value - *otherBubble * otherTime->value,
                     waiting = ownExposed.value_or(0) - otherExposed.value_or(0);
        text += fmt::format(": compute {}, ", shown(by.by.value - idle - waiting));
        return text
            + (ownExposed && otherExposed
                   ? fmt::format("bubble {}, exposed communication {}", shown(idle), shown(waiting))
                   : fmt::format("bubble and exposed communication {} (not known apart)",
                                 shown(idle + waiting)));
    }

    struct Quotient
    {
        Amount of;
        std::size_t other = 0; // the point of the divisor
        Order than = Order::Equal;

        bool hasInterval() const { return of.spread == Spread::Interval; }
    };
    // y of `of` over y of `against`, or over the best other value.
    std::optional<Quotient> quotient(const std::vector<std::size_t>& setUp) const
    {
        const std::size_t own = *pointOf(setUp, m_asked.of);
        std::vector<std::size_t> others = setUp;
        std::erase_if(others, [&](std::size_t point) {
            return m_asked.against.empty() ? point == own : valueOf(point) != m_asked.against;
        });
        const auto of = amount(own);
        const auto best = winner(others);
        if (!of || !best)
            return std::nullopt;
        const std::size_t other = best->points.front();
        const auto by = amount(other);
        if (of->value <= 0 || by->value <= 0)
            return std::nullopt;
        const auto all = perRepeat(own, other, std::divides());
        return Quotient{all.empty() ? profiler::quotient(*of, *by) : meanAmount(all), other,
                        order(own, other)};
    }

    // " (equal)", " (equal but for 3e-07)": values that differ by rounding, in each repeat.
    static std::string equalText(const Quotient& of)
    {
        if (of.than != Order::Equal)
            return "";
        const double least = of.hasInterval() ? of.of.least : of.of.value,
                     highest = of.hasInterval() ? of.of.most : of.of.value,
                     most = std::max(std::abs(least - 1), std::abs(highest - 1));
        return most == 0 ? " (equal)" : fmt::format(" (equal but for {:.0e})", most);
    }

    std::string unknownRatio()
    {
        return unknown(
            fmt::format("The {} of {} over {} is", column(), nameOf(m_asked.of),
                        m_asked.against.empty() ? "the best other" : otherName(m_asked.against)));
    }

    // "BitPipe has 1.184 times the tokens/s of Interleaved 1F1B at N = 8, 1.072 times at N = 16"
    std::string ratio()
    {
        if (m_asked.along.empty() && m_setUps.size() > 1)
            return medianRatio();
        std::string text, last;
        std::vector<double> all;
        const auto values = alongValues();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto found = quotient(pointsAt(values[i]));
            if (!found)
                continue;
            const std::string against = otherName(valueOf(found->other));
            text += text.empty() ? nameOf(m_asked.of) + " has " : ", ";
            text += fmt::format("{:.3f} times", found->of.value)
                + (last.empty()          ? fmt::format(" the {} of {}", column(), against)
                       : last != against ? " that of " + against
                                         : "");
            if (found->hasInterval() && found->than != Order::Equal)
                text += fmt::format(" (95 % interval {:.3f} to {:.3f})", found->of.least,
                                    found->of.most);
            text += found->than == Order::Unclear ? " (not distinguishable)" : equalText(*found);
            text += m_asked.along.empty() ? "" : " at " + rangeText(i, i);
            last = against;
            all.push_back(found->of.value);
            const auto [least, most] = std::ranges::minmax(all);
            m_answer.value = medianOf(all);
            m_answer.interval
                = m_asked.along.empty() ? intervalOf(found->of) : std::pair(least, most);
        }
        return text.empty() ? unknownRatio() : text;
    }

    std::string medianRatio()
    {
        std::vector<double> all;
        for (const auto& [key, setUp] : m_setUps)
            if (const auto found = quotient(setUp))
                all.push_back(found->of.value);
        if (all.empty())
            return unknownRatio();
        const auto [least, most] = std::ranges::minmax(all);
        m_answer.value = medianOf(all);
        m_answer.interval = std::pair(least, most);
        return fmt::format("{} has {:.3f} times the {} of {} in the median of {} set-ups ({:.3f} "
                           "to {:.3f})",
                           nameOf(m_asked.of), *m_answer.value, column(),
                           m_asked.against.empty() ? "the best other" : otherName(m_asked.against),
                           all.size(), least, most);
    }

    // "Loss against 1F1B, median (minimum to maximum): BitPipe 1.000 (1.000 to 1.000)"
    std::string medians()
    {
        const StudyRatio* const ratio = m_data.study.ratio(m_asked.y);
        const auto base = ratio->baseline.find(m_axis.key);
        const std::string title = columnTitle(m_data, ratio->name);
        std::vector<std::string> texts;
        for (const std::string& value : m_axis.values) {
            std::vector<double> all;
            std::optional<std::pair<double, double>> interval;
            for (const auto& [key, setUp] : m_setUps)
                if (const auto point = pointOf(setUp, value); point && amount(*point)) {
                    all.push_back(amount(*point)->value);
                    interval = intervalOf(*amount(*point));
                }
            const bool isBase = base != ratio->baseline.end() && base->second == value;
            if (all.empty() || isBase || (!m_asked.of.empty() && m_asked.of != value))
                continue;
            const auto [least, most] = std::ranges::minmax(all);
            if (all.size() > 1)
                interval = std::pair(least, most);
            if (texts.empty()) {
                m_answer.value = medianOf(all);
                m_answer.interval = interval;
            }
            texts.push_back(
                fmt::format("{} {:.3f}", nameOf(value), medianOf(all))
                + (interval ? fmt::format(" ({:.3f} to {:.3f})", interval->first, interval->second)
                            : ""));
        }
        if (texts.empty())
            return unknown(title + " is");
        return fmt::format("{}{}: {}", title,
                           m_setUps.size() > 1 ? ", median (minimum to maximum)" : "",
                           fmt::join(texts, ", "));
    }

    std::string reason(std::size_t point, const std::string& subject) const
    {
        const std::string why = m_data.whyUnknown(point);
        return why.empty()                        ? subject + "has no " + column()
            : m_data.results[point].error.empty() ? subject + why
                                                  : why; // names its scheme
    }
    // Whether the question is about the compared value of a point. Others only compete.
    bool isAsked(std::size_t point) const
    {
        return m_asked.kind != Kind::Best && !m_asked.of.empty()
            && (valueOf(point) == m_asked.of || valueOf(point) == m_asked.against);
    }
    bool isCompeting(std::size_t point) const
    {
        return !isAsked(point)
            && (m_asked.kind == Kind::Best
                || (m_asked.kind == Kind::Ratio && m_asked.against.empty()));
    }
    std::vector<std::size_t> missing(bool (Answerer::*isMeantBy)(std::size_t) const) const
    {
        std::vector<std::size_t> points;
        for (const auto& [key, setUp] : m_setUps)
            std::ranges::copy_if(setUp, std::back_inserter(points), [&](std::size_t point) {
                return (this->*isMeantBy)(point) && !amount(point);
            });
        return points;
    }

    // Keeps the reason why there is no answer, and returns the begin of the sentence.
    std::string unknown(std::string claim)
    {
        auto points = missing(&Answerer::isAsked);
        if (points.empty())
            points = missing(&Answerer::isCompeting);
        m_answer.unknown = points.empty() ? "the grid has no points to compare" : reasons(points);
        return claim;
    }
    std::string reasons(const std::vector<std::size_t>& points) const
    {
        return reason(points.front(), name(points.front()) + " ")
            + (points.size() > 1 ? fmt::format(", and {} more points", points.size() - 1) : "");
    }

    // "; unknown for BitPipe at N = 32: does not fit: ...", "; without Hanayo and Chimera in 16
    // points (D = 3: chimera needs an even number of devices)"
    std::string missingText() const
    {
        return missingText("unknown for", missing(&Answerer::isAsked))
            + missingText("without", missing(&Answerer::isCompeting));
    }
    std::string missingText(std::string_view what, const std::vector<std::size_t>& points) const
    {
        if (points.empty())
            return "";
        constexpr std::size_t kMost = 6;
        std::vector<std::string> names;
        for (const std::size_t point : points)
            if (std::ranges::find(names, name(point)) == names.end())
                names.push_back(name(point));
        if (names.size() > kMost)
            names = {fmt::format("{} of {} values", names.size(), m_axis.values.size())};
        const std::string at = setUpText(points.front());
        if (points.size() == 1)
            return fmt::format("; {} {}{}: {}", what, listText(names),
                               at.empty() ? "" : " at " + at, reason(points.front(), ""));
        return fmt::format("; {} {} in {} points ({}{})", what, listText(names), points.size(),
                           at.empty() ? "" : at + ": ",
                           reason(points.front(), name(points.front()) + " "));
    }

    void addCondition(const std::string& key, const std::vector<std::string>& values)
    {
        if (key != m_axis.key && key != m_asked.along && key != "mode")
            m_answer.conditions.emplace_back(key, listText(values));
    }

    // The axes that are held fixed.
    void addFixed()
    {
        for (const StudyAxis& axis : m_data.study.fixed)
            addCondition(axis.key, titlesOf(axis));
        for (const StudyAxis& axis : m_data.study.grid) {
            const auto at = m_asked.where.find(axis.key);
            addCondition(axis.key,
                         at == m_asked.where.end() ? titlesOf(axis)
                                                   : std::vector{valueTitle(axis.key, at->second)});
        }
        static constexpr std::array<std::string_view, 6> kFirst{
            "model", "hardware", "scheme", "devices", "micro-batches", "data-parallel"};
        std::ranges::stable_sort(m_answer.conditions, {}, [](const auto& one) {
            return std::ranges::find(kFirst, one.first) - kFirst.begin();
        });
    }

    // The other values of StudyAnswer::bestOver with which a point without this axis is as good.
    std::vector<std::string> ties(const StudyPoint& reduced) const
    {
        const StudyAxis& axis = *m_data.study.axis(m_asked.bestOver);
        std::vector<std::string> values = reduced.values, tied;
        const auto at = values.insert(values.begin() + std::ptrdiff_t(m_data.study.place(axis.key)),
                                      reduced.best);
        const std::size_t best = *pointAt(m_data.study, values);
        for (const std::string& value : axis.values) {
            *at = value;
            const std::size_t other = *pointAt(m_data.study, values);
            if (other == best || !amount(best) || !amount(other))
                continue;
            if (const Order than = order(other, best);
                than == Order::Equal || than == Order::Unclear)
                tied.push_back(value);
        }
        return tied;
    }
    // "0.003, not distinguishable from 0.004 (1F1B)". A value at the end of its axis may not be the
    // best one.
    std::string bestText(std::size_t point) const
    {
        const std::string& value = m_data.points[point].best;
        const auto all = optionValues(m_data.study, m_asked.bestOver);
        const auto tied = m_all->ties(m_data.points[point]);
        return fmt::format("{}{}{} ({})", value,
                           value == all.front()      ? ", the first tried"
                               : value == all.back() ? ", the last tried"
                                                     : "",
                           tied.empty() ? "" : ", not distinguishable from " + listText(tied),
                           valueTitle(m_axis.key, valueOf(point)));
    }
    // Whether the points are means over Study::repeat.
    bool isMean() const
    {
        return !m_data.study.repeat.empty() && m_data.study.axis(m_data.study.repeat) == nullptr;
    }

    // The conditions in which the compared cases differ, apart from schemes, passes and mappings:
    // "hardware a100-sxm-80 (A and C) and h100-sxm (B)".
    std::string caseConditions() const
    {
        static constexpr std::array kConditions{"model",        "hardware",
                                                "layers",       "network",
                                                "reserve",      "device-memory",
                                                "devices",      "micro-batches",
                                                "receive",      "micro-batch-size",
                                                "global-batch", "tensor-parallel",
                                                "p2p",          "data-parallel",
                                                "latency",      "sequence",
                                                "precision",    "width"};
        std::vector<std::string> all;
        if (m_axis.key != "case")
            return {};
        for (const std::string key : kConditions) {
            std::map<std::string, std::vector<std::string>> cases; // by value
            for (const std::string& one : m_axis.values) {
                const auto found = m_data.study.caseArguments.find(one);
                const auto words = found == m_data.study.caseArguments.end()
                    ? std::vector<std::string>()
                    : found->second;
                const auto at = std::ranges::find(words, "--" + key);
                const bool isGiven = words.end() - at >= 2;
                if (!isGiven && (key == "devices" || key == "micro-batches")
                    && std::ranges::find(words, "--schedule") != words.end())
                    continue; // the schedule has its own
                cases[isGiven ? at[1] : "by default"].push_back(nameOf(one));
            }
            std::vector<std::string> values;
            for (const auto& [value, of] : cases)
                values.push_back(fmt::format("{} ({})", value, listText(of)));
            if (values.size() > 1)
                all.push_back(optionWord(key) + " " + listText(values));
        }
        return fmt::format("{}", fmt::join(all, ", "));
    }
    // Adds what is held fixed, the mapping and memory of the points, and how they were obtained.
    void addConditions()
    {
        addFixed();
        std::vector<std::string> mappings, memories, modes, schemes, bests;
        const auto add = [](std::vector<std::string>& all, const std::string& text) {
            if (!text.empty() && std::ranges::find(all, text) == all.end())
                all.push_back(text);
        };
        const StudyAxis* const scheme = m_data.study.axis("scheme");
        for (const auto& [key, setUp] : m_setUps)
            for (const std::size_t point : setUp) {
                if (!isAsked(point) && !isCompeting(point) && !m_asked.of.empty())
                    continue;
                if (!m_data.points[point].best.empty())
                    add(bests, bestText(point));
                const auto own = m_data.study.schemeArguments.find(
                    scheme == nullptr ? "" : m_data.valueOf(point, scheme->key));
                if (own != m_data.study.schemeArguments.end())
                    add(schemes,
                        fmt::format("{} with {}", valueTitle("scheme", own->first),
                                    fmt::join(own->second, " ")));
                const StudyValues& values = m_data.results[point].values;
                add(mappings, values.mapping);
                add(memories, values.memory().isKnown() ? values.memory().text() : "");
                // The interval of one run is that of its iterations; runs differ by more.
                const Mode mode = m_data.points[point].mode;
                add(modes,
                    std::string(modeAdjective(mode))
                        + (isMean() || mode == Mode::Simulate ? "" : ", one run each"));
            }
        const auto replace = [this](const char* old, const char* key, const std::string& text) {
            if (text.empty())
                return;
            std::erase_if(m_answer.conditions, [old](const auto& one) { return one.first == old; });
            m_answer.conditions.emplace_back(key, text);
        };
        std::vector<std::string> names; // of several mappings: "one node and replicas-together"
        for (const std::string& mapping : mappings)
            add(names, mappings.size() == 1 ? mapping : mapping.substr(0, mapping.find(" on ")));
        replace("mapping", "mapping", listText(names));
        if (m_data.study.axis("device-memory") == nullptr)
            replace("reserve", "memory",
                    memories.empty() || m_data.study.onlyFitting ? listText(memories)
                                                                 : "limit not applied");
        replace(m_asked.bestOver.c_str(), "best",
                bests.empty() ? ""
                              : "each with its best " + optionWord(m_asked.bestOver) + ": "
                        + listText(bests));
        replace(isMean() ? m_data.study.repeat.c_str() : "", "repeat",
                isMean() ? fmt::format("mean over {} {}", optionWord(m_data.study.repeat),
                                       listText(optionValues(m_data.study, m_data.study.repeat)))
                         : "");
        replace("", "scheme_options", listText(schemes));
        replace("", "case_options", caseConditions());
        replace("", "mode", listText(modes));
    }

    const StudyData& m_data;
    const StudyAnswer& m_asked;
    const Answerer* m_all;
    const StudyAxis& m_axis;
    std::size_t m_compared; // its index
    bool m_less;            // whether smaller values of y are better
    // The points of each set-up in the order of the compared values. The key of a set-up is its
    // point with the first compared value.
    std::map<std::size_t, std::vector<std::size_t>> m_setUps;
    AnsweredQuestion m_answer;
};

// Compares a point with its rivals: the points that differ only in the compared axis.
class Summarizer
{
public:
    Summarizer(const StudyData& data, std::size_t point)
        : m_data(data)
        , m_point(point)
        , m_axis(*data.study.comparedAxis())
        , m_compared(data.study.place(m_axis.key))
    {
        std::vector<std::string> values = data.points[point].values;
        for (const std::string& value : m_axis.values) {
            values[m_compared] = value;
            m_rivals.push_back(pointAt(data.study, values).value());
        }
    }

    PointSummary summarize(std::string_view along)
    {
        PointSummary summary;
        summary.name = nameOf(m_point);
        std::map<std::string, std::string> where;
        for (std::size_t i = 0; i < m_data.study.grid.size(); ++i)
            if (i != m_compared)
                where[m_data.study.grid[i].key] = m_data.points[m_point].values[i];
        summary.where = whereText(where);
        const std::string& mapping = m_data.results[m_point].values.mapping;
        if (!mapping.empty() && m_data.study.axis("mapping") == nullptr)
            summary.where += (summary.where.empty() ? "" : ", ") + mapping;
        summary.reason = m_data.whyUnknown(m_point);
        addRows(summary);
        const std::string iteration(metricName(StudyMetric::Iteration));
        summary.best = best(iteration);
        if (summary.reason.empty() && m_data.value(iteration, m_point))
            summary.sentence = sentence(std::move(where), along);
        return summary;
    }

private:
    std::string nameOf(std::size_t point) const
    {
        return valueTitle(m_axis.key, m_data.points[point].values[m_compared]);
    }

    std::optional<std::size_t> best(const std::string& column) const
    {
        const double towards = lessIsBetter(m_data.study, column) ? 1 : -1;
        std::optional<std::size_t> found;
        for (const std::size_t rival : m_rivals)
            if (const auto value = m_data.value(column, rival);
                value && (!found || towards * *value < towards * *m_data.value(column, *found)))
                found = rival;
        return found;
    }

    // How the point compares with the best other one, and which is the best along an axis.
    std::string sentence(std::map<std::string, std::string> where, std::string_view along) const
    {
        StudyAnswer asked;
        asked.kind = StudyAnswer::Kind::Ratio;
        asked.of = m_data.points[m_point].values[m_compared];
        asked.where = where;
        const AnsweredQuestion ratio = answerQuestion(m_data, asked);
        if (!ratio.unknown.empty())
            return "";
        if (where.erase(std::string(along)) == 0)
            return ratio.claim + ".";
        asked.kind = StudyAnswer::Kind::Best;
        asked.along = along;
        asked.where = std::move(where);
        return ratio.claim + ". " + answerQuestion(m_data, asked).claim + ".";
    }

    void addRows(PointSummary& summary) const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kStudyMetrics; ++i)
            if (const auto metric = static_cast<StudyMetric>(i); metric < StudyMetric::Fits
                || metric == StudyMetric::Loss || metric == StudyMetric::Exposed)
                names.emplace_back(metricName(metric));
        for (const StudyRatio& ratio : m_data.study.ratios)
            names.push_back(ratio.name);
        for (const std::string& name : names)
            if (m_data.value(name, m_point))
                summary.rows.push_back(row(name));
    }

    PointSummary::Row row(const std::string& column) const
    {
        const Amount own = *shownAmount(m_data, column, m_point);
        const std::size_t first = *best(column);
        const double least = shownAmount(m_data, column, first)->value;
        const int decimals = metricDecimals(column, std::max(own.value, least));
        PointSummary::Row row{
            columnTitle(m_data, column), amountText(own, decimals), {}, {}, false};
        if (m_rivals.size() < 2)
            return row;
        row.best = fixedNumber(least, decimals);
        row.isBest = own.value == least;
        for (const std::size_t rival : m_rivals)
            if (m_data.value(column, rival) == m_data.value(column, first))
                row.bestNames += (row.bestNames.empty() ? "" : ", ") + nameOf(rival);
        return row;
    }

    const StudyData& m_data;
    std::size_t m_point;
    const StudyAxis& m_axis;
    std::size_t m_compared;            // its index
    std::vector<std::size_t> m_rivals; // one for each compared value, including m_point
};

} // namespace

std::string settingText(const std::string& key, const std::string& values)
{
    static constexpr std::array<std::string_view, 11> kNamed{
        "scheme", "case", "model",          "hardware",     "mapping", "set",
        "mode",   "best", "scheme_options", "case_options", "repeat"};
    if (std::ranges::find(kNamed, key) != kNamed.end())
        return values;
    const std::string symbol = optionSymbol(key);
    if (!symbol.empty())
        return symbol + " = " + values;
    return values == "true" ? optionWord(key)
        : values == "false" ? "without " + optionWord(key)
                            : optionWord(key) + " " + values;
}

AnsweredQuestion answerQuestion(const StudyData& data, const StudyAnswer& asked)
{
    auto named = namedAxes(asked);
    if (asked.compare.empty() && data.study.comparedAxis() != nullptr)
        named.push_back(data.study.comparedAxis()->key);
    const auto means = reducedData(data, named, "", asked.y);
    const StudyData& points = means ? *means : data;
    Answerer all(points, asked);
    if (asked.bestOver.empty())
        return all.answer();
    const auto best = reducedData(data, named, asked.bestOver, asked.y);
    return Answerer(*best, asked, &all).answer();
}

StudyWins studyWins(const StudyData& data)
{
    const StudyAxis* const axis = data.study.comparedAxis();
    return axis != nullptr && axis->values.size() > 1 ? Answerer(data, {}).wins() : StudyWins();
}

std::vector<AnsweredQuestion> studyAnswers(const StudyData& data)
{
    const StudyAxis* const axis = data.study.comparedAxis();
    std::vector<AnsweredQuestion> all;
    for (const StudyAnswer& asked : data.study.answers)
        all.push_back(answerQuestion(data, asked));
    if (all.empty() && axis != nullptr && axis->values.size() > 1)
        all.push_back(answerQuestion(data, {}));
    return all;
}

std::string answersText(const StudyData& data)
{
    std::string text;
    for (const AnsweredQuestion& answer : studyAnswers(data))
        text += answer.sentence + "\n";
    return text;
}

PointSummary summarizePoint(const StudyData& data, std::size_t point, std::string_view along)
{
    return data.study.grid.empty() ? PointSummary() : Summarizer(data, point).summarize(along);
}

std::string pointText(const PointSummary& summary)
{
    std::string text = summary.name + (summary.where.empty() ? "" : ", " + summary.where);
    if (!summary.reason.empty())
        text += "\n" + summary.reason;
    for (const PointSummary::Row& row : summary.rows)
        text += fmt::format("\n{}: {}", row.title, row.value);
    return text;
}

} // namespace profiler
