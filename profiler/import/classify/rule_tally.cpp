#include "profiler/import/classify/rule_tally.h"

namespace profiler {

void RuleTally::count(std::size_t rule, const Match& match)
{
    m_byRule[rule].add(match.window.duration());
    m_longest[rule].add(match);
}

void RuleTally::leaveOut(const char* what, const Match& match)
{
    leaveOut(what, match.window.duration());
    m_unmatched.add(match);
}

void RuleTally::report(const Rules& rules, ClassifiedRank& rank)
{
    std::vector<RuleText> texts = rules.all();
    texts.push_back({"autograd-thread", "Launched by the autograd engine", "medium"});
    texts.push_back({"main-thread", "Launched outside the autograd engine", "low"});
    for (const auto& [rule, sum] : m_byRule) {
        const RuleText& text = texts[rule];
        rank.rules.push_back({text.name, text.title, text.confidence, sum.matches, sum.time});
        const std::vector<Match> longest = m_longest[rule].take();
        auto& known = rank.matches[text.name]; // several rules may have one name
        known.insert(known.end(), longest.begin(), longest.end());
    }
    rank.matches[""] = m_unmatched.take();
    for (const auto& [what, sum] : m_leftOut)
        rank.leftOut.push_back({what, sum.matches, sum.time});
}

} // namespace profiler
