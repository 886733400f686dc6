#pragma once

#include "app/ui/theme.h"
#include "app/whatif/what_if.h"

#include <QWidget>

class QAbstractTableModel;

namespace app {

// The op of the run's own order that the user selected, with its predicted duration and the
// changes that this duration includes.
struct OpInFocus
{
    engine::Op op;
    engine::DeviceId device;
    std::int64_t duration = 0; // in ns
    WhatIfChanges included;
};

// The measured times of each stage and, in the last row, their sum. The user can edit the times
// (1 to 10¹⁵ ns) and, if it was not measured, the share of W in B.
QAbstractTableModel* makeStageCosts(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                                    WhatIfEdits& edits, QObject* parent);

// The measured times of a run, and controls to change them. A control is a function that shows
// WhatIfEdits::changes() and a connection that writes to them.
class WhatIfForm : public QWidget
{
    Q_OBJECT

public:
    // `measured` and `edits` must outlive the form.
    static WhatIfForm* make(const ThemeController& theme, const profiler::WhatIfPredictor& measured,
                            WhatIfEdits& edits);

    // Enables the memory limit if the memory of the schemes is known.
    virtual void setKnowsBytes(bool knows) = 0;
    virtual engine::MemoryCapacity memory() const = 0; // of a device; unknown: no limit
    // Ops can be selected only in the run's own order.
    virtual void showOp(const std::optional<OpInFocus>& op, bool isOwnOrder) = 0;
    // Multiplies the duration of the selected op, or of all ops of its kind. The calls during one
    // drag, of which only the last has `isLast`, are undone together.
    virtual void scaleOp(double ratio, bool isLast = true) = 0;

Q_SIGNALS:
    void memoryChanged();
};

} // namespace app
