#pragma once

#include "app/editor/schedule_editor.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"
#include "engine/schedule/schedule.h"

#include <QObject>
#include <QString>
#include <QWidget>

#include <tl/expected.hpp>

#include <optional>

class QWidget;
class QLabel;
class QDialog;
class QStackedLayout;

namespace app {

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
