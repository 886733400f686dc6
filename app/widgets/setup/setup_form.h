#pragma once

#include "app/models/plan/fault.h"
#include "app/models/plan/run_plan.h"
#include "app/models/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace app {

class CostForm;
class MoreTraining;
class SchemeOptions;
class SegmentControl;
class SliderField;
class SpinField;

// The parameters of a run (mockup setup.png, middle). Shows a plan and says when the user changed
// it; which values are fine it is told.
class SetupForm : public QWidget
{
    Q_OBJECT

public:
    explicit SetupForm(const ThemeController& theme, QWidget* parent = nullptr);

    const RunPlan& plan() const { return m_plan; }
    void setPlan(const RunPlan& plan); // no signal
    void showFault(const Fault& fault);

Q_SIGNALS:
    void edited();

private:
    void makeScheduleRows(QVBoxLayout& column);
    void makeModelRows(QVBoxLayout& column);
    void makeRunRows(QVBoxLayout& column);
    void showScheme();
    void showBackend();
    void modelChosen(const QString& model);
    void chooseText();
    void chooseModel();
    void setModel(const QString& model);
    SpinField* makeSpin(const char* name, int least, int most);
    SliderField* makeCount(const char* name, int engine::ScheduleRequest::*member, int most);
    void bind(SpinField* field, int& value);

    const ThemeController& m_theme;
    RunPlan m_plan;
    bool m_isShowing = false; // the fields are being set, not edited
    SliderField *m_devices, *m_microBatches, *m_chunks;
    CostForm* m_costs;
    SpinField *m_batch, *m_sequence, *m_iterations, *m_warmup, *m_seed;
    QLabel *m_deviceRule, *m_batchRule, *m_chunkRule, *m_otherRule, *m_modeHint, *m_backendHint;
    DeviceFacts m_here = deviceFacts();
    SchemeOptions* m_options;
    MoreTraining* m_moreTraining;
    QComboBox *m_sync, *m_recompute, *m_model, *m_backend;
    QLineEdit* m_text;
    SegmentControl* m_mode;
};

} // namespace app
