#include "engine/base/try.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/csv.h"
#include "engine/schedule/formats/csv_row.h"
#include "engine/schedule/formats/lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

auto corruptAt(const CsvRow& row, std::string_view column, std::string_view why)
{
    return corruptCsv(fmt::format("line {}, column {}: {}", row.line, column, why));
}

Result<std::vector<CsvRow>> parseRows(std::string_view text)
{
    Lines lines(text);
    TRY(checkCsvHeader(lines.next().value_or("")));
    std::vector<CsvRow> rows;
    while (const auto line = lines.next()) {
        auto row = TRY(parseCsvRow(*line, lines.number()));
        rows.push_back(row);
    }
    if (rows.empty())
        return corruptCsv("the file has no ops, only a header");
    return rows;
}

Result<void> checkRowOrder(const std::vector<CsvRow>& rows)
{
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].device < rows[i - 1].device)
            return corruptAt(rows[i], "device", "rows must be sorted by device, then index");
        if (rows[i].device == rows[i - 1].device && rows[i].index <= rows[i - 1].index)
            return corruptAt(rows[i], "index",
                             fmt::format("{} follows {}; rows must be sorted by device, then index",
                                         rows[i].index, rows[i - 1].index));
    }
    return {};
}

Result<void> checkChunks(const Shape& shape, const std::vector<CsvRow>& rows)
{
    for (const CsvRow& row : rows)
        if (row.chunk != row.op.stage.value / shape.devices)
            return corruptAt(row, "chunk",
                             fmt::format("{} is wrong for stage {} on {} devices; it must be {}",
                                         row.chunk, row.op.stage.value, shape.devices,
                                         row.op.stage.value / shape.devices));
    return {};
}

// If forwards are whole but backwards are not, the slices are halves, which are independent.
// Otherwise they are sequence slices.
Result<void> markHalves(std::vector<CsvRow>& rows)
{
    const bool sequence = std::ranges::any_of(rows, [](const CsvRow& row) {
        return row.op.kind == OpKind::Forward && row.op.slice != Op::kWhole;
    });
    if (sequence)
        return {};
    for (CsvRow& row : rows) {
        const bool ofBackward = isBackward(row.op.kind) || row.op.kind == OpKind::Recompute;
        if (row.op.slice == Op::kWhole || !ofBackward)
            continue;
        if (row.op.flags == OpFlag::JointWithNext)
            return corruptAt(row, "joint", "a half of a micro-batch cannot be joint");
        row.op.flags = OpFlag::Half;
    }
    return {};
}

Programs programsOf(const std::vector<CsvRow>& rows)
{
    Programs programs(rows.back().device.value + 1);
    for (const CsvRow& row : rows)
        programs[row.device].push_back(row.op);
    return programs;
}

} // namespace

Result<Schedule> readCsv(std::string_view text, std::string_view scheme)
{
    auto rows = TRY(parseRows(text));
    TRY(checkRowOrder(rows));
    TRY(markHalves(rows));
    Programs programs = programsOf(rows);
    const auto shape = TRY(shapeOf(programs));
    TRY(checkChunks(shape, rows));
    Schedule schedule = assemble(shape, std::move(programs), scheme);
    if (std::ranges::any_of(rows, &CsvRow::hasVersion))
        schedule.shape.updateEvery = guessUpdateEvery(schedule);
    return schedule;
}

} // namespace engine
