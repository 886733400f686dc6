#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/finding.h"

#include <span>
#include <string>

namespace profiler {

// A page with the results of one run, or of several compared with the first: key numbers, figure,
// metrics per device, bubbles with causes, memory and set-up, and the findings of one run. The page
// is one file without scripts, and a browser loads nothing else for it. Runs with too many ops for
// a page get no figure. Fails as metrics() and layoutFigure() do.
engine::Result<std::string> htmlReport(std::span<const engine::Run* const> runs,
                                       std::span<const Finding> findings = {});

} // namespace profiler
