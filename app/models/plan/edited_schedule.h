#pragma once

#include "engine/schedule/schedule.h"

#include <QObject>
#include <QUndoStack>

#include <vector>

namespace app {

// Where an op stands: position `index` in the list of `device`.
struct OpPlace
{
    int device = -1, index = -1;

    bool isValid() const { return device >= 0 && index >= 0; }
    friend auto operator<=>(const OpPlace&, const OpPlace&) = default; // NOLINT: false alarm
};

// An op that is not in the schedule although it should be, and where it would come back.
struct AbsentOp
{
    engine::Op op;
    OpPlace place;

    friend bool operator==(const AbsentOp&, const AbsentOp&) = default;
};

// A schedule under the user's hands: ops change places within their device, go and come back; every
// step can be undone. Ops that run as one (joint) move as one. Knows nothing of what is valid. The
// GUI thread only.
class EditedSchedule : public QObject
{
    Q_OBJECT

public:
    // Transfers, all-reduces and optimizer steps are left out: they follow from the order.
    explicit EditedSchedule(engine::Schedule schedule, QObject* parent = nullptr);

    const engine::Schedule& schedule() const { return m_schedule; }
    QUndoStack& undoStack() { return m_undo; }
    const QUndoStack& undoStack() const { return m_undo; }
    std::size_t leftOut() const { return m_leftOut; } // ops that the constructor dropped

    bool has(OpPlace place) const;
    const engine::Op& at(OpPlace place) const;

    // Each returns where the op is now; an invalid place: nothing to do.
    OpPlace move(OpPlace from, int before); // in front of what is at `before` of the same device
    OpPlace swap(OpPlace place, int step);  // with the neighbour: -1 earlier, +1 later
    OpPlace remove(OpPlace place);          // returns what stands there now, or the last op
    OpPlace restore(const AbsentOp& absent);

    // Ops of the schedule as it was opened that are gone, by device, then position.
    std::vector<AbsentOp> removed() const;

Q_SIGNALS:
    void changed(const app::OpPlace& place); // the first op that stands elsewhere now

private:
    friend class ProgramStep;
    using Program = std::vector<engine::Op>;

    Program& program(int device) { return m_schedule.program[static_cast<std::size_t>(device)]; }
    const Program& program(int device) const
    {
        return m_schedule.program[static_cast<std::size_t>(device)];
    }
    std::vector<AbsentOp> removedFrom(int device) const;
    // The joint group around an op: [first, second).
    std::pair<int, int> group(OpPlace place) const;
    void step(const QString& words, OpPlace place, Program after);
    void set(int device, const Program& program);

    engine::Schedule m_schedule, m_opened;
    std::size_t m_leftOut = 0;
    QUndoStack m_undo;
};

} // namespace app
