#pragma once

#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "engine/base/available_memory.h"

#include <QDialog>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <memory>
#include <vector>

class QAction;
class QLabel;
class QTextBrowser;

namespace app {

class KeyNumbers;

// A number of a scheme at the current D and N: "Bubble", "(D−1)/(N+D−1): (4−1)/(8+4−1) = 27.3 %, as
// simulated".
struct SchemeFact
{
    QString name, value;
};

// Returns closed forms with the numbers filled in, then simulated values. Without a prediction
// (nullptr), returns only the facts of the scheme itself.
std::vector<SchemeFact> schemeFacts(const engine::Scheme& scheme,
                                    const engine::ScheduleRequest& request,
                                    const Prediction* prediction);

// A paragraph of a scheme's description. A picture is shown with fixed pitch.
struct SchemeParagraph
{
    QString text;
    bool isPicture = false;

    friend bool operator==(const SchemeParagraph&, const SchemeParagraph&) = default;
};
std::vector<SchemeParagraph> schemeParagraphs(std::string_view details);

// Returns the description of a scheme as rich text: summary, citation, facts at the requested D and
// N, the rule for D and N, options, and the method with pictures of its order.
QString schemeHtml(const engine::Scheme& scheme, const engine::ScheduleRequest& request,
                   const Prediction* prediction);

// The description of a scheme: a diagram of the order with the current numbers, the formulas, the
// rule and the citation. The dialog stays open next to the page and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(const ThemeController& theme, QWidget* parent = nullptr);

    // `prediction` is nullptr if the scheme is not possible with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QLabel* m_title;
    SchedulePreview* m_preview;
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

// Whether a run fits in the memory of this machine. The run is planned for this check but not
// started.
struct MemoryCheck
{
    // A change of the plan with which the run would fit.
    struct Change
    {
        QString text; // "Micro-batch size 2, 1.20 GiB"
        RunPlan plan;
    };

    // "" if the run fits, or if the memory that it needs is not known.
    QString problem;
    std::vector<Change> changes;
};

// Checks whether a run fits in memory. `free` is the memory in bytes that is free now; 0: unknown.
// Checks only runs on the CPU, because the worker queries the memory of GPUs. May be called on any
// thread; takes up to a second for large schedules.
MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free);
inline MemoryCheck checkMemory(const RunPlan& plan) // with the memory that is free here
{
    return checkMemory(plan, engine::availableMemory());
}

// Predicts a page's large preview and prepares it for painting. Small predictions are delivered
// before ask() returns. Others run in the thread pool, one at a time; of the waiting requests, only
// the newest is kept. The result of every job that was not dropped is delivered, so that the
// picture follows a slider. The built schedule, which does not depend on costs, is kept between
// requests. GUI thread only.
class PreviewPredictor : public QObject
{
    Q_OBJECT

public:
    struct Answer
    {
        std::shared_ptr<const engine::Result<Prediction>> prediction;
        RunViewPointer view;  // null if the prediction has no run
        bool isNewest = true; // false: a later request is pending
    };

    explicit PreviewPredictor(QObject* parent = nullptr);

    void ask(const PredictionRequest& request);
    void drop() { m_jobs.drop(); } // drops all earlier requests

Q_SIGNALS:
    void answered(const app::PreviewPredictor::Answer& answer);

private:
    Latest<PredictionRequest, Answer> m_jobs;
};

// The predicted schedule of a plan: preview, verdict with suggested fixes, facts about the scheme,
// and key numbers.
class PredictionPanel : public QWidget
{
    Q_OBJECT

public:
    // The actions that are possible with the plan.
    struct Verdict
    {
        // isRunnable: the plan can run on this machine. isCommand: it can run on another machine,
        // so its command can be copied.
        bool isRunnable = false, isCommand = false;
        bool isEditable = false;
        QString problem; // why the plan cannot run; "" if it can, or before it is predicted
    };

    // `explain` is the action of the panel's button.
    PredictionPanel(const ThemeController& theme, QAction* explain, QWidget* parent = nullptr);

    // Predicts the plan unless it has a fault.
    void setPlan(const RunPlan& plan, const Fault& fault);
    const Verdict& verdict() const { return m_verdict; }
    const Prediction* prediction() const; // null: the plan is not possible or not yet predicted
    void refuse(const QString& bold, const QString& message);
    Band& band() { return *m_band; }
    void setPreviewHeight(int height) { m_preview->setRowsHeight(height); }
    void explain(); // opens a window about the scheme, which follows the plan

Q_SIGNALS:
    void judged(); // verdict() changed
    void planOffered(const app::RunPlan& plan);

private:
    void addRemedies();
    void predict();
    void showAnswer(const PreviewPredictor::Answer& answer);
    void judge(const Prediction& prediction);
    void showFacts(const Prediction* prediction);
    void offer(const std::vector<MemoryCheck::Change>& changes);
    // Checks in the background whether the run fits in memory.
    void showMemory(const MemoryCheck& check);

    static constexpr int kRemedies = 3;

    const ThemeController& m_theme;
    RunPlan m_plan;
    Fault m_fault;
    Verdict m_verdict;
    DeviceFacts m_here = deviceFacts();
    PreviewPredictor m_predictor;
    std::shared_ptr<const engine::Result<Prediction>> m_shown;
    QTimer m_debounce, m_memoryDelay;
    Latest<RunPlan, MemoryCheck> m_memory{
        this, [](const RunPlan& plan, const auto&) { return checkMemory(plan); },
        [this](const MemoryCheck& check) { showMemory(check); }};
    SchedulePreview* m_preview;
    Band* m_band;
    KeyNumbers* m_numbers;
    QLabel* m_facts;
    std::array<QPushButton*, kRemedies> m_remedyButtons{};
    std::array<RunPlan, kRemedies> m_remedies;
    QPushButton* m_simulate = nullptr;     // stays enabled for plans that cannot be trained
    SchemeDialog* m_explanation = nullptr; // created on first use
};

} // namespace app
