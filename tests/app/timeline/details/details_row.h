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

// The cell of a table in the details, by the name of its row and the title of its column; a cell
// without text if there is none.
inline app::DetailsTable::Cell cell(const app::Details& details, const char* name,
                                    const char* column)
{
    for (const auto& section : details.sections) {
        const auto at = section.table.columns.indexOf(QString::fromUtf8(column));
        for (const auto& one : section.table.rows)
            if (at >= 0 && one.name == QString::fromUtf8(name))
                return one.cells[static_cast<std::size_t>(at)];
    }
    return {};
}
