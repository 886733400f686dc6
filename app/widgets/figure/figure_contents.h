#pragma once

#include "profiler/figure/layout.h"

#include <QCoreApplication>

#include <array>

namespace app {

// The optional parts of a figure, each with a check box, column by column.
struct FigureContent
{
    const char* text;
    const char* name;
    bool profiler::FigureOptions::*field;
};
constexpr std::array<FigureContent, 8> kFigureContents{
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Micro-batch numbers"), "numbers",
                  &profiler::FigureOptions::microBatches},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Time axis"), "axis",
                  &profiler::FigureOptions::timeAxis},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Direction mark"), "direction",
                  &profiler::FigureOptions::directionMark},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Legend"), "legend",
                  &profiler::FigureOptions::legend},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Bubble, % per row"), "shares",
                  &profiler::FigureOptions::bubbleShare},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Title"), "title", &profiler::FigureOptions::title},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Memory strip"), "memory",
                  &profiler::FigureOptions::memory},
    FigureContent{QT_TRANSLATE_NOOP("Figure", "Notes"), "notes", &profiler::FigureOptions::notes}};
constexpr std::size_t kFigureMemory = 6, kFigureNotes = 7;

} // namespace app
