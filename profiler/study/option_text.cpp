#include "profiler/study/option_text.h"

#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/schedules/scheme.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace profiler {
namespace {

std::optional<engine::FieldFacts> factsOf(std::string_view key)
{
    if (key == "seed") // ambiguous: seed of the jitter or of a run
        return std::nullopt;
    std::optional<engine::FieldFacts> found;
    const auto search = [&found, flag = "--" + std::string(key)](const auto& fields) {
        for (const engine::FieldFacts& field : fields)
            if (!found && !field.flag.empty() && field.longFlag() == flag)
                found = field;
    };
    search(engine::requestFields());
    search(engine::unitCostFields());
    search(engine::trainingSetupFields());
    return found;
}

bool isUpper(char c)
{
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}

} // namespace

std::string optionLabel(std::string_view key)
{
    if (const auto facts = factsOf(key); facts && !facts->label.empty())
        return std::string(facts->label);
    std::string label(key);
    std::ranges::replace(label, '-', ' ');
    if (!label.empty())
        label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
    return label;
}

std::string optionTitle(std::string_view key)
{
    const auto facts = factsOf(key);
    const std::string label = optionLabel(key);
    const bool hasUnit = label.find(',') != std::string::npos;
    return facts && facts->value == "U" && !hasUnit ? label + ", units" : label;
}

std::string optionWord(std::string_view key)
{
    return asWord(optionLabel(key));
}

std::string asWord(std::string word)
{
    if (const auto comma = word.find(','); comma != std::string::npos)
        word.resize(comma);
    else if (word.size() > 2 && word[word.size() - 2] == ' ')
        word.resize(word.size() - 2);
    const bool isAcronym = word.size() > 1
        && (isUpper(word[1]) || std::isdigit(static_cast<unsigned char>(word[1])) != 0);
    if (word.size() > 1 && !isAcronym)
        word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
    return word;
}

} // namespace profiler
