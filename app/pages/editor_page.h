#pragma once

#include "app/models/plan/run_plan.h"
#include "app/models/plan/schedule_check.h"
#include "app/models/theme.h"
#include "app/widgets/controls/page.h"

class QAction;
class QLabel;
class QStackedLayout;

namespace app {

class Band;
class EmptyState;
class KeyNumbers;
class SchedulePreview;
class ScheduleGrid;
class ViolationList;

// Edits a schedule op by op: the grid, the validator's findings next to it, and the simulated times
// below, which every step updates.
class EditorPage : public Page
{
    Q_OBJECT

public:
    // Larger schedules are refused, because every step checks all ops, and because they cannot be
    // edited by hand.
    static constexpr std::size_t kMostOps = 20'000;

    explicit EditorPage(const ThemeController& theme, QWidget* parent = nullptr);
    ~EditorPage() override;

    // Call one of these two, once. If a file cannot be read, the page shows the reason. `request`
    // has the costs and the all-reduce of the times, which "Costs" changes.
    void edit(const engine::Schedule& schedule, const QString& name,
              const PredictionRequest& request = {});
    void open(const QString& file);

    QString title() const override;
    QString file() const override { return m_file; }
    bool queryClose() override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;

    bool isModified() const;
    bool saveTo(const QString& file); // false: the band shows the error
    const ScheduleCheck& check() const { return *m_check; }
    const EditedSchedule* schedule() const { return m_edited.get(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions(); // in editor_layout.cpp, as buildLayout()
    QAction* makeAction(const char* name, const QString& text, const QList<QKeySequence>& keys,
                        const QString& tip);
    void buildLayout();
    QWidget* makeToolbar();
    QWidget* makeTimes();

    void take(engine::Schedule schedule);
    void refuse(const QString& fact, const QString& advice);
    void checkAgain();
    QString timesNote() const;
    void showVerdict();
    void updateActions();
    void select(OpPlace place);
    void moveTo(OpPlace now);
    void restore(int absent);
    void nextViolation();
    void revert();
    void showCosts(); // editor_layout.cpp
    bool save();
    bool saveAs();
    void copyCommand();
    QString simulateCommand() const; // for the saved file
    void simulate();
    void train();
    std::vector<AbsentOp> absentOps() const;

    const ThemeController& m_theme;
    QString m_name, m_file; // for display; "" until saved
    RunPlan m_plan;         // for the costs and the all-reduce of the times
    std::unique_ptr<EditedSchedule> m_edited;
    std::shared_ptr<const ScheduleCheck> m_check;

    QStackedLayout* m_stack = nullptr;
    EmptyState* m_refused = nullptr;
    Band* m_band;
    ScheduleGrid* m_grid;
    ViolationList* m_list;
    SchedulePreview* m_preview;
    KeyNumbers* m_numbers;
    QLabel* m_timesNote = nullptr;
    QAction *m_undo = nullptr, *m_redo = nullptr, *m_earlier = nullptr, *m_later = nullptr,
            *m_delete = nullptr, *m_restore = nullptr, *m_next = nullptr, *m_revert = nullptr,
            *m_costs = nullptr, *m_save = nullptr, *m_saveAs = nullptr, *m_copy = nullptr,
            *m_simulate = nullptr, *m_train = nullptr;
};

} // namespace app
