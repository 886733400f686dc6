#pragma once

#include "app/plan/fault.h"
#include "app/plan/run_plan.h"
#include "app/ui/theme.h"
#include "engine/schedules/scheme.h"

#include <QWidget>

class QComboBox;
class QVBoxLayout;
class QLabel;

namespace app {

class BoundFields;
class CostForm;
class MoreTraining;
class SegmentControl;
class SliderField;

// The options of one scheme, one per row. An option that accepts any whole number has an editable
// list; a refused value stays in the field with a frame in the error colour.
class SchemeOptions : public QWidget
{
    Q_OBJECT

public:
    explicit SchemeOptions(QWidget* parent = nullptr);

    void show(const engine::ScheduleRequest& request); // emits no signal
    void setRefused(bool isRefused);                   // marks the options as invalid

Q_SIGNALS:
    void changed(const QString& key, const QString& value); // `value` is "" for the default

private:
    void addRow(const engine::SchemeOption& option, const engine::ScheduleRequest& request);

    engine::ScheduleRequest m_shown; // the request whose options are shown
    QWidget* m_rows = nullptr;
    QWidget* m_before; // invisible; the rows follow it in the tab order
    QVBoxLayout* m_layout;
    QList<QComboBox*> m_combos;
};

// The parameters of a run. Shows a plan and emits the user's changes; showFault() marks invalid
// values.
class SetupForm : public QWidget
{
    Q_OBJECT

public:
    explicit SetupForm(const ThemeController& theme, QWidget* parent = nullptr);

    const RunPlan& plan() const { return m_plan; }
    void setPlan(const RunPlan& plan); // emits no signal
    void showFault(const Fault& fault);
    QString problem() const; // the reason why a text was refused; "" if all are valid

Q_SIGNALS:
    void edited();

private:
    void makeScheduleRows(QVBoxLayout& column);
    void makeModelRows(QVBoxLayout& column);
    void makeRunRows(QVBoxLayout& column);
    void showScheme();
    void showBackend();
    void modelChosen(const QString& model);
    void showModel();
    SliderField* makeCount(const char* flag, int engine::ScheduleRequest::*member, int most);
    // Both functions create the field of an option. addField() adds a row for it; makeField()
    // returns the field, so that the caller can add it to another row.
    QWidget* addField(QVBoxLayout& column, const char* flag);
    QWidget* makeField(const char* flag);
    void changed(); // the user changed a field

    const ThemeController& m_theme;
    RunPlan m_plan;
    BoundFields* m_fields;
    bool m_isShowing = false; // the fields are being set
    SliderField *m_devices, *m_microBatches, *m_chunks;
    CostForm* m_costs;
    QWidget *m_counts, *m_fileRow;  // the rows for a scheme, and the row for a schedule file
    std::vector<QWidget*> m_ofRuns; // widgets that are hidden for simulations
    QLabel* m_file;
    QLabel *m_deviceRule, *m_batchRule, *m_chunkRule, *m_otherRule, *m_modeHint, *m_backendHint;
    DeviceFacts m_here = deviceFacts();
    SchemeOptions* m_options;
    MoreTraining* m_moreTraining;
    QComboBox *m_model, *m_backend;
    SegmentControl* m_mode;
};

} // namespace app
