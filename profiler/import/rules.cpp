#include "profiler/import/rules.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/schedule/notation.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

namespace profiler {

using namespace engine;

namespace {
constexpr std::array<std::string_view, 3> kConfidences{"high", "medium", "low"};
constexpr std::array<std::string_view, 10> kRuleKeys{"name",     "title",     "range", "kernel",
                                                     "category", "thread",    "kind",  "arguments",
                                                     "kinds",    "confidence"};

std::optional<int> numberOf(std::string_view text)
{
    constexpr int kMost = 0xFFFF;
    const auto number = parseInteger<int>(text);
    return number && *number >= 0 && *number < kMost ? number : std::nullopt;
}

// `at` is the TOML node with the error. The message states its line.
tl::unexpected<Error> failedRule(const std::string& file, const toml::node& at,
                                 std::string_view rule, const std::string& what)
{
    return invalid("{}: line {}: rule \"{}\": {}", file, at.source().begin.line, excerpt(rule),
                   what);
}

// The texts of the groups of a match; empty if the text does not match.
using Groups = std::vector<std::string_view>;
} // namespace

class Rules::Pattern
{
public:
    explicit Pattern(const std::string& text)
        : m_expression(std::make_unique<RE2>(text, RE2::Quiet))
    { }

    const std::string& error() const { return m_expression->error(); }
    bool isValid() const { return m_expression->ok(); }
    int groups() const { return m_expression->NumberOfCapturingGroups(); }
    Groups match(std::string_view text) const
    {
        std::vector<re2::StringPiece> groups(
            static_cast<std::size_t>(m_expression->NumberOfCapturingGroups()) + 1);
        const re2::StringPiece piece(text.data(), text.size());
        if (!m_expression->Match(piece, 0, text.size(), RE2::UNANCHORED, groups.data(),
                                 static_cast<int>(groups.size())))
            return {};
        Groups texts;
        for (const re2::StringPiece& group : groups)
            texts.emplace_back(group.data() == nullptr ? "" : group.data(), group.size());
        return texts;
    }
    std::string_view group(const Groups& groups, const char* name) const
    {
        const auto& numbers = m_expression->NamedCapturingGroups();
        const auto found = numbers.find(name);
        return found == numbers.end() ? std::string_view()
                                      : groups[static_cast<std::size_t>(found->second)];
    }

private:
    std::unique_ptr<RE2> m_expression;
};

struct Rules::Rule
{
    struct Kind
    {
        RuleMatch::Purpose purpose = RuleMatch::Purpose::None;
        OpKind op = OpKind::Forward;
    };
    RuleText text;
    std::optional<Pattern> range, kernel, category, thread, arguments;
    std::optional<Kind> kind;
    std::map<std::string, Kind, std::less<>> kinds;

