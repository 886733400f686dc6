#pragma once

#include "engine/schedule/schedule.h"

#include <QStringList>

namespace app {

// The meaning of a compute box's colour: by default the kind of op, otherwise the micro-batch, the
// stage, the chunk or the direction, with forward ops in a lighter tone, or the duration on a scale
// up to the longest op of the run. Transfers, the optimizer and coverage
// columns keep the colours of their kind.
enum class ColourBy { Operation, MicroBatch, Stage, Direction, Chunk, Duration };
constexpr int kColourBys = 6;

QStringList colourByNames(); // "operation", "micro-batch": in the order of the enum
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}
// The number that selects the hue of an op, whose chunk is `chunk`; -1 if its kind or its duration
// does.
int colourGroup(const engine::Op& op, int chunk, ColourBy by);

} // namespace app
