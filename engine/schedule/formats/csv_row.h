#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>

namespace engine {

// One row of a schedule file.
struct CsvRow
{
    int line = 0; // counted from 1, which is the header
    DeviceId device;
    int index = 0, chunk = 0;
    bool hasVersion = false;
    Op op;
};

inline auto corruptCsv(std::string message)
{
    return fail(Error::Code::Corrupt, std::move(message));
}

// Error messages name the line and the column.
Result<void> checkCsvHeader(std::string_view header);
Result<CsvRow> parseCsvRow(std::string_view text, int line);

} // namespace engine
