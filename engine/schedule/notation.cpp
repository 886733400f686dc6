#include "engine/schedule/notation.h"

#include "engine/base/id_vector.h"
#include "engine/base/text.h"

#include <fmt/format.h>

#include <cctype>

namespace engine {
namespace {

struct KindNames
{
    std::string_view name, shortName, title;
};

constexpr EnumArray<OpKind, KindNames, kOpKinds> kNames{{{
    {"F", "F", "Forward"},
    {"B", "B", "Backward"},
    {"I", "I", "Input gradient"},
    {"W", "W", "Weight gradient"},
    {"SEND_F", "SF", "Send activation"},
    {"RECV_F", "RF", "Receive activation"},
    {"SEND_B", "SB", "Send gradient"},
    {"RECV_B", "RB", "Receive gradient"},
    {"EVICT", "EV", "Evict"},
    {"LOAD", "LD", "Load"},
    {"RECOMPUTE", "RC", "Recompute"},
    {"ALLREDUCE", "AR", "All-reduce"},
    {"OPT", "OPT", "Optimizer step"},
    {"UNSHARD", "US", "All-gather of weights"},
    {"RESHARD", "RS", "Release of weights"},
}}};
class Reader
{
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    { }

    template<class Predicate>
    std::string_view takeWhile(Predicate predicate)
    {
        std::size_t n = 0;
        while (n < m_text.size() && predicate(static_cast<unsigned char>(m_text[n])))
            ++n;
        const std::string_view taken = m_text.substr(0, n);
        m_text.remove_prefix(n);
        return taken;
    }
    std::string_view takeDigits()
    {
        return takeWhile([](unsigned char c) { return std::isdigit(c) != 0; });
    }
    bool take(char c)
    {
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    bool atEnd() const { return m_text.empty(); }

private:
    std::string_view m_text;
};

bool isKindLetter(unsigned char c)
{
    return std::isupper(c) != 0 || c == '_';
}

// Rejects leading zeros, so that every op has one name.
bool isCanonical(std::string_view digits)
{
    return digits.size() <= 1 || digits.front() != '0';
}

std::optional<Op> read(std::string_view text)
{
    Reader reader(text);
    const std::string_view stage = reader.takeDigits();
    const auto kind = kNames.find(reader.takeWhile(isKindLetter), &KindNames::name);
    const std::string_view microBatch = reader.takeDigits();
    const auto stageNumber = parseInteger<std::int32_t>(stage);
    if (!kind || !stageNumber || !isCanonical(stage) || !isCanonical(microBatch))
        return std::nullopt;

    Op op;
    op.kind = *kind;
    op.stage = StageId{*stageNumber};
    if (hasMicroBatch(*kind)) {
        const auto number = parseInteger<std::int32_t>(microBatch);
        if (!number)
            return std::nullopt;
        op.microBatch = MicroBatchId{*number};
    } else if (!microBatch.empty()) {
        return std::nullopt;
    }
    op.replica = reader.take('u') ? 1 : 0;
    if (hasMicroBatch(*kind) && reader.take('.')) {
        const std::string_view digits = reader.takeDigits();
        const auto slice = parseInteger<std::uint16_t>(digits);
        if (!slice || *slice == Op::kWhole || !isCanonical(digits))
            return std::nullopt;
        op.slice = *slice;
    }
    return reader.atEnd() ? std::optional(op) : std::nullopt;
}

} // namespace

std::string toString(const Op& op)
{
    std::string text = fmt::format("{}{}", op.stage.value, kindName(op.kind));
    if (op.microBatch.isValid())
        text += std::to_string(op.microBatch.value);
    if (op.replica != 0)
        text += 'u';
    if (op.slice != Op::kWhole)
        text += fmt::format(".{}", op.slice);
    return text;
}

Result<Op> parseOp(std::string_view text)
{
    if (const auto op = read(text))
        return *op;
    return invalid("'{}' is not an op; write stage, kind and micro-batch, as in 2F0, 5B3u or 3OPT",
                   excerpt(text));
}

std::string_view kindName(OpKind kind)
{
    return kNames[kind].name;
}

std::string_view kindShortName(OpKind kind)
{
    return kNames[kind].shortName;
}

std::string_view kindTitle(OpKind kind)
{
    return kNames[kind].title;
}

Result<OpKind> parseKind(std::string_view text)
{
    if (const auto kind = kNames.find(text, &KindNames::name))
        return *kind;
    return parseKindShortName(text);
}

Result<OpKind> parseKindShortName(std::string_view text)
{
    if (const auto kind = kNames.find(text, &KindNames::shortName))
        return *kind;
    return invalid("unknown op '{}'; the ops are F, B, I, W, SF, RF, SB, RB, EV, LD, RC, "
                   "AR, OPT, US, RS",
                   excerpt(text));
}

} // namespace engine
