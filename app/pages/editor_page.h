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

// A schedule edited op by op: the grid on top, what the validator says beside it, and below it the
// times that follow, all of it anew after every step.
class EditorPage : public Page
{
    Q_OBJECT

public:
    // More ops are refused: nobody edits them by hand, and every step checks all of them.
    static constexpr std::size_t kMostOps = 20'000;

    explicit EditorPage(const ThemeController& theme, QWidget* parent = nullptr);
    ~EditorPage() override;

    // One of the two, once. A file that cannot be read leaves a page that says why.
    // `request`: the costs and all-reduce of the times, which "Costs" changes.
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
    bool saveTo(const QString& file); // false: said in the band why not
    const ScheduleCheck& check() const { return *m_check; }
    const EditedSchedule* schedule() const { return m_edited.get(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions(); // editor_layout.cpp, with the layout
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
    QString simulateCommand() const; // of the saved file
    void simulate();
    void train();
    std::vector<AbsentOp> absentOps() const;

    const ThemeController& m_theme;
    QString m_name, m_file; // for people; "" until it is saved
    RunPlan m_plan;         // its costs and all-reduce are those of the times
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