    static std::optional<Kind> kindNamed(std::string_view name)
    {
        using Purpose = RuleMatch::Purpose;
        if (name == "none")
            return Kind{Purpose::None};
        if (name == "communication")
            return Kind{Purpose::Communication};
        if (name == "iteration")
            return Kind{Purpose::Iteration};
        const auto op = parseKindShortName(name);
        return op ? std::optional(Kind{Purpose::Op, *op}) : std::nullopt;
    }
    static Result<Rule> read(const toml::table& entry, const std::string& file)
    {
        Rule rule;
        rule.text = {entry["name"].value_or(std::string()), entry["title"].value_or(std::string()),
                     entry["confidence"].value_or(std::string("high"))};
        for (const auto& [key, value] : entry)
            if (std::ranges::find(kRuleKeys, key.str()) == kRuleKeys.end())
                return failedRule(file, value, rule.text.name,
                                  fmt::format("unknown key `{}`", excerpt(key.str())));
        if (rule.text.name.empty())
            return failedRule(file, entry, "", "has no name");
        if (rule.text.title.empty())
            rule.text.title = rule.text.name;
        if (std::ranges::find(kConfidences, rule.text.confidence) == kConfidences.end())
            return failedRule(file, entry, rule.text.name,
                              "`confidence` is not high, medium or low");
        return rule.readPatterns(entry, file)
            .and_then([&] { return rule.readKinds(entry, file); })
            .map([&] { return std::move(rule); });
    }
    Result<void> readPatterns(const toml::table& entry, const std::string& file)
    {
        for (const auto& [key, field] : {std::pair("range", &Rule::range),
                                         {"kernel", &Rule::kernel},
                                         {"category", &Rule::category},
                                         {"thread", &Rule::thread},
                                         {"arguments", &Rule::arguments}}) {
            const toml::node* const node = entry.get(key);
            if (node == nullptr)
                continue;
            const auto expression = node->value<std::string>();
            if (!expression)
                return failedRule(file, *node, text.name, fmt::format("`{}` is not a string", key));
            (this->*field).emplace(*expression);
            if (!(this->*field)->isValid())
                return failedRule(file, *node, text.name,
                                  fmt::format("`{}`: {}; correct the regular expression", key,
                                              (this->*field)->error()));
            constexpr int kMostGroups = 100; // matching takes time in proportion
            if ((this->*field)->groups() > kMostGroups)
                return failedRule(file, *node, text.name,
                                  fmt::format("`{}` has {} groups; use at most {}, or (?:...)", key,
                                              (this->*field)->groups(), kMostGroups));
        }
        if (range.has_value() == kernel.has_value())
            return failedRule(file, entry, text.name, "needs either `range` or `kernel`");
        if (kernel && (category || thread || arguments))
            return failedRule(
                file, entry, text.name,
                "`category`, `thread` and `arguments` apply to ranges, not to kernels");
        return {};
    }
    Result<void> readKinds(const toml::table& entry, const std::string& file)
    {
        const auto read = [&](const toml::node& node) -> Result<Kind> {
            const auto name = node.value_or(std::string_view());
            if (const auto known = kindNamed(name))
                return *known;
            return failedRule(
                file, node, text.name,
                fmt::format("unknown kind \"{}\"; use F B I W RC OPT SF RF SB RB AR EV LD, "
                            "communication, none or iteration",
                            excerpt(name)));
        };
        if (const toml::node* const node = entry.get("kind"))
            kind = TRY(read(*node));
        if (const toml::table* const table = entry["kinds"].as_table())
            for (const auto& [group, value] : *table) {
                const auto known = TRY(read(value));
                kinds.emplace(std::string(group.str()), known);
            }
        return {};
    }
    bool matches(const RangeTexts& texts) const
    {
        const auto fits = [](const std::optional<Pattern>& pattern, std::string_view of) {
            return !pattern || !pattern->match(of).empty();
        };
        return fits(category, texts.category) && fits(thread, texts.thread)
            && fits(arguments, texts.arguments);
    }
    // Returns nullopt if the kind of op is unknown.
    std::optional<RuleMatch> take(const Pattern& pattern, const Groups& groups) const
    {
        RuleMatch match;
        const auto add = [&](const char* kindGroup, const char* stage, const char* microBatch) {
            const std::string_view name = pattern.group(groups, kindGroup);
            const auto own = kinds.find(name);
            const auto known = own != kinds.end() ? std::optional(own->second)
                : kind                            ? kind
                                                  : kindNamed(name);
            if (!known)
                return false;
            match.purpose = known->purpose;
            if (known->purpose == RuleMatch::Purpose::Op)
                match.ops.push_back({known->op, numberOf(pattern.group(groups, stage)),
                                     numberOf(pattern.group(groups, microBatch)),
                                     numberOf(pattern.group(groups, "chunk")),
                                     !pattern.group(groups, "up").empty(),
                                     numberOf(pattern.group(groups, "slice")),
                                     !pattern.group(groups, "host").empty()});
            return true;
        };
        if (!add("kind", "stage", "microbatch"))
            return std::nullopt;
        if (!pattern.group(groups, "kind2").empty() && !add("kind2", "stage2", "microbatch2"))
            return std::nullopt;
        return match;
    }
};

Rules::Rules() = default;
Rules::Rules(Rules&&) noexcept = default;
Rules& Rules::operator=(Rules&&) noexcept = default;
Rules::~Rules() = default;

Result<void> Rules::add(std::string_view toml, const std::string& file)
{
    const auto parsed = TRY(parseToml(toml, file));
    const toml::table& table = parsed;
    const toml::array* const list = table["rule"].as_array();
    if (list == nullptr || table.size() != 1)
        return invalid(file
                       + ": expected [[rule]] tables and nothing else; `bscope import "
                         "--print-rules` shows examples");
    for (const toml::node& node : *list) {
        const toml::table* const entry = node.as_table();
        if (entry == nullptr)
            return failedRule(file, node, "", "is not a table");
        auto rule = TRY(Rule::read(*entry, file));
        m_texts.push_back(rule.text);
        m_rules.push_back(std::move(rule));
    }
    return {};
}

Result<Rules> Rules::parse(std::string_view toml, const std::string& file)
{
    Rules rules;
    if (!file.empty())
        TRY(rules.add(toml, file));
    rules.m_own = rules.m_texts.size();
    constexpr const char* kShipped = "import/rules.toml";
    TRY(rules.add(resources::find(kShipped), kShipped));
    return rules;
}

Rules Rules::shipped()
{
    return std::move(parse({}, {}).value());
}

std::optional<RuleMatch> Rules::firstMatch(std::optional<Pattern> Rule::*of,
                                           const RangeTexts& texts) const
{
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        const Rule& rule = m_rules[i];
        if (!(rule.*of))
            continue;
        const auto groups = (rule.*of)->match(texts.name);
        if (groups.empty() || !rule.matches(texts))
            continue;
        if (auto match = rule.take(*(rule.*of), groups)) {
            match->rule = i;
            return match;
        }
    }
    return std::nullopt;
}

std::optional<RuleMatch> Rules::ofRange(const RangeTexts& range) const
{
    return firstMatch(&Rule::range, range);
}

std::optional<RuleMatch> Rules::ofKernel(std::string_view name) const
{
    return firstMatch(&Rule::kernel, {name});
}

bool Rules::namesRange(std::string_view name) const
{
    return std::ranges::any_of(
        m_rules, [&](const Rule& rule) { return rule.range && !rule.range->match(name).empty(); });
}

bool Rules::needsMoreThanNames() const
{
    return std::ranges::any_of(
        m_rules, [](const Rule& rule) { return rule.category || rule.thread || rule.arguments; });
}

} // namespace profiler
