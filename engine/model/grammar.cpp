#include "engine/model/grammar.h"

#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

std::string_view trim(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view takeUntil(std::string_view& text, char separator)
{
    const auto end = std::min(text.find(separator), text.size());
    const auto taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

} // namespace

Result<Grammar> Grammar::parse(std::string_view text)
{
    Grammar grammar;
    for (int line = 1; !text.empty(); ++line) {
        const auto rule = trim(takeUntil(text, '\n'));
        if (rule.empty() || rule.front() == '#')
            continue;
        if (auto added = grammar.addRule(rule); !added)
            return fail(Error::Code::Corrupt,
                        fmt::format("grammar, line {}: {}", line, added.error().message));
    }
    if (grammar.m_rules.empty())
        return fail(Error::Code::Corrupt, "the grammar has no rules");
    for (const Rule& rule : grammar.m_rules)
        if (rule.choices.empty())
            return fail(Error::Code::Corrupt,
                        fmt::format("the grammar has no rule for {{{}}}", rule.name));
    return grammar;
}

int Grammar::ruleNamed(std::string_view name)
{
    const auto found = std::ranges::find(m_rules, name, &Rule::name);
    if (found != m_rules.end())
        return found - m_rules.begin();
    m_rules.push_back({std::string(name), {}});
    return m_rules.size() - 1;
}

Result<void> Grammar::addRule(std::string_view line)
{
    if (line.find(':') == std::string_view::npos)
        return fail(Error::Code::Corrupt, "not a rule; write 'name: choice | choice'");
    const std::size_t rule = ruleNamed(trim(takeUntil(line, ':')));
    while (!line.empty()) {
        auto choice = TRY(parseChoice(trim(takeUntil(line, '|'))));
        m_rules[rule].choices.push_back(std::move(choice));
    }
    return {};
}

Result<Grammar::Choice> Grammar::parseChoice(std::string_view text)
{
    Choice choice;
    while (!text.empty()) {
        if (text.front() == '{') {
            text.remove_prefix(1);
            if (text.find('}') == std::string_view::npos)
                return fail(Error::Code::Corrupt, "'{' has no matching '}'");
            choice.push_back({"", ruleNamed(takeUntil(text, '}'))});
        } else {
            const auto literal = text.substr(0, text.find('{'));
            choice.push_back({std::string(literal), -1});
            text.remove_prefix(literal.size());
        }
    }
    return choice;
}

double Grammar::appendSentence(Random& random, std::string& text) const
{
    double nats = 0;
    std::vector<Part> open{{"", 0}}; // stack of the remaining parts; rule 0 is the start symbol
    while (!open.empty()) {
        const Part part = std::move(open.back());
        open.pop_back();
        text += part.text;
        if (part.rule < 0)
            continue;
        const auto& choices = m_rules[part.rule].choices;
        const Choice& choice = choices[random.below(choices.size())];
        nats += std::log(choices.size());
        open.insert(open.end(), choice.rbegin(), choice.rend());
    }
    return nats;
}

} // namespace engine
