#pragma once

#include "app/timeline/details/details.h"

// The value of the first row with this name in all sections; "(none)" if there is none.
inline QString row(const app::Details& details, const char* name)
{
    for (const auto& section : details.sections) {
        for (const auto& one : section.rows) {
            if (one.name == QString::fromUtf8(name))
                return one.value;
        }
    }
    return QStringLiteral("(none)");
}
