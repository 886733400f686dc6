#pragma once

#include "app/ui/numbers.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if_edits.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace app {

class HundredthsField;
class SpinField;

// The op of the run's own order that the user selected, with its predicted duration.
struct OpInFocus
{
    engine::Op op;
    engine::DeviceId device;
    std::int64_t duration = 0; // in ns
};

// Controls for the duration of the selected op, or of all ops of its kind, and for the slow-down of
// a device or link.
class SlowForm : public QWidget
{
    Q_OBJECT

public:
    explicit SlowForm(const ThemeController& theme, QWidget* parent = nullptr);

    void setRun(const engine::Run& run); // fills the list of devices and links
    void showOp(const std::optional<OpInFocus>& op);
    // `isOwn`: the page shows the run's own order. Ops can be selected only in this order.
    void setOwnOrder(bool isOwn);
    // Shows the values of `changes`; emits no signal.
    void show(const WhatIfChanges& changes);
    using QWidget::show;
    // Returns an edit with a factor of 1 for the chosen scope: the selected op, all ops of its
    // kind, or all ops of its kind on its device; nullopt: no op is selected.
    std::optional<profiler::RunEdit> selection() const;

Q_SIGNALS:
    void opScaled(double ratio); // the selection takes `ratio` times as long as now
    void slowed(const profiler::RunEdit& edit);
    void delayed(std::int64_t ns);

private:
    void addOp(QVBoxLayout& column);
    void takeTime();
    void showState();
    profiler::RunEdit target() const; // the chosen device or link

    QLabel *m_title, *m_hint;
    QLineEdit* m_time;
    QComboBox *m_scope, *m_target;
    HundredthsField* m_factor;
    SpinField* m_delay;
    std::vector<profiler::RunEdit> m_targets;
    std::optional<OpInFocus> m_op;
    WhatIfChanges m_changes;
    Scale m_unit;
    bool m_isOwn = false;
};

} // namespace app
