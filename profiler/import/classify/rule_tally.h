#pragma once

#include "profiler/import/classify/classify.h"

#include <map>
#include <string>

namespace profiler {

// Sums the work of one rank by the rule that matches it, and keeps the longest matches of each
// rule.
class RuleTally
{
public:
    // Counts work that a rule matches. `rule` is an index in Rules::all(), or the number of rules
    // for work that autograd threads launched, or that number + 1 for work that other threads
    // launched.
    void count(std::size_t rule, const Match& match);
    // Counts work that no rule matches.
    void leaveOut(const char* what, const Match& match);
    // Counts anything else that the run does not contain; `time` is in ns.
    void leaveOut(const char* what, std::int64_t time) { m_leftOut[what].add(time); }
    // Stores the rules, their matches and what was left out in `rank`.
    void report(const Rules& rules, ClassifiedRank& rank);

private:
    struct Sum
    {
        std::int64_t matches = 0, time = 0;

        void add(std::int64_t more)
        {
            ++matches;
            addTime(time, more);
        }
    };
    std::map<std::size_t, Sum> m_byRule;
    std::map<std::string, Sum> m_leftOut;
    std::map<std::size_t, LongestMatches> m_longest; // by rule
    LongestMatches m_unmatched;
};

} // namespace profiler
