#pragma once

#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"

#include <QStringList>

#include <vector>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace app {

class MappingView;
class PredictionPanel;
class SchemeList;
class SchemeTable;
class SetupForm;

struct WrittenPredictions
{
    QStringList files;  // the file of each plan that was predicted, in the order of the plans
    QStringList failed; // why the other plans failed: "zb-h2: N must be at least 2D-1"
};

// Predicts each plan and writes it to a new file as a simulated run. May be called on any thread.
WrittenPredictions writePredictions(const std::vector<RunPlan>& plans);

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
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;

    const RunPlan& plan() const;
    void setPlan(const RunPlan& plan);
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
