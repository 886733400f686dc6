#pragma once

#include "app/jobs/predictor.h"
#include "app/jobs/preview_predictor.h"
#include "app/models/plan/fault.h"
#include "app/models/plan/run_plan.h"
#include "app/models/tables/scheme_table_model.h"
#include "app/models/theme.h"
#include "app/widgets/controls/page.h"

#include <QTimer>

#include <array>

class QAction;
class QLabel;
class QPushButton;

namespace app {

class Band;
class DataTable;
class KeyNumbers;
class SchedulePreview;
class SchemeList;
class SchemeDialog;
class SetupForm;

// Sets up a run: the user chooses a scheme and sees its schedule. Every edit is predicted at once;
// an impossible scheme shows the reason and stays in the list.
class SetupPage : public Page
{
    Q_OBJECT

public:
    explicit SetupPage(const ThemeController& theme, QWidget* parent = nullptr);

    QString title() const override { return tr("New run"); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;

    const RunPlan& plan() const;
    void setPlan(const RunPlan& plan);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildLayout(); // in setup_layout.cpp, as the other makers
    QWidget* makeParameters();
    QWidget* makeRunBar();
    QWidget* makePrediction();
    QWidget* makePredictionHeader();
    QWidget* makeTable();
    void makeActions();

    void choose(const QString& scheme);
    void edited();     // the plan changed: shows problems at once and predicts soon
    void predictAll(); // the chosen scheme first, then the table
    void predictTable();
    void showArrived();
    void showPrediction(const PreviewPredictor::Answer& answer);
    void showFacts(const Prediction* prediction);
    void explainScheme();
    void showVerdict(const Prediction& prediction);
    void refuse(const QString& bold, const QString& message);
    void offer(const std::vector<Remedy>& remedies); // as buttons in the verdict
    void setRunnable(bool runnable);
    void run();
    void runMarked(); // the selected rows of the table, one after the other
    void showMarked();
    // Returns the request for `scheme` with the numbers of the form.
    PredictionRequest requestOf(const engine::Scheme& scheme) const;
    QStringList markedSchemes() const;
    void keepPrediction(); // opens the prediction as a run
    void copyCommand();
    void copyTable();
    void editSchedule();
    void fitTo(const QSize& size);

    static constexpr int kRemedies = 2;

    const ThemeController& m_theme;
    DeviceFacts m_here = deviceFacts();
    // shown together in table and cards
    std::vector<std::pair<QString, Predictor::Answer>> m_arrived;
    PreviewPredictor m_predictor;
    Predictor m_tablePredictor;
    QTimer m_debounce, m_tableDebounce, m_showCards;
    SchemeTableModel* m_table;
    SchemeList* m_schemes;
    SetupForm* m_form;
    SchedulePreview* m_preview;
    KeyNumbers* m_numbers;
    Band* m_verdict;
    std::array<QPushButton*, kRemedies> m_remedyButtons{};
    std::array<Remedy, kRemedies> m_remedies;
    QPushButton* m_simulate = nullptr; // also enabled for plans that cannot be trained
    DataTable* m_tableView = nullptr;
    QLabel *m_tableTitle = nullptr, *m_facts = nullptr, *m_costs = nullptr;
    QPushButton *m_runButton = nullptr, *m_runMarked = nullptr;
    QAction *m_run = nullptr, *m_copy = nullptr, *m_reset = nullptr, *m_edit = nullptr,
            *m_copyTable = nullptr, *m_find = nullptr, *m_explain = nullptr;
    SchemeDialog* m_explanation = nullptr; // created on first use
    Predictor::Answer m_shown;
};

} // namespace app
