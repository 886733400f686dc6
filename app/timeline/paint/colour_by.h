#pragma once

#include "engine/schedule/schedule.h"

#include <QStringList>

namespace app {

// What the colour of a compute box says. The kind of op by default; the others give one hue to a
// micro-batch, a stage or a direction, lighter for what goes forward. Transfers, the optimizer and
// columns of shares keep the colours of their kind.
enum class ColourBy { Operation, MicroBatch, Stage, Direction };
constexpr int kColourBys = 4;

QStringList colourByNames(); // "operation", "micro-batch": in the order of the enum
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}
// The number that decides the hue of an op; -1: its kind does.
int colourGroup(const engine::Op& op, ColourBy by);

} // namespace app
