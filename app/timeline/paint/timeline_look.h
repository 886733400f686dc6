#pragma once

#include "profiler/figure/palette.h"

#include <QStringList>

namespace app {

using profiler::ColourBy;
constexpr int kColourBys = 6;

inline QStringList colourByNames() // by ColourBy
{
    return {QStringLiteral("operation"), QStringLiteral("micro-batch"), QStringLiteral("stage"),
            QStringLiteral("direction"), QStringLiteral("chunk"),       QStringLiteral("duration")};
}
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}

// What a timeline shows of its run, and in which colours.
struct TimelineLook
{
    // Selected: arrows follow the selected micro-batch, and the others are dimmed. All: arrows
    // follow every micro-batch.
    enum class Flow { Off, Selected, All };

    Flow flow = Flow::Selected;
    ColourBy colourBy = ColourBy::Operation;
    bool areKernelsShown = false; // shows kernels below the ops, if the run has any
    bool isPlanShown = true;      // outlines the next iteration of a growing run

    friend bool operator==(const TimelineLook&, const TimelineLook&) = default;
};

inline TimelineLook::Flow nextFlow(TimelineLook::Flow flow)
{
    return static_cast<TimelineLook::Flow>((static_cast<int>(flow) + 1) % 3);
}

} // namespace app
