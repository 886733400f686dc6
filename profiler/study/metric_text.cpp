#include "profiler/study/metric_text.h"

#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/schedules/scheme.h"
#include "profiler/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

namespace profiler {

using namespace engine;

namespace {
bool isTime(const std::vector<StudyResult>& results)
{
    return std::ranges::any_of(
        results, [](const StudyResult& result) { return result.values.unit == "ns"; });
}

// Separates groups of three digits by thin spaces: "1 020 404".
std::string withGroups(std::string digits)
{
    const int first = digits.starts_with('-') ? 1 : 0;
    for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
        digits.insert(static_cast<std::size_t>(at), "\u2009");
    return digits;
}

std::string withSpaces(std::string_view name)
{
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    return text;
}

// "Speed-up over 1F1B" for "speed_up_over_1f1b"
std::string ratioTitle(std::string_view name)
{
    std::string title;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        const std::string word(name.substr(at, end - at));
        const char* const between = title.empty() ? ""
            : title == "speed" && word == "up"    ? "-"
                                                  : " ";
        title += between + valueTitle("scheme", word);
        at = end + 1;
    }
    if (!title.empty())
        title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}
Unit unitOf(std::string_view column)
{
    const auto metric = metricNamed(column); // nullopt for a ratio, which is shown as it is
    return metric ? metricInfo(*metric).unit : Unit::None;
}
} // namespace

double shownFactor(const StudyData& data, std::string_view column)
{
    const Unit unit = unitOf(column);
    return unit == Unit::Share                       ? 100
        : unit == Unit::Bytes                        ? 1.0 / (1 << 30)
        : unit == Unit::Time && isTime(data.results) ? 1e-6
                                                     : 1;
}

Result<std::vector<std::optional<double>>> shownColumn(const StudyData& data, std::string_view name)
{
    auto column = data.column(name);
    const double factor = shownFactor(data, name);
    if (column)
        for (auto& value : *column)
            value = value ? std::optional(*value * factor) : std::nullopt;
    return column;
}

std::optional<Amount> shownAmount(const StudyData& data, std::string_view column, std::size_t point)
{
    const double factor = shownFactor(data, column);
    auto amount = data.amount(column, point);
    if (amount)
        *amount = {factor * amount->value, amount->spread, factor * amount->least,
                   factor * amount->most};
    return amount;
}

std::string amountText(const Amount& amount, int decimals)
{
    const auto text = [decimals](double value) { return fixedNumber(value, decimals); };
    return text(amount.value)
        + (amount.spread == Spread::Interval
               ? fmt::format(" ({} to {})", text(amount.least), text(amount.most))
               : "");
}

std::string metricNumber(std::string_view column, double value)
{
    return fixedNumber(value, metricDecimals(column, value));
}

int metricDecimals(std::string_view column, double greatest)
{
    const double size = std::abs(greatest);
    return column == "messages"         ? 0
        : unitOf(column) == Unit::Share ? 1
        : size >= 100                   ? 0
        : size >= 10                    ? 1
                                        : 2;
}

int tickDecimals(double step)
{
    return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
}

std::string fixedNumber(double value, int decimals)
{
    const std::string digits = fmt::format("{:.{}f}", value, decimals);
    return std::abs(value) >= 1e4 && decimals == 0 ? withGroups(digits) : digits;
}

std::string valueTitle(std::string_view key, const std::string& value)
{
    if (key == "case") // the study itself names the cases
        return withSpaces(value);
    const Scheme* const scheme = key == "scheme" ? findScheme(value) : nullptr;
    return scheme == nullptr ? value
                             : std::string(scheme->title.substr(0, scheme->title.find(" (")));
}

std::vector<std::string> titlesOf(const StudyAxis& axis)
{
    std::vector<std::string> titles;
    for (const std::string& value : axis.values)
        titles.push_back(valueTitle(axis.key, value));
    return titles;
}

