#pragma once

#include "app/jobs/run_loader.h"
#include "app/models/plan/run_plan.h"
#include "app/models/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace app {

class BoundFields;
class SegmentControl;

// Where the costs of a prediction come from: units, a model on hardware, or a recorded run. Writes
// into the plan passed to the constructor.
class CostSourceForm : public QWidget
{
    Q_OBJECT

public:
    CostSourceForm(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);

    void showPlan(); // emits no signal
    // Reads the run in the background. The plan also gets its devices and micro-batches.
    void takeRun(const QString& file);

Q_SIGNALS:
    void edited();
    // The source or the sizes changed, so the plan must be shown again.
    void planChanged();

private:
    QWidget* makeHardware();
    QWidget* makeRecorded();
    void showKind();
    void choose();
    void take(const RunPointer& run);

    RunPlan& m_plan;
    RunLoader m_loader;
    QString m_loading;
    BoundFields* m_fields;
    SegmentControl* m_kind;
    QWidget *m_hardware, *m_recorded;
    QLineEdit* m_file = nullptr;
    QLabel* m_hint = nullptr;
};

} // namespace app
