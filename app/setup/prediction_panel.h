#pragma once

#include "app/plan/fault.h"
#include "app/plan/run_plan.h"
#include "app/setup/memory_check.h"
#include "app/setup/preview_predictor.h"
#include "app/ui/latest.h"
#include "app/ui/band.h"
#include "app/ui/theme.h"

#include <QTimer>
#include <QWidget>

#include <array>

class QAction;

namespace app {

class KeyNumbers;
class SchedulePreview;
class SchemeDialog;

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
    void setPreviewHeight(int height);
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
    void offer(const std::vector<Remedy>& remedies);
    void offerPlans(const std::vector<MemoryCheck::Change>& changes);
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
