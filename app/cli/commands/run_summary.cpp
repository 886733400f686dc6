#include "app/cli/commands/run_summary.h"

#include "app/cli/text/run_file.h"
#include "profiler/report/run_sheet.h"

#include <fmt/format.h>

namespace cli {

using namespace engine;
using namespace profiler;

std::string runSummary(const Run& run, const std::string& file)
{
    Sheet sheet;
    if (const auto numbers = metrics(run)) {
        addSummary(run, *numbers, sheet);
        if (!run.info.gpuMemory.empty())
            sheet.table(Table(gpuMemoryMeasures(), run.info.gpuMemory));
    }
    const std::string open = openCommand(file);
    sheet.sentence(
        fmt::format("file  {}{}", file, open.empty() ? "" : "  (open it: " + open + ")"));
    return sheet.text();
}

} // namespace cli
