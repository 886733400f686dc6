#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/schedule_file.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace engine {
namespace {

// `op.stage` is the chunk until the placement is known.
struct Word
{
    Op op;
    bool isLarge = false;
    bool isWholeBackward = false; // BW
};

struct SailKind
{
    std::string_view letters;
    OpKind kind;
};

constexpr std::array<SailKind, 8> kSailKinds{{
    {"F", OpKind::Forward},
    {"B", OpKind::BackwardInput},
    {"BW", OpKind::Backward},
    {"W", OpKind::BackwardWeight},
    {"SF", OpKind::SendActivation},
    {"RF", OpKind::RecvActivation},
    {"SB", OpKind::SendGradient},
    {"RB", OpKind::RecvGradient},
}};

// Whether the letters stand for one of sail-sg's checks of the gradient norm (post-validation),
// which are not part of the schedule.
bool isValidation(std::string_view letters)
{
    return letters == "PV" || letters == "SPV" || letters == "RPV";
}

std::string upper(std::string_view text)
{
    std::string large(text);
    std::ranges::transform(large, large.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return large;
}

auto badWord(int line, std::string_view word, std::string_view why)
{
    return fail(Error::Code::Corrupt, "line {}: '{}' {}", line, excerpt(word), why);
}

// nullopt for a post-validation word.
Result<std::optional<Word>> sailWord(std::string_view text, int line)
{
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t digits = std::min(text.find_first_of(kDigits), text.size());
    const std::string_view letters = text.substr(0, digits);
    const std::string large = upper(letters.substr(0, 8));
    if (isValidation(large))
        return std::nullopt;
    const auto kind = std::ranges::find(kSailKinds, large, &SailKind::letters);
    const auto number = parseInteger<int>(text.substr(digits));
    const bool oneCase = letters == large
        || std::ranges::none_of(letters, [](unsigned char c) { return std::isupper(c) != 0; });
    if (kind == kSailKinds.end() || !oneCase || !number || *number < 0 || *number > kLargestNumber)
        return badWord(line, text,
                       "is not a word of sail-sg's schedules; use F, B, W, BW, SF, RF, SB or RB in "
                       "lower or upper case and a micro-batch, as in f0");
    Word word;
    word.op.kind = kind->kind;
    word.op.microBatch = MicroBatchId{*number};
    word.isLarge = letters == large;
    word.isWholeBackward = kind->kind == OpKind::Backward;
    return word;
}

using Words = IdVector<DeviceId, std::vector<Word>>;

Result<Words> sailWords(std::string_view text)
{
    Words words;
    Lines lines(text);
    while (auto line = lines.next()) {
        std::vector<Word> ofLine;
        for (std::string_view rest = *line; !rest.empty();) {
            const std::string_view taken = trimmed(Lines::take(rest, ' '));
            if (taken.empty())
                continue;
            const auto word = TRY(sailWord(taken, lines.number()));
            if (word)
                ofLine.push_back(*word);
        }
        if (ofLine.empty())
            continue;
        if (words.size() > kLargestDevice)
            return badWord(lines.number(), *line, "is one device more than a schedule can have");
        words.push_back(std::move(ofLine));
    }
    if (words.empty())
        return fail(Error::Code::Corrupt, "the file has no ops");
    return words;
}

// A text with words of only one case was printed without chunks.
bool hasChunks(const Words& words)
{
    bool small = false;
    bool large = false;
    for (const auto& line : words)
        for (const Word& word : line)
            (word.isLarge ? large : small) = true;
    return small && large;
}

// A B without a W is the whole backward.
void markWholeBackwards(std::vector<Op>& ops)
{
    std::set<std::pair<StageId, MicroBatchId>> split;
    for (const Op& op : ops)
        if (op.kind == OpKind::BackwardWeight)
            split.emplace(op.stage, op.microBatch);
    for (Op& op : ops)
        if (op.kind == OpKind::BackwardInput && !split.contains({op.stage, op.microBatch}))
            op.kind = OpKind::Backward;
}

enum class SailPlacement { V, Looping };

Programs placed(const Words& words, SailPlacement placement)
{
    const bool chunks = hasChunks(words);
    const int devices = words.size();
    Programs programs(words.size());
    for (const DeviceId d : programs.ids()) {
        const StageId first{d.value};
        const StageId second{placement == SailPlacement::V ? 2 * devices - 1 - d.value
                                                           : devices + d.value};
        auto& ops = programs[d];
        for (const Word& word : words[d]) {
            ops.push_back(word.op);
            ops.back().stage = chunks && word.isLarge ? second : first;
        }
        markWholeBackwards(ops);
    }
    return programs;
}

Result<Schedule> placedSchedule(const Words& words, SailPlacement placement,
                                std::string_view scheme)
{
    Programs programs = placed(words, placement);
    const auto shape = TRY(shapeOf(programs));
    return assemble(shape, std::move(programs), scheme);
}

} // namespace

Result<Schedule> readSail(std::string_view text, std::string_view scheme)
{
    const auto words = TRY(sailWords(text));
    auto schedule = placedSchedule(words, SailPlacement::V, scheme);
    if (!schedule || !hasChunks(words) || validate(*schedule).empty())
        return schedule;
    auto looping = placedSchedule(words, SailPlacement::Looping, scheme);
    return looping && validate(*looping).empty() ? looping : schedule;
}

} // namespace engine
