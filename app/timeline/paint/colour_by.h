#pragma once

#include "engine/schedule/schedule.h"

#include <QStringList>

namespace app {

// The meaning of a compute box's colour: by default the kind of op, otherwise the micro-batch, the
// stage or the direction, with forward ops in a lighter tone. Transfers, the optimizer and coverage
// columns keep the colours of their kind.
enum class ColourBy { Operation, MicroBatch, Stage, Direction };
constexpr int kColourBys = 4;

QStringList colourByNames(); // "operation", "micro-batch": in the order of the enum
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}
// The number that selects the hue of an op; -1 if its kind does.
int colourGroup(const engine::Op& op, ColourBy by);

} // namespace app
