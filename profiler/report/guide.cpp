#include "profiler/report/guide.h"

#include "profiler/analysis/run_measures.h"
#include "resources/resources.h"

#include <fmt/format.h>

namespace profiler {
namespace {

constexpr std::string_view kNumbers = "numbers";
constexpr std::string_view kChapters[] = {
    "first-run",        "reading-the-timeline",
    "comparing",        "recording-traces",
    "memory-and-bpipe", "choosing-a-scheme",
    "searching",        "studies",
    "cluster",          "figures",
    kNumbers,           "glossary",
    "troubleshooting",  "limits",
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

} // namespace

std::vector<Chapter> guide()
{
    std::vector<Chapter> chapters;
    for (const std::string_view name : kChapters) {
        Chapter& chapter = chapters.emplace_back();
        chapter.name = name;
        chapter.text = name == kNumbers
            ? numbers()
            : std::string(resources::find(fmt::format("guide/{}.md", name)));
        constexpr std::size_t kMark = 2; // "# "
        chapter.title = chapter.text.substr(kMark, chapter.text.find('\n') - kMark);
    }
    return chapters;
}

} // namespace profiler
