#include "engine/schedule/csv.h"
#include "engine/schedule/csv_row.h"
#include "engine/schedule/dataflow.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

auto corruptAt(const CsvRow& row, std::string_view column, std::string_view why)
{
    return corruptCsv(fmt::format("line {}, column {}: {}", row.line, column, why));
}

std::string_view takeLine(std::string_view& text)
{
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

Result<std::vector<CsvRow>> parseRows(std::string_view text)
{
    if (auto header = checkCsvHeader(takeLine(text)); !header)
        return tl::unexpected(header.error());
    std::vector<CsvRow> rows;
    for (int line = 2; !text.empty(); ++line) {
        auto row = parseCsvRow(takeLine(text), line);
        if (!row)
            return tl::unexpected(row.error());
        rows.push_back(*row);
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
                             fmt::format("{} comes behind {}; rows must be sorted by device, then "
                                         "index",
                                         rows[i].index, rows[i - 1].index));
    }
    return {};
}

Shape shapeOf(const std::vector<CsvRow>& rows)
{
    Shape shape;
    for (const CsvRow& row : rows) {
        shape.devices = std::max(shape.devices, row.device + 1);
        shape.stages = std::max(shape.stages, row.op.stage.value + 1);
        shape.microBatches = std::max(shape.microBatches, row.op.microBatch.value + 1);
        shape.replicas = std::max(shape.replicas, row.op.replica + 1);
        if (row.op.slice != Op::kWhole)
            shape.slices = std::max(shape.slices, row.op.slice + 1);
    }
    return shape;
}

// One wrong digit must not ask for gigabytes. A complete schedule has about one row for each cell
// of stage, micro-batch and slice; this leaves room for files that miss most of theirs.
Result<void> checkSize(const Shape& shape, const std::vector<CsvRow>& rows)
{
    constexpr double kCellsPerRow = 64;
    const double cells = static_cast<double>(shape.stages) * shape.microBatches * shape.replicas
        * (shape.slices + 1);
    constexpr double kMostCells = 1 << 28; // valueCount() has 32 bits
    const double room = std::min(kMostCells, kCellsPerRow * static_cast<double>(rows.size()));
    if (cells <= room && shape.devices <= room)
        return {};
    return corruptCsv(
        fmt::format("{} devices, {} stages, {} micro-batches and {} slices would need far "
                    "more than the file's {} rows; one of its numbers is wrong",
                    shape.devices, shape.stages, shape.microBatches, shape.slices, rows.size()));
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

// Where forwards are whole but backwards are not, the parts are halves that do not know each other;
// else they are sequence slices.
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

Schedule assembled(const Shape& shape, const std::vector<CsvRow>& rows)
{
    Schedule schedule;
    schedule.shape = shape;
    schedule.program.resize(static_cast<std::size_t>(shape.devices));
    schedule.deviceOf.assign(static_cast<std::size_t>(shape.replicas),
                             std::vector<DeviceId>(static_cast<std::size_t>(shape.stages)));
    for (const CsvRow& row : rows) {
        schedule.program[static_cast<std::size_t>(row.device)].push_back(row.op);
        DeviceId& holder
            = schedule.deviceOf[row.op.replica][static_cast<std::size_t>(row.op.stage.value)];
        if (!holder.isValid())
            holder = DeviceId{row.device};
    }
    return schedule;
}

// The file does not hold the other end of a transfer, an evict or a load: it follows from the
// placement.
void setPeers(Schedule& schedule)
{
    for (auto& ops : schedule.program)
        for (Op& op : ops) {
            if (!exists(op, schedule.shape))
                continue;
            if (isCopy(op.kind))
                op.peer = static_cast<std::uint16_t>(
                    stashPartner(schedule.device(op.replica, op.stage), schedule.shape).value);
            if (!isTransfer(op.kind))
                continue;
            const Value value = transferredValue(op, schedule.shape);
            const StageId other
                = value.stage == op.stage ? *receivingStage(value, schedule.shape) : value.stage;
            const DeviceId peer = schedule.device(op.replica, other);
            if (peer.isValid())
                op.peer = static_cast<std::uint16_t>(peer.value);
        }
}

} // namespace

Result<Schedule> readCsv(std::string_view text, std::string_view scheme)
{
    auto rows = parseRows(text);
    if (!rows)
        return tl::unexpected(rows.error());
    const Shape shape = shapeOf(*rows);
    for (const auto& checked : {checkRowOrder(*rows), checkSize(shape, *rows),
                                checkChunks(shape, *rows), markHalves(*rows)})
        if (!checked)
            return tl::unexpected(checked.error());
    Schedule schedule = assembled(shape, *rows);
    schedule.scheme = scheme;
    setPeers(schedule);
    return schedule;
}

} // namespace engine
