#include "engine/base/try.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/read_info.h"
#include "profiler/store/run_tables.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace profiler {
namespace {

using engine::Op;
using engine::OpFlag;
using engine::Result;
using engine::Schedule;

Result<void> readShape(Database& database, Schedule& schedule)
{
    TRY(readOnlyRow(database, schedule));
    if (schedule.shape.devices < 1 || schedule.shape.devices >= Op::kNoPeer)
        return tl::unexpected(database.damaged("BS_shape has an impossible number of devices"));
    schedule.program.resize(schedule.shape.devices);
    return {};
}

Result<void> readPlacement(Database& database, Schedule& schedule)
{
    auto& deviceOf = schedule.deviceOf;
    return forEachRow<PlacementRow>(
        database, "ORDER BY replica, stage", [&](const PlacementRow& row) {
            if (std::cmp_equal(row.replica, deviceOf.size()))
                deviceOf.emplace_back();
            if (deviceOf.empty() || !std::cmp_equal(row.replica, deviceOf.size() - 1)
                || !std::cmp_equal(row.stage, deviceOf.back().size()))
                return false;
            deviceOf.back().push_back(row.device);
            return true;
        });
}

Result<void> readProgram(Database& database, Schedule& schedule)
{
    std::int64_t index = 0;
    engine::DeviceId device{0};
    return forEachRow<ScheduleRow>(database, "ORDER BY op", [&](ScheduleRow& row) {
        if (row.index != index++ || row.device < device
            || row.device.value >= schedule.shape.devices)
            return false;
        device = row.device;
        auto& program = schedule.program[device];
        if (!std::cmp_equal(row.position, program.size()))
            return false;
        row.op.flags
            = static_cast<OpFlag>((row.joint ? static_cast<unsigned>(OpFlag::JointWithNext) : 0U)
                                  | (row.half ? static_cast<unsigned>(OpFlag::Half) : 0U));
        program.push_back(row.op);
        return true;
    });
}

// Sets Shape::windows. The program of an asynchronous run contains the micro-batches of several
// windows, numbered consecutively.
void countWindows(Schedule& schedule)
{
    auto& shape = schedule.shape;
    if (shape.updateEvery == 0 || shape.microBatches < 1)
        return;
    int last = 0;
    for (const auto& program : schedule.program)
        for (const Op& op : program)
            last = std::max(last, op.microBatch.value);
    const std::int64_t windows = std::int64_t{last} / shape.microBatches + 1;
    constexpr int kMost = std::numeric_limits<int>::max();
    shape.windows = windows <= kMost ? static_cast<int>(windows) : 0; // 0 is refused
}

} // namespace

Result<Schedule> readSchedule(Database& database)
{
    Schedule schedule;
    TRY(readShape(database, schedule));
    TRY(readPlacement(database, schedule));
    TRY(readProgram(database, schedule));
    countWindows(schedule);
    if (auto ok = checkSchedule(schedule); !ok)
        return tl::unexpected(database.damaged(ok.error().message));
    return schedule;
}

} // namespace profiler
