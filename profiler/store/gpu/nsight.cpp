#include "profiler/store/gpu/nsight.h"

#include "engine/timeline/clock.h"
#include "engine/timeline/nvtx_range.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace profiler {
namespace {

using engine::OpKind;
using engine::Result;

constexpr std::int64_t kOneProcess = 0x1000000;
constexpr std::int64_t kFirstSyntheticThread = 0x700000;
constexpr int kDomain = 1; // kRangeDomain
constexpr int kCategoryEvent = 33, kPushPop = 59, kStartEnd = 60, kDomainEvent = 75;
constexpr std::int64_t kFirstDomainRow = -1000; // domains of libraries, downwards

using UtcNanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

// Parses "2026-11-21T03:31:16Z"; the current time if the run has no start time.
UtcNanoseconds startOf(const std::string& iso8601)
{
    std::tm tm{};
    if (strptime(iso8601.c_str(), "%Y-%m-%dT%H:%M:%S", &tm) == nullptr)
        return std::chrono::system_clock::now();
    return std::chrono::system_clock::from_time_t(timegm(&tm));
}

Result<void> writeStart(Database& database, const engine::RunInfo& info)
{
    const auto start = startOf(info.started);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(start);
    const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
    return writeRows<StartRow>(
        database,
        {{start.time_since_epoch().count(), fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)),
          fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", fmt::localtime(time)), std::nullopt}});
}

Result<void> writeNames(Database& database, const engine::RunInfo& info)
{
    const bool wall = info.mode == engine::Mode::Live || info.mode == engine::Mode::Imported;
    const std::string program = info.program.empty() ? "bubblescope" : info.program;
    return writeRows<CaptureRow>(database,
                                 {{"BS_CLOCK", wall ? "wall" : "virtual"},
                                  {"BS_MODE", std::string(engine::modeName(info.mode))},
                                  {"BS_PROGRAM", program}})
        .and_then([&] {
            return writeRows<ExportRow>(
                database,
                {{"EXPORT_SCHEMA_VERSION", "3.28.1"}, {"EXPORT_PRODUCT_VERSION", program}});
        });
}

Result<void> writeThreads(Database& database, int devices, std::int64_t process)
{
    std::vector<StringRow> names;
    std::vector<ThreadRow> threads;
    for (int d = 0; d < devices; ++d) {
        names.push_back({d, fmt::format("device {}", d)});
        threads.push_back({d, 0, globalTid(process, engine::DeviceId{d})});
    }
    return writeRows<ProcessRow>(database, {{globalPid(process), process, "bscope"}})
        .and_then([&] { return writeRows(database, names); })
        .and_then([&] { return writeRows(database, threads); });
}

// Domains and categories have negative ids, because the ids of ranges are those of their spans.
Result<void> writeCategories(Database& database)
{
    std::vector<NvtxRow> rows{{.id = -1,
                               .type = kDomainEvent,
                               .domain = kDomain,
                               .text = std::string(engine::kRangeDomain)}};
    for (const engine::RangeCategory& category : engine::rangeCategories())
        rows.push_back({.id = -1 - static_cast<std::int64_t>(rows.size()),
                        .category = category.id,
                        .type = kCategoryEvent,
                        .domain = kDomain,
                        .text = std::string(category.name)});
    return writeRows(database, rows);
}

} // namespace

std::int64_t globalPid(std::int64_t process)
{
    return process % kOneProcess * kOneProcess;
}

std::int64_t globalTid(std::int64_t process, engine::DeviceId device)
{
    return globalPid(process) + kFirstSyntheticThread + device.value;
}

Result<void> writeNsightSession(Database& database, const engine::Run& run, std::int64_t process)
{
    return writeStart(database, run.info)
        .and_then([&] { return writeNames(database, run.info); })
        .and_then([&] { return writeThreads(database, run.schedule.shape.devices, process); })
        .and_then([&] { return writeCategories(database); });
}

Result<NvtxWriter> NvtxWriter::prepare(Database& database, const engine::RunInfo& info,
                                       std::int64_t process)
{
    auto insert = Insert<NvtxRow>::into(database);
    auto move = database.prepare("UPDATE NVTX_EVENTS SET start = ?, \"end\" = ? WHERE eventId = ?");
    if (!insert || !move)
        return tl::unexpected(database.error());
    return NvtxWriter(std::move(*insert), std::move(*move), info, process);
}

NvtxWriter::NvtxWriter(Insert<NvtxRow> insert, Statement move, engine::RunInfo info,
                       std::int64_t process)
    : m_insert(std::move(insert))
    , m_move(std::move(move))
    , m_info(std::move(info))
    , m_process(process)
{ }

bool NvtxWriter::write(std::int64_t id, const engine::Op& op, engine::DeviceId device,
                       const engine::Span& span)
{
    const engine::RangeCategory& category = engine::rangeCategory(op.kind);
    NvtxRow row{.id = id,
                .start = nanosecondsOf(m_info, span.begin),
                .end = nanosecondsOf(m_info, span.end),
                .category = category.id,
                .color = category.argb,
                .thread = globalTid(m_process, device),
                .payload = engine::rangePayload(span.iteration, op),
                .domain = kDomain,
                .text = engine::rangeText(op)};
    m_lastEnd = std::max(m_lastEnd, *row.end);
    // Ops of other lanes are start/end ranges, because they overlap compute and do not nest in it
    // as push/pop does.
    return insert(std::move(row), isCompute(op.kind));
}

bool NvtxWriter::insert(NvtxRow row, bool nests)
{
    row.type = nests ? kPushPop : kStartEnd;
    if (!nests) {
        row.range = row.id;
        row.endThread = row.thread;
    }
    return m_insert.run(row);
}

bool NvtxWriter::writeRange(Database& database, std::int64_t id, const engine::GpuRange& range,
                            const std::vector<std::string>& strings)
{
    constexpr std::int64_t kThreadBits = 0xFFFFFF;
    const std::string& name = strings.at(range.domain);
    const auto [known, isNew]
        = m_domains.try_emplace(name, static_cast<int>(m_domains.size()) + kDomain + 1);
    if (isNew
        && !m_insert.run({.id = kFirstDomainRow - known->second,
                          .type = kDomainEvent,
                          .domain = known->second,
                          .text = name}))
        return false;
    const auto orNull = [](std::uint32_t value) {
        return value == 0 ? std::nullopt : std::optional<std::int64_t>(value);
    };
    return insert({.id = id,
                   .start = range.window.begin,
                   .end = range.window.end,
                   .category = orNull(range.category),
                   .color = orNull(range.color),
                   .thread = globalPid(m_process) + (range.thread & kThreadBits),
                   .payload = range.payload,
                   .domain = known->second,
                   .text = strings.at(range.text)},
                  range.nests)
        && linkRange(database, id, range.of);
}

// Links the range to the op during whose launch it was pushed. The range's own thread, a Linux
// thread, does not identify the device.
bool NvtxWriter::linkRange(Database& database, std::int64_t id, const engine::OpOfIteration& of)
{
    if (!of.isKnown() || of.isOtherCopys())
        return true;
    return addRows<RangeRow>(database, {{id, of}}).has_value();
}

bool NvtxWriter::moveRange(std::int64_t id, engine::Window window)
{
    return m_move.run(window.begin, window.end, id);
}

} // namespace profiler
