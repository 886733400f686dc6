#pragma once

#include "app/plan/edited_schedule.h"
#include "app/plan/prediction.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"
#include "engine/schedule/schedule.h"

#include <QAbstractScrollArea>
#include <QObject>
#include <QRect>
#include <QString>
#include <QWidget>

#include <tl/expected.hpp>

#include <map>
#include <memory>
#include <optional>

class QAction;
class QDialog;
class QLabel;
class QListWidget;
class QStackedLayout;
class QWidget;

namespace app {

class Page;

// An op that cannot run, and the op that it waits for.
struct Wait
{
    OpPlace waiting;
    OpPlace awaited; // index -1: not in the schedule
    OpPlace blocker; // the op at which the device of `awaited` is stuck; invalid if none

    friend bool operator==(const Wait&, const Wait&) = default;
};

// The result of checking an edited schedule: its violations or, if it is valid, its times.
struct ScheduleCheck
{
    Prediction prediction;               // the violations or, if there are none, the times
    QString problem;                     // why the simulator refused a valid schedule; "" otherwise
    std::map<OpPlace, QString> messages; // violations by op
    // For each device, the number of ops that run before it deadlocks; all ops if it does not.
    engine::IdVector<engine::DeviceId, int> reached;
    std::vector<Wait> waits;       // one for each deadlocked device
    std::vector<AbsentOp> missing; // required ops that the schedule lacks; positions not set

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

// Uses the costs and the all-reduce of `request`, but not its order.
ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const PredictionRequest& request = {});

// Returns the position on its device at which the missing op causes the fewest violations. In a
// long schedule, returns the position after the device's last op without trying others.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// "4 devices wait, 23 of 32 ops never run."; "" if no violation is a deadlock.
QString deadlockSentence(const engine::Schedule& schedule, const ScheduleCheck& check);

// A schedule as a grid: a row per device and a cell per op, in issue order. Arrow keys move the
// selection, and the mouse drags an op within its device. Violations are framed; ops that never run
// are dimmed. Only visible cells are drawn.
class ScheduleGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit ScheduleGrid(const ThemeController& theme, QWidget* parent = nullptr);

    void setSchedule(const EditedSchedule* schedule); // not owned; null: empty
    void setCheck(std::shared_ptr<const ScheduleCheck> check);
    OpPlace selected() const { return m_selected; }
    void select(OpPlace place);      // scrolls to the op; an invalid place clears the selection
    QRect cell(OpPlace place) const; // the cell of the op, in viewport coordinates

Q_SIGNALS:
    void selectionChanged();
    // The op was dropped in front of the op at index `before`.
    void moveRequested(const app::OpPlace& from, int before);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Drag
    {
        QPoint from;       // where the button was pressed
        bool isOn = false; // whether the pointer moved by at least the drag distance
        int before = -1;   // index in front of which the op would be dropped; -1: on another device
    };
    int devices() const;
    int opsOf(int device) const;
    QPoint scrolled() const; // the distance by which the grid is scrolled
    OpPlace placeAt(const QPoint& position) const;
    void updateScrollBars();
    void dragTo(const QPoint& position);
    void endDrag();
    void walk(int devices, int ops);
    QString describe(OpPlace place) const;

    const ThemeController& m_theme;
    const EditedSchedule* m_schedule = nullptr;
    std::shared_ptr<const ScheduleCheck> m_check;
    OpPlace m_selected;
    std::optional<Drag> m_drag;
};

// Edits a schedule: the grid, the editing actions, and next to the grid a list of violations,
// deadlocked ops and missing ops. A click on a line selects its op; Enter or a double click on a
// missing op restores it.
class ScheduleEditor : public QWidget
{
    Q_OBJECT

public:
    ScheduleEditor(const ThemeController& theme, Page& page); // adds the actions to the page
    ~ScheduleEditor() override;

    void setSchedule(std::unique_ptr<EditedSchedule> schedule);
    EditedSchedule* schedule() const { return m_edited.get(); } // null: no schedule is open
    bool isModified() const { return m_edited != nullptr && !m_edited->undoStack().isClean(); }
    OpPlace selected() const { return m_grid->selected(); }
    QList<QAction*> editActions() const { return m_actions; }

    void check(const QString& name, const PredictionRequest& request);
    const ScheduleCheck& result() const { return *m_check; }

Q_SIGNALS:
    void changed(); // the ops have changed; the receiver calls check()
    void modifiedChanged();
    void selectionChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeList(const ThemeController& theme);
    void makeActions(Page& page);
    void updateActions();
    void addLine(const QString& text, OpPlace place);
    void listViolations();
    void listAbsent();
    void select(OpPlace place);
    void restore(int absent); // an index into m_absent
    void nextViolation();
    void revert();
    std::vector<AbsentOp> absentOps() const;

