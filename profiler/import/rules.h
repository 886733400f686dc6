#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// What a name says about an op. Numbers are absent if the name does not have them.
struct NamedOp
{
    engine::OpKind kind = engine::OpKind::Forward;
    std::optional<int> stage, microBatch, chunk;
    bool up = false;
    std::optional<int> slice; // or half
};

struct RuleMatch
{
    enum class Purpose : std::uint8_t {
        Op,            // `ops` has one op, or two that are joint
        Communication, // of unknown kind
        None,          // known, but no op
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

// The texts that rules match; empty if unknown.
struct RangeTexts
{
    std::string_view name, category, thread, arguments;
};

// The rules that classify ranges and kernels by name (resources/import/rules.toml describes their
// file). Regular expressions are RE2's, whose time is linear in the text. Immutable; thread-safe.
class Rules
{
public:
    // The rules of `toml`, which comes from `file`, followed by those that the program ships.
    static engine::Result<Rules> parse(std::string_view toml, const std::string& file);
    static Rules shipped();
    Rules(Rules&&) noexcept;
    Rules& operator=(Rules&&) noexcept;
    ~Rules();

    const std::vector<RuleText>& all() const { return m_texts; }
    std::optional<RuleMatch> ofRange(const RangeTexts& range) const;
    std::optional<RuleMatch> ofKernel(std::string_view name) const;
    // Whether a rule for ranges matches by name alone.
    bool namesRange(std::string_view name) const;
    // Whether matches of ranges depend on more than their names.
    bool needsMoreThanNames() const;

private:
    Rules();
    engine::Result<void> add(std::string_view toml, const std::string& file);
    struct Rule;
    std::vector<Rule> m_rules;
    std::vector<RuleText> m_texts;
};

} // namespace profiler
