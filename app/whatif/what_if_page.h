#pragma once

#include "app/shell/page.h"
#include "app/whatif/what_if.h"

class QAbstractTableModel;

namespace app {

// The measured times of each stage and, in the last row, their sum. The user can edit the times
// (1 to 10¹⁵ ns) and, if it was not measured, the share of W in B.
QAbstractTableModel* makeStageCosts(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                                    WhatIfEdits& edits, QObject* parent);

// The page that predicts other schemes, and changed times, from the measured times of a run.
Page* makeWhatIf(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
