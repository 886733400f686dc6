#include "engine/schedule/notation.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/read_info.h"

#include <fmt/format.h>

#include <limits>

namespace profiler {
namespace {

using engine::Op;
using engine::Result;
using engine::Schedule;

// -1 for what is not there or does not fit: checkSchedule() refuses it where it may not be.
int small(const Statement& row, int column, int missing = -1)
{
    if (row.isNull(column))
        return missing;
    const std::int64_t value = row.integer(column);
    return value < 0 || value > std::numeric_limits<int>::max() ? -1 : static_cast<int>(value);
}

Result<void> readShape(Database& database, Schedule& schedule)
{
    auto row = database.prepare("SELECT * FROM BS_shape LIMIT 1");
    if (!row)
        return tl::unexpected(row.error());
    if (!row->next())
        return tl::unexpected(row->failed() ? database.error()
                                            : database.damaged("BS_shape has no row"));
    const auto named = [&row](std::string_view name, int missing = -1) {
        const int column = row->columnNamed(name);
        return column < 0 ? missing : small(*row, column, missing);
    };
    if (const int scheme = row->columnNamed("scheme"); scheme >= 0)
        schedule.scheme = row->text(scheme);
    schedule.shape
        = {named("devices"), named("stages"),        named("micro_batches"), named("replicas"),
           named("slices"),  named("data_parallel"), named("update_every")};
    if (schedule.shape.devices < 1 || schedule.shape.devices >= Op::kNoPeer)
        return tl::unexpected(database.damaged("BS_shape has an impossible number of devices"));
    schedule.program.resize(static_cast<std::size_t>(schedule.shape.devices));
    return {};
}

Result<void> readPlacement(Database& database, Schedule& schedule)
{
    auto row = database.prepare(
        "SELECT replica, stage, device FROM BS_placement ORDER BY replica, stage");
    if (!row)
        return tl::unexpected(row.error());
    auto& deviceOf = schedule.deviceOf;
    while (row->next()) {
        const auto replica = static_cast<std::size_t>(row->integer(0));
        if (replica == deviceOf.size())
            deviceOf.emplace_back();
        if (replica + 1 != deviceOf.size()
            || row->integer(1) != static_cast<std::int64_t>(deviceOf.back().size()))
            return tl::unexpected(database.damaged("rows are missing from BS_placement"));
        deviceOf.back().push_back(engine::DeviceId{small(*row, 2)});
    }
    if (row->failed())
        return tl::unexpected(database.error());
    return {};
}

bool fits(const Statement& row, int column, int limit)
{
    return row.isNull(column) || (row.integer(column) >= 0 && row.integer(column) < limit);
}

// Columns: kind, stage, microbatch, replica, slice, peer, version, joint, half from `first` on.
std::optional<Op> opOf(const Statement& row, int first)
{
    const auto kind = engine::parseKindShortName(row.text(first));
    if (!kind || !fits(row, first + 3, 256) || !fits(row, first + 4, Op::kWhole)
        || !fits(row, first + 5, Op::kNoPeer) || !fits(row, first + 6, 256))
        return std::nullopt;
    Op op;
    op.kind = *kind;
    op.stage.value = small(row, first + 1);
    op.microBatch.value = small(row, first + 2);
    op.replica = static_cast<std::uint8_t>(row.integer(first + 3));
    op.slice = static_cast<std::uint16_t>(small(row, first + 4, Op::kWhole));
    op.peer = static_cast<std::uint16_t>(small(row, first + 5, Op::kNoPeer));
    op.version = static_cast<std::uint8_t>(row.integer(first + 6));
    const unsigned joint = row.integer(first + 7) != 0 ? 1 : 0;
    const unsigned half = row.integer(first + 8) != 0 ? 2 : 0;
    op.flags = static_cast<engine::OpFlag>(joint | half);
    return op;
}

Result<void> readProgram(Database& database, Schedule& schedule)
{
    auto row = database.prepare("SELECT op, device, position, kind, stage, microbatch, replica, "
                                "slice, peer, version, joint, half FROM BS_schedule ORDER BY op");
    if (!row)
        return tl::unexpected(row.error());
    std::int64_t index = 0, device = 0;
    while (row->next()) {
        const auto op = opOf(*row, 3);
        const bool follows = row->integer(0) == index && row->integer(1) >= device
            && row->integer(1) < schedule.shape.devices;
        device = row->integer(1);
        if (!op || !follows
            || row->integer(2)
                != static_cast<std::int64_t>(
                    schedule.program[static_cast<std::size_t>(device)].size()))
            return tl::unexpected(database.damaged(fmt::format("BS_schedule, row {}", index)));
        schedule.program[static_cast<std::size_t>(device)].push_back(*op);
        ++index;
    }
    if (row->failed())
        return tl::unexpected(database.error());
    return {};
}

} // namespace

Result<Schedule> readSchedule(Database& database)
{
    Schedule schedule;
    auto read = readShape(database, schedule)
                    .and_then([&] { return readPlacement(database, schedule); })
                    .and_then([&] { return readProgram(database, schedule); });
    if (!read)
        return tl::unexpected(read.error());
    if (auto ok = checkSchedule(schedule); !ok)
        return tl::unexpected(database.damaged(ok.error().message));
    return schedule;
}

} // namespace profiler