    std::unique_ptr<EditedSchedule> m_edited;
    std::shared_ptr<const ScheduleCheck> m_check;
    ScheduleGrid* m_grid;
    QLabel *m_title, *m_absentTitle;
    QListWidget *m_violations, *m_absentList;
    QWidget *m_list, *m_nothing;
    std::vector<OpPlace> m_places;  // of the violations, in the order of the list
    std::vector<AbsentOp> m_absent; // in the order of the list
    QAction *m_undo, *m_redo, *m_revert, *m_earlier, *m_later, *m_delete, *m_restore, *m_next;
    QList<QAction*> m_actions;
};

class Band;
class EmptyState;
class KeyNumbers;
class SchedulePreview;

// Reads the file of an edited schedule, asks where to save it, and writes CSV. Notices that another
// program has changed the file since.
class ScheduleFile : public QObject
{
    Q_OBJECT

public:
    struct Refusal
    {
        QString fact, advice;
    };

    explicit ScheduleFile(QWidget* parent); // `parent` is also the parent of the dialogs

    const QString& name() const { return m_name; } // the name for display
    void setName(const QString& name) { m_name = name; }
    const QString& path() const { return m_path; } // "" until the schedule is saved

    // Reads a schedule. If the file has another program's format, path() is empty afterwards, so
    // that save() never overwrites the file, and foreign() names the format.
    tl::expected<engine::Schedule, Refusal> read(const QString& file);
    const QString& foreign() const { return m_foreign; }

    // save() and saveAs() return false if the user cancelled or failed() was emitted.
    // Asks for a file if path() is empty, and what to do if another program changed the file.
    bool save(const engine::Schedule& schedule);
    bool saveAs(const engine::Schedule& schedule);
    bool saveTo(const QString& file, const engine::Schedule& schedule);

Q_SIGNALS:
    void saved();
    void failed(const QString& message);

private:
    enum class Answer { Cancel, SaveAs, Overwrite };
    Answer askBeforeSaving() const; // Overwrite: the file is as it was

    QWidget* m_window;
    QString m_name, m_path, m_foreign;
    std::optional<std::size_t> m_hash; // of the text in the file; nullopt: it cannot be read
};

// Edits a schedule op by op. Shows the grid, the validator's findings next to the grid, and the
// simulated times below. Every edit updates findings and times. While the schedule is not valid,
// the times of the last valid order stay.
class EditorPage : public Page
{
    Q_OBJECT

public:
    // Larger schedules are refused, because every edit checks all ops and so many ops cannot be
    // edited by hand.
    static constexpr std::size_t kMostOps = 20'000;

    explicit EditorPage(const ThemeController& theme, QWidget* parent = nullptr);

    // Call either edit() or open() once. If a file cannot be read, the page shows the reason, and
    // open() may be called again.
    // `request` has the costs and the all-reduce for the simulated times; the "Costs" action
    // changes them.
    void edit(const engine::Schedule& schedule, const QString& name,
              const PredictionRequest& request = {});
    void open(const QString& file);
    void showRequest(const PageRequest& request) override;
    // The costs and the all-reduce for the simulated times.
    const RunPlan& plan() const { return m_plan; }
    void setPlan(const RunPlan& plan);

    QString title() const override;
    QString file() const override { return m_file->path(); }
    bool queryClose() override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    QJsonObject state() const override { return {{QStringLiteral("plan"), planState(m_plan)}}; }
    void restoreState(const QJsonObject& state) override;

    bool isModified() const { return m_editor->isModified(); }
    // returns false on an error, which the band shows
    bool saveTo(const QString& file) { return m_file->saveTo(file, schedule()->schedule()); }
    const ScheduleCheck& check() const { return m_editor->result(); }
    // null: no schedule is open
    const EditedSchedule* schedule() const { return m_editor->schedule(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions();
    void buildLayout();
    QWidget* makeToolbar();
    void connectParts();

    void take(engine::Schedule opened);
    void refuse(const QString& fact, const QString& advice);
    void checkAgain();
    void showVerdict();
    QWidget* makeTimes();
    void showTimes();
    void showSaved();
    void updateActions();
    QDialog& costsDialog(); // made by the first call
    void showCosts();
    bool saveFirst(); // returns false if the user cancelled or the file cannot be written
    void copyCommand();
    QString simulateCommand() const; // the command that simulates the saved file
    void simulate();
    void train();

    const ThemeController& m_theme;
    RunPlan m_plan; // has the costs and the all-reduce for the simulated times
    ScheduleFile* m_file;
    QStackedLayout* m_stack;
    EmptyState* m_refused;
    Band* m_band;
    ScheduleEditor* m_editor;
    SchedulePreview* m_preview;
    KeyNumbers* m_numbers; // hidden in a low window; the note has the main ones
    QLabel* m_note;
    QAction *m_costs, *m_save, *m_saveAs, *m_copy, *m_simulate, *m_train;
};

} // namespace app
