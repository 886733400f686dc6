#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// What the name of a range or kernel states of an op. Numbers that it does not state are empty.
struct NamedOp
{
    engine::OpKind kind = engine::OpKind::Forward;
    std::optional<int> stage, microBatch, chunk;
    bool up = false;
    std::optional<int> slice; // the slice, or the half of the sequence
    bool usesHost = false;    // EV and LD: host memory instead of the partner
};

struct RuleMatch
{
    enum class Purpose : std::uint8_t {
        Op,            // an op, or two joint ops
        Communication, // communication of unknown kind
        None,          // recognised, but not an op
        Iteration,
    };
    std::size_t rule = 0; // index in Rules::all()
    Purpose purpose = Purpose::None;
    std::vector<NamedOp> ops;
};

struct RuleText
{
    std::string name, title, confidence;
};

// The texts that rules match against; empty if unknown.
struct RangeTexts
{
    std::string_view name, category, thread, arguments;
};

// The rules that classify ranges and kernels by name; resources/import/rules.toml documents the
// format. Uses RE2, which matches in time linear in the text. Immutable; thread-safe.
class Rules
{
public:
    // Parses rules from `toml`, which was read from `file`, and appends the built-in rules.
    static engine::Result<Rules> parse(std::string_view toml, const std::string& file);
    static Rules shipped();
    Rules(Rules&&) noexcept;
    Rules& operator=(Rules&&) noexcept;
    ~Rules();

    const std::vector<RuleText>& all() const { return m_texts; }
    std::size_t own() const { return m_own; } // the first rules of all(): those of the file
    std::optional<RuleMatch> ofRange(const RangeTexts& range) const;
    std::optional<RuleMatch> ofKernel(std::string_view name) const;
    // Ignores what else a rule requires.
    bool namesRange(std::string_view name) const;
    bool needsMoreThanNames() const;

private:
    Rules();
    engine::Result<void> add(std::string_view toml, const std::string& file);
    class Pattern;
    struct Rule;
    std::optional<RuleMatch> firstMatch(std::optional<Pattern> Rule::*of,
                                        const RangeTexts& texts) const;
    std::vector<Rule> m_rules;
    std::vector<RuleText> m_texts;
    std::size_t m_own = 0;
};

} // namespace profiler