std::string whereText(const std::map<std::string, std::string>& where)
{
    std::string text;
    for (const auto& [key, value] : where)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", optionWord(key),
                            valueTitle(key, value));
    return text;
}

bool lessIsBetter(const Study& study, std::string_view column)
{
    const StudyRatio* const ratio = study.ratio(column);
    const auto metric = ratio == nullptr ? metricNamed(column) : ratio->metric;
    const bool less = !metric || metricInfo(*metric).better == Better::Less;
    return ratio != nullptr && ratio->inverse ? !less : less;
}

std::string columnTitle(const StudyData& data, std::string_view column)
{
    if (data.study.ratio(column) != nullptr)
        return ratioTitle(column);
    const auto metric = metricNamed(column);
    std::string title(metric ? metricInfo(*metric).title : column);
    constexpr std::string_view kLoss = "the loss"; // "Time to a loss of 2.60"
    if (title.ends_with(kLoss) && data.study.targetLoss)
        title.replace(title.size() - kLoss.size(), kLoss.size(),
                      fmt::format("a loss of {:#.3g}", *data.study.targetLoss));
    return unitOf(column) != Unit::Time ? title
                                        : title + (isTime(data.results) ? ", ms" : ", units");
}

std::vector<FieldFacts> simulationFields()
{
    std::vector<FieldFacts> all;
    const auto append = [&all](const auto& fields) {
        for (const FieldFacts& field : fields)
            if (!field.flag.empty())
                all.push_back(field);
    };
    append(requestFields());
    append(unitCostFields());
    append(trainingSetupFields());
    for (const char* flag : {"--layers", "--network", "--device-memory"})
        all.push_back(*findField(costSourceFields(), flag));
    return all;
}

namespace {

std::optional<FieldFacts> factsOf(std::string_view key)
{
    const auto all = simulationFields();
    const auto found = std::ranges::find(all, "--" + std::string(key), &FieldFacts::longFlag);
    return found == all.end() || key == "seed" // ambiguous: seed of the jitter or of a run
        ? std::nullopt
        : std::optional(*found);
}

const SchemeOption* schemeOption(std::string_view key)
{
    for (const Scheme& scheme : schemes())
        for (const SchemeOption& option : scheme.options)
            if (option.key == key && !factsOf(key))
                return &option;
    return nullptr;
}

} // namespace

bool isSchemeOption(std::string_view key)
{
    return schemeOption(key) != nullptr;
}

std::string optionLabel(std::string_view key)
{
    if (const SchemeOption* const option = schemeOption(key))
        return std::string(option->title);
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
    if (!facts || hasUnit)
        return label;
    return facts->value == "U"             ? label + ", units"
        : facts->kind == FieldKind::Memory ? label + ", GiB"
                                           : label;
}

std::optional<double> axisNumber(std::string_view value)
{
    constexpr double kGibi = 1 << 30;
    if (const auto number = parseNumber(value))
        return number;
    const auto bytes = parseMemory(value);
    return bytes ? std::optional(static_cast<double>(*bytes) / kGibi) : std::nullopt;
}

std::string optionWord(std::string_view key)
{
    return asWord(optionLabel(key));
}

std::string optionSymbol(std::string_view key)
{
    const std::string label = optionLabel(key), word = optionWord(key);
    return label.size() == word.size() + 2 ? label.substr(word.size() + 1) : "";
}

std::string asWord(std::string word)
{
    if (const auto comma = word.find(','); comma != std::string::npos)
        word.resize(comma);
    else if (word.size() > 2 && word[word.size() - 2] == ' ')
        word.resize(word.size() - 2);
    const bool isAcronym = word.size() > 1
        && (std::isupper(static_cast<unsigned char>(word[1])) != 0
            || std::isdigit(static_cast<unsigned char>(word[1])) != 0);
    if (word.size() > 1 && !isAcronym)
        word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
    return word;
}

} // namespace profiler
