#pragma once

#include "engine/timeline/run.h"

#include <QString>

#include <string_view>

namespace app {

inline QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// The title of a scheme without the part in parentheses: "1F1B" for "1F1B (PipeDream-Flush)".
QString shortTitle(const QString& title);
QString schemeTitle(const QString& name); // "ZB-V" for "zb-v"; `name` if it is unknown

// Returns a tooltip that shows `text` literally, although Qt interprets HTML in tooltips. The text
// is cut after 4096 characters.
QString toolTipText(const QString& text);

QString capitalized(QString text); // capitalizes the first letter
// Returns the label of a setting for a sentence: "micro-batch size", "CUDA graphs".
QString uncapitalized(QString label);
QString withoutUnit(const QString& label); // "link latency"

QString quotedCell(const QString& text); // a CSV cell, quoted if necessary
// Escapes & for tabs and menus, which would hide it and underline the next letter.
QString menuText(QString text);
QString withoutMnemonic(QString menuText); // removes & and resolves the escapes

QString unitsText(double units); // cost units without the word "units": "14", "16.5"
// A time of a run with its unit: "14 units", "115.3 ms".
QString timeText(std::int64_t ticks, const engine::RunInfo& info);

// Short texts about a run. They omit what the traces of an imported run do not state.
QString shapeText(const engine::Run& run); // "D 4, N 8"
QString opName(const engine::Op& op);      // "1B5u", "1RC5" for a recompute
// Leaves out the parts that the run does not state.
QString opName(const engine::RunInfo& info, const engine::Op& op);
QString stagesText(const engine::Run& run, engine::DeviceId device); // "0, 3", "unknown"
QString deviceText(const engine::Run& run, engine::DeviceId device); // "stages 0, 3"

} // namespace app
