#pragma once

#include "app/documents/run_loader.h"
#include "app/plan/run_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace app {

class BoundFields;
class SegmentControl;

// Edits the source of the costs of a prediction: assumed costs, a model on hardware, or a recorded
// run. Writes into the plan passed to the constructor.
class CostSourceForm : public QWidget
{
    Q_OBJECT

public:
    CostSourceForm(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);

    void showPlan(); // emits no signal; loads the recorded run of the plan if necessary
    // Loads the run in the background and makes it the cost source. Unless the plan names this run
    // already, it also takes D, N and the data-parallel width from the run, and the number of
    // chunks if the scheme accepts it.
    void takeRun(const QString& file);

Q_SIGNALS:
    void edited();
    // The source or the sizes changed; the receiver shows the plan again.
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
    bool m_isOfPlan = false; // the plan names the run that is being loaded
    BoundFields* m_fields;
    SegmentControl* m_kind;
    QWidget *m_hardware, *m_recorded;
    QLineEdit* m_file = nullptr;
    QLabel* m_hint = nullptr;
};

} // namespace app
