#pragma once

#include "profiler/figure/colour_by.h"

#include <QStringList>

namespace app {

using profiler::ColourBy;
constexpr int kColourBys = 6;

QStringList colourByNames(); // [ColourBy] translated: "operation", "micro-batch"
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}

} // namespace app
