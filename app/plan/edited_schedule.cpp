#include "app/plan/edited_schedule.h"

#include "engine/schedule/notation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace app {
namespace {

using engine::Op;
using engine::OpFlag;
using engine::OpKind;

bool followsFromOrder(const Op& op)
{
    return engine::isTransfer(op.kind) || !engine::hasMicroBatch(op.kind);
}

bool isJoint(const Op& op)
{
    return op.flags == OpFlag::JointWithNext;
}

// Returns the op without its joint flag. When one op of a joint pair is removed, the other one
// becomes a plain op.
Op alone(Op op)
{
    if (isJoint(op))
        op.flags = OpFlag::None;
    return op;
}

bool isSameOp(const Op& a, const Op& b)
{
    return alone(a) == alone(b);
}

QString nameOf(const Op& op)
{
    return QString::fromStdString(engine::toString(op));
}

} // namespace

// An edit that can be undone. It has the program of one device before and after the edit.
class ProgramStep : public QUndoCommand
{
public:
    ProgramStep(EditedSchedule& schedule, int device, std::vector<Op> after, const QString& text)
        : QUndoCommand(text)
        , m_schedule(schedule)
        , m_device(device)
        , m_before(schedule.program(device))
        , m_after(std::move(after))
    { }
    void undo() override { m_schedule.set(m_device, m_before); }
    void redo() override { m_schedule.set(m_device, m_after); }

private:
    EditedSchedule& m_schedule;
    int m_device;
    std::vector<Op> m_before, m_after;
};

EditedSchedule::EditedSchedule(engine::Schedule schedule, QObject* parent)
    : QObject(parent)
    , m_schedule(std::move(schedule))
{
    for (Program& ops : m_schedule.program)
        m_leftOut += std::erase_if(ops, followsFromOrder);
    m_opened = m_schedule;
}

bool EditedSchedule::has(OpPlace place) const
{
    return place.isValid() && place.device < static_cast<int>(m_schedule.program.size())
        && place.index < static_cast<int>(program(place.device).size());
}

const Op& EditedSchedule::at(OpPlace place) const
{
    return program(place.device)[static_cast<std::size_t>(place.index)];
}

std::pair<int, int> EditedSchedule::group(OpPlace place) const
{
    const Program& ops = program(place.device);
    int first = place.index;
    while (first > 0 && isJoint(ops[static_cast<std::size_t>(first) - 1]))
        --first;
    return {first, static_cast<int>(engine::jointEnd(ops, static_cast<std::size_t>(place.index)))};
}

void EditedSchedule::set(int device, const Program& ops)
{
    const auto [old, now] = std::ranges::mismatch(program(device), ops);
    const auto index = static_cast<int>(now - ops.begin());
    program(device) = ops;
    Q_EMIT changed({device, index});
}

void EditedSchedule::step(const QString& text, OpPlace place, Program after)
{
    m_undo.push(new ProgramStep(*this, place.device, std::move(after), text));
}

OpPlace EditedSchedule::move(OpPlace from, int before)
{
    if (!has(from))
        return {};
    const auto [first, last] = group(from);
    const int count = static_cast<int>(program(from.device).size());
    int target = std::clamp(before, 0, count);
    if (target < count)
        target = target > first && target < last ? first : group({from.device, target}).first;
    if (target >= first && target <= last)
        return {}; // nothing to move: the op already has this position
    Program ops = program(from.device);
    const auto begin = ops.begin();
    OpPlace now = from;
    if (target < first) {
        std::rotate(begin + target, begin + first, begin + last);
        now.index += target - first;
    } else {
        std::rotate(begin + first, begin + last, begin + target);
        now.index += target - last;
    }
    step(tr("move %1").arg(nameOf(at(from))), from, std::move(ops));
    return now;
}

OpPlace EditedSchedule::swap(OpPlace place, int stepBy)
{
    if (!has(place))
        return {};
    const auto [first, last] = group(place);
    const int count = static_cast<int>(program(place.device).size());
    if (stepBy < 0 ? first == 0 : last == count)
        return {};
    return move(place,
                stepBy < 0 ? group({place.device, first - 1}).first
                           : group({place.device, last}).second);
}

OpPlace EditedSchedule::remove(OpPlace place)
{
    if (!has(place))
        return {};
    Program ops = program(place.device);
    const auto [first, last] = group(place);
    const auto index = static_cast<std::size_t>(place.index);
    if (place.index + 1 == last && place.index > first)
        // The previous op is now the last one of its joint group.
        ops[index - 1] = alone(ops[index - 1]);
    const QString name = nameOf(ops[index]);
    m_removals.emplace_back(place.device, alone(ops[index]));
    ops.erase(ops.begin() + place.index);
    const int left = static_cast<int>(ops.size());
    step(tr("delete %1").arg(name), place, std::move(ops));
    return left == 0 ? OpPlace{} : OpPlace{place.device, std::min(place.index, left - 1)};
}

OpPlace EditedSchedule::restore(const AbsentOp& absent)
{
    const OpPlace place = absent.place;
    if (place.device < 0 || place.device >= static_cast<int>(m_schedule.program.size()))
        return {};
    Program ops = program(place.device);
    int index = std::clamp(place.index, 0, static_cast<int>(ops.size()));
    while (index > 0 && isJoint(ops[static_cast<std::size_t>(index) - 1]))
        --index; // moves in front of a joint group, so that the op does not divide it
    ops.insert(ops.begin() + index, alone(absent.op));
    step(tr("restore %1").arg(nameOf(absent.op)), place, std::move(ops));
    return {place.device, index};
}

std::vector<AbsentOp> EditedSchedule::removed() const
{
    std::vector<AbsentOp> absent;
    for (int device = 0; device < static_cast<int>(m_opened.program.size()); ++device)
        std::ranges::move(removedFrom(device), std::back_inserter(absent));
    return absent;
}

// Searches m_removals from the end for an op that is still removed. (Undo and restore do not erase
// entries of m_removals.)
int EditedSchedule::lastRemoved() const
{
    const std::vector<AbsentOp> absent = removed();
    for (auto last = m_removals.rbegin(); last != m_removals.rend(); ++last) {
        const auto found = std::ranges::find_if(absent, [&](const AbsentOp& one) {
            return one.place.device == last->first && alone(one.op) == last->second;
        });
        if (found != absent.end())
            return static_cast<int>(found - absent.begin());
    }
    return -1;
}

std::vector<AbsentOp> EditedSchedule::removedFrom(int device) const
{
    const Program& now = program(device);
    std::vector<Op> there(now);
    std::ranges::for_each(there, [](Op& op) { op = alone(op); });
    std::ranges::sort(there);
    std::vector<AbsentOp> absent;
    // The position after the last preceding op that still exists.
    int after = 0;
    for (const Op& op : m_opened.program[{device}]) {
        if (!std::ranges::binary_search(there, alone(op))) {
            absent.push_back({op, {device, after}});
            continue;
        }
        const auto found
            = std::ranges::find_if(now, [&op](const Op& other) { return isSameOp(op, other); });
        after = static_cast<int>(found - now.begin()) + 1;
    }
    return absent;
}

} // namespace app
