#pragma once

#include "app/plan/prediction.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"
#include "engine/base/process.h"
#include "engine/schedules/scheme.h"

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QVBoxLayout;

namespace app {

class BoundFields;
class CostForm;
class FoldSection;
class MappingView;
class PredictionPanel;
class SchemeList;
class SchemeTable;
class SegmentControl;
class SliderField;

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
    void makeMore(); // rarely used settings
    void showScheme();
    void showOptions();
    void addOption(QVBoxLayout& rows, const engine::SchemeOption& option);
    void showBackend();
    void showEffects(); // disables settings without effect in the current plan
    void showMore();
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
    BoundFields *m_fields, *m_moreFields;
    FoldSection* m_more;
    bool m_isShowing = false; // the fields are being set
    SliderField *m_devices, *m_microBatches, *m_chunks;
    CostForm* m_costs;
    QWidget *m_counts, *m_fileRow;  // the rows for a scheme, and the row for a schedule file
    std::vector<QWidget*> m_ofRuns; // widgets that are hidden for simulations
    QLabel* m_file;
    QLabel *m_deviceRule, *m_batchRule, *m_chunkRule, *m_otherRule, *m_modeHint, *m_backendHint,
        *m_offReason;
    DeviceFacts m_here = deviceFacts();
    QWidget* m_options;                     // with the rows of the scheme's options
    QWidget* m_beforeOptions;               // invisible; the rows follow it in the tab order
    engine::ScheduleRequest m_shownOptions; // the request whose options are shown
    QList<QComboBox*> m_optionCombos;
    QComboBox *m_model, *m_backend;
    SegmentControl* m_mode;
};

// Sets up a run: the user chooses a scheme and sees its schedule, or its devices on the nodes of a
// machine. Every edit updates the prediction; a scheme that is not possible states the reason and
// stays in the list.
class SetupPage : public Page
{
    Q_OBJECT

public:
    explicit SetupPage(const ThemeController& theme, QWidget* parent = nullptr);

    QString title() const override { return tr("New run"); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    QJsonObject state() const override { return {{QStringLiteral("plan"), planState(plan())}}; }
    void restoreState(const QJsonObject& state) override;

    const RunPlan& plan() const { return m_form->plan(); }
    void setPlan(const RunPlan& plan);
    // Replaces engine::cpuTimeOfOthers(), by which the page sees that the machine is busy; nullopt
    // while the load is not that of others.
    void setCpuTimeOfOthers(std::function<std::optional<std::int64_t>()> time)
    {
        m_cpuTimeOfOthers = std::move(time);
    }
    void showMapping(); // shows the mapping instead of the predicted schedule

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader(const ThemeController& theme);
    QWidget* makeParameters(const ThemeController& theme);
    void showTab(int tab);
    void makeMapping();
    void connectAll();
    void edited(); // call it after the plan has changed
    void showVerdict();
    void run();
    void runMarked(const QList<QStringList>& options, const QStringList& refused);
    void observeLoad(bool isFirst); // then calls showLoad()
    void showLoad(double cores, bool isFirst);
    void showRefused(const QStringList& refused); // names of schemes, with or without reasons
    // Writes the predictions of several schemes and compares them.
    void comparePredictions(const std::vector<RunPlan>& plans, const QStringList& refused);
    void keepPrediction(); // opens the prediction as a simulated run
    void copyCommand();
    void copyTable();
    void copyMappings();
    void editSchedule();

    const ThemeController& m_theme;
    QString m_problem; // why the plan is not possible; "" if it is
    Background m_background;
    QTimer m_load; // runs while observeLoad() observes the machine
    std::function<std::optional<std::int64_t>()> m_cpuTimeOfOthers = engine::cpuTimeOfOthers;
    QAction *m_run, *m_copy, *m_reset, *m_edit, *m_copyTable, *m_find, *m_explain;
    QAction *m_mappingAction, *m_copyMappings;
    SchemeList* m_schemes;
    SetupForm* m_form;
    PredictionPanel* m_prediction;
    SchemeTable* m_table;
    MappingView* m_mapping = nullptr; // null until it is shown for the first time
    QTabBar* m_tabs;
    QLabel* m_costs;
    QStackedWidget* m_views;
    QPushButton* m_runButton;
    QWidget *m_schemesLine, *m_editButton = nullptr;
};

} // namespace app
