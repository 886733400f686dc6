#pragma once

#include "app/plan/edited_schedule.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"

#include <QObject>
#include <QString>

#include <tl/expected.hpp>

#include <map>
#include <memory>
#include <optional>

namespace app {

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

// Edits a schedule op by op, with the validator's findings and the simulated times.
class EditorPage : public Page
{
public:
    // Larger schedules are refused, because every edit checks all ops and so many ops cannot be
    // edited by hand.
    static constexpr std::size_t kMostOps = 20'000;

    static EditorPage* make(const ThemeController& theme);

    // Call either edit() or open() once. If a file cannot be read, the page shows the reason, and
    // open() may be called again.
    // `request` has the costs and the all-reduce for the simulated times; the "Costs" action
    // changes them.
    virtual void edit(const engine::Schedule& schedule, const QString& name,
                      const PredictionRequest& request = {})
        = 0;
    virtual void open(const QString& file) = 0;
    virtual const RunPlan& plan() const = 0; // the costs and the all-reduce
    virtual void setPlan(const RunPlan& plan) = 0;
    virtual bool isModified() const = 0;
    virtual bool saveTo(const QString& file) = 0; // false on an error, which the band shows
    virtual const ScheduleCheck& check() const = 0;
    virtual const EditedSchedule* schedule() const = 0; // nullptr: no schedule is open
};

} // namespace app
