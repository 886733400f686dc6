#pragma once

#include "engine/schedule/schedule.h"

#include <QObject>
#include <QUndoStack>

#include <vector>

namespace app {

// The place of an op: its device, and its index in the program of the device.
struct OpPlace
{
    int device = -1, index = -1;

    bool isValid() const { return device >= 0 && index >= 0; }
    friend auto operator<=>(const OpPlace&, const OpPlace&) = default; // NOLINT: false alarm
};

// An op that was removed from the schedule, and the place where restore() would insert it.
struct AbsentOp
{
    engine::Op op;
    OpPlace place;

    friend bool operator==(const AbsentOp&, const AbsentOp&) = default;
};

// A schedule that the user edits. Ops can be moved within their device, removed and restored, and
// every edit can be undone. Joint ops move together. Edits may make the schedule invalid. GUI
// thread only.
class EditedSchedule : public QObject
{
    Q_OBJECT

public:
    // Removes the transfers, all-reduces and optimizer steps of `schedule`, because they follow
    // from the order of its compute ops.
    explicit EditedSchedule(engine::Schedule schedule, QObject* parent = nullptr);

    const engine::Schedule& schedule() const { return m_schedule; }
    QUndoStack& undoStack() { return m_undo; }
    const QUndoStack& undoStack() const { return m_undo; }
    std::size_t leftOut() const { return m_leftOut; } // number of ops that the constructor removed

    bool has(OpPlace place) const;
    const engine::Op& at(OpPlace place) const;

    // move() moves the op in front of the op with the index `before` on the same device. swap()
    // exchanges the op with its neighbour: -1 for the previous op, +1 for the next one. Both return
    // the new place of the op. If the place is not valid, they change nothing.
    OpPlace move(OpPlace from, int before);
    OpPlace swap(OpPlace place, int step);
    // Returns the place of the op that followed the removed one, or of the last op if none
    // followed.
    OpPlace remove(OpPlace place);
    OpPlace restore(const AbsentOp& absent);

    // Returns the ops of the original schedule that are removed, sorted by device, then position.
    std::vector<AbsentOp> removed() const;
    // Returns the index in removed() of the op that was removed last; -1 if no op is removed.
    int lastRemoved() const;

Q_SIGNALS:
    void changed(const app::OpPlace& place); // `place`: the first op that moved

private:
    friend class ProgramStep;
    using Program = std::vector<engine::Op>;

    Program& program(int device) { return m_schedule.program[{device}]; }
    const Program& program(int device) const { return m_schedule.program[{device}]; }
    std::vector<AbsentOp> removedFrom(int device) const;
    // Returns the positions [first, second) of the joint group that contains an op.
    std::pair<int, int> group(OpPlace place) const;
    void step(const QString& text, OpPlace place, Program after);
    void set(int device, const Program& program);

    engine::Schedule m_schedule, m_opened;
    std::size_t m_leftOut = 0;
    // Device and op of each removal, oldest first.
    std::vector<std::pair<int, engine::Op>> m_removals;
    QUndoStack m_undo;
};

} // namespace app
