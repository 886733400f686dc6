#pragma once

#include "engine/schedule/schedule.h"

#include <QObject>
#include <QUndoStack>

#include <vector>

namespace app {

// The position of an op: `index` in the program of `device`.
struct OpPlace
{
    int device = -1, index = -1;

    bool isValid() const { return device >= 0 && index >= 0; }
    friend auto operator<=>(const OpPlace&, const OpPlace&) = default; // NOLINT: false alarm
};

// An op that was removed from the schedule, and the position at which it would be restored.
struct AbsentOp
{
    engine::Op op;
    OpPlace place;

    friend bool operator==(const AbsentOp&, const AbsentOp&) = default;
};

// A schedule that the user edits. Ops move within their device, are removed and restored; every
// step can be undone. Joint ops move together. Edits may make the schedule invalid. GUI thread
// only.
class EditedSchedule : public QObject
{
    Q_OBJECT

public:
    // Drops transfers, all-reduces and optimizer steps, because they follow from the order of
    // compute ops.
    explicit EditedSchedule(engine::Schedule schedule, QObject* parent = nullptr);

    const engine::Schedule& schedule() const { return m_schedule; }
    QUndoStack& undoStack() { return m_undo; }
    const QUndoStack& undoStack() const { return m_undo; }
    std::size_t leftOut() const { return m_leftOut; } // number of ops that the constructor dropped

    bool has(OpPlace place) const;
    const engine::Op& at(OpPlace place) const;

    // These return the new position of the op. An invalid position changes nothing.
    OpPlace move(OpPlace from, int before); // moves it before the op at `before` on the same device
    OpPlace swap(OpPlace place, int step);  // `step` selects the neighbour: -1 previous, +1 next
    // Returns the place of the op after the removed one, or of the last op.
    OpPlace remove(OpPlace place);
    OpPlace restore(const AbsentOp& absent);

    // The removed ops of the original schedule, by device, then position.
    std::vector<AbsentOp> removed() const;
    // The index in removed() of the op that was removed last; -1: none is removed.
    int lastRemoved() const;

Q_SIGNALS:
    void changed(const app::OpPlace& place); // the place of the first op that moved

private:
    friend class ProgramStep;
    using Program = std::vector<engine::Op>;

    Program& program(int device) { return m_schedule.program[{device}]; }
    const Program& program(int device) const { return m_schedule.program[{device}]; }
    std::vector<AbsentOp> removedFrom(int device) const;
    // The joint group that contains an op, as positions [first, second).
    std::pair<int, int> group(OpPlace place) const;
    void step(const QString& text, OpPlace place, Program after);
    void set(int device, const Program& program);

    engine::Schedule m_schedule, m_opened;
    std::size_t m_leftOut = 0;
    std::vector<std::pair<int, engine::Op>> m_removals; // device and op, oldest first
    QUndoStack m_undo;
};

} // namespace app
