#pragma once

#include "app/ui/text.h"
#include "engine/timeline/run.h"

#include <QCoreApplication>
#include <QString>

namespace app {

// Replaces QObject::tr() in painters and details, which are free functions.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("app::Timeline", text);
}

// Texts in and beside the lanes.
QString rangeText(engine::Window window, double origin, const Scale& scale); // "103.6 – 107.5"
QString microBatchText(const engine::Op& op); // "5", "5.1" for a slice
QString directionText(const engine::Op& op);  // "down", "up"
QString opTitle(engine::OpKind kind);         // "forward", "weight gradient"
// "iteration 1", "warm-up 0", "typical ops"
QString iterationTitle(const engine::Timeline& timeline, int iteration);

} // namespace app
