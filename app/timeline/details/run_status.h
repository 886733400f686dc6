#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "profiler/analysis/metrics.h"

#include <QStringList>

namespace app {

// The texts of the status bar of a run's page: mode and devices, counts, selection, timing method.
// `metrics` without devices means that they are not known yet. `kernels` may be nullptr.
QStringList runStatus(const RunDocument& document, const profiler::RunMetrics& metrics,
                      const Selection& selection, const KernelView* kernels);
QString linkStatus(const engine::RunInfo& info); // "free links", "link 1/4 units"; rich text
// "overlaps 0, dropped 0": the number of compute ops that overlap on a device and, if the run was
// traced, the number of records that the tracer lost. Numbers above 0 are bold.
QStringList recordStatus(const RunView& view, const KernelView* kernels);
// Returns the metrics of the shown iteration: "iteration 3: 115.3 ms, bubble 13.0 %"; "" if
// they are unknown.
QString iterationStatus(const RunDocument& document, const profiler::RunMetrics& metrics);

} // namespace app
