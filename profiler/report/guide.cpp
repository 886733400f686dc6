#include "profiler/report/guide.h"

#include "engine/cost/transformer.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/model/model_spec.h"
#include "profiler/analysis/run_measures.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace profiler {
namespace {

constexpr std::string_view kNumbers = "numbers", kKeys = "experiment-files";
constexpr std::string_view kChapters[] = {
    "first-run",        "reading-the-timeline",
    "comparing",        "recording-traces",
    "memory-and-bpipe", "choosing-a-scheme",
    "searching",        "studies",
    "cluster",          "figures",
    kNumbers,           kKeys,
    "hardware-files",   "schedule-files",
    "study-files",      "run-files",
    "exported-files",   "progress",
    "glossary",         "troubleshooting",
    "limits",
};

template<class Subject>
std::string rows(std::span<const Measure<Subject>> measures)
{
    std::string text = "| number | key in JSON | definition |\n|---|---|---|\n";
    for (const MeasureInfo& one : measures)
        if (!one.title.empty() && !one.meaning.empty())
            text += fmt::format("| {} | {} | {}{}{} |\n", one.title,
                                one.key.empty() ? "" : fmt::format("`{}`", one.key), one.formula,
                                one.formula.empty() ? "" : ". ", one.meaning);
    return text;
}

std::string numbers()
{
    return "# What every number means\n\nA number that is unknown is shown as such, with the "
           "reason.\n\n## Of a run\n\n"
        + rows(runMeasures()) + "\n## Of a device\n\n" + rows(deviceMeasures());
}

std::string cell(std::string_view text)
{
    std::string result;
    for (const char c : text)
        result += c == '|' ? "\\|" : std::string(1, c);
    return result;
}

template<class Object>
std::string keys(engine::Fields<Object> fields)
{
    const Object defaults;
    std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const engine::Field<Object>& one : fields)
        if (!one.key.empty())
            text += fmt::format(
                "| `{}{}{}` | {} | {} | {}{} |\n", one.table, one.table.empty() ? "" : ".", one.key,
                cell(one.range()), cell(one.get(defaults)), cell(one.help),
                one.exponent == 0 ? ""
                                  : fmt::format("; a file states it times 1e{}", one.exponent));
    return text;
}

std::string experimentFiles()
{
    return "# Experiment and model files\n\nAn experiment is what `bscope run` repeats: `bscope "
           "experiment FILE` runs it, and a run file contains it. Both files are TOML; the part of "
           "a key before the dot is its table.\n\n## Experiment\n\n"
        + keys(engine::experimentFields())
        + fmt::format("\n## Model\n\nThe table `model` of an experiment, or a file for `--model`, "
                      "which must have {}.\n\n",
                      fmt::join(engine::kNeededModelKeys, ", "))
        + keys(engine::modelFields());
}

// The text of a file without the comments that mark its generated parts.
std::string withoutComments(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        if (!text.starts_with("<!--"))
            result += text.substr(0, end);
        text.remove_prefix(end);
    }
    return result;
}

} // namespace

std::vector<Chapter> guide()
{
    std::vector<Chapter> chapters;
    for (const std::string_view name : kChapters) {
        Chapter& chapter = chapters.emplace_back();
        chapter.name = name;
        chapter.text = name == kNumbers ? numbers()
            : name == kKeys             ? experimentFiles()
                            : withoutComments(resources::find(fmt::format("guide/{}.md", name)));
        constexpr std::size_t kMark = 2; // "# "
        chapter.title = chapter.text.substr(kMark, chapter.text.find('\n') - kMark);
    }
    return chapters;
}

} // namespace profiler
