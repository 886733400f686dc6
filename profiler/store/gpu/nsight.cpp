#include "profiler/store/gpu/nsight.h"

#include "engine/timeline/clock.h"
#include "engine/timeline/nvtx_range.h"
#include "profiler/store/gpu/gpu_tables.h"

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
constexpr std::int64_t kFirstDomainRow = -1000; // of libraries' domains, downwards

using UtcNanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

// "2026-11-21T03:31:16Z"; a run that does not say when it began began now.
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
    auto insert = database.prepare(
        "INSERT INTO TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime, localTime) "
        "VALUES (?, ?, ?)");
    if (!insert
        || !insert->run(start.time_since_epoch().count(),
                        fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)),
                        fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", fmt::localtime(time))))
        return tl::unexpected(database.error());
    return {};
}

Result<void> writeNames(Database& database, const engine::RunInfo& info)
{
    auto capture = database.prepare("INSERT INTO META_DATA_CAPTURE VALUES (?, ?)");
    auto exported = database.prepare("INSERT INTO META_DATA_EXPORT VALUES (?, ?)");
    const bool wall = info.mode == engine::Mode::Live || info.mode == engine::Mode::Imported;
    const std::string program = info.program.empty() ? "bubblescope" : info.program;
    if (!capture || !exported || !capture->run("BS_CLOCK", wall ? "wall" : "virtual")
        || !capture->run("BS_MODE", engine::modeName(info.mode))
        || !capture->run("BS_PROGRAM", program) || !exported->run("EXPORT_SCHEMA_VERSION", "3.28.1")
        || !exported->run("EXPORT_PRODUCT_VERSION", program))
        return tl::unexpected(database.error());
    return {};
}

Result<void> writeThreads(Database& database, int devices, std::int64_t process)
{
    auto text = database.prepare("INSERT INTO StringIds VALUES (?, ?)");
    auto thread = database.prepare("INSERT INTO ThreadNames VALUES (?, 0, ?)");
    auto owner = database.prepare("INSERT INTO PROCESSES VALUES (?, ?, 'bscope')");
    if (!text || !thread || !owner || !owner->run(globalPid(process), process))
        return tl::unexpected(database.error());
    for (int d = 0; d < devices; ++d)
        if (!text->run(d, fmt::format("device {}", d))
            || !thread->run(d, globalTid(process, engine::DeviceId{d})))
            return tl::unexpected(database.error());
    return {};
}

// Ids below zero: those of the ranges are the rows of their spans.
Result<void> writeCategories(Database& database)
{
    auto insert = database.prepare("INSERT INTO NVTX_EVENTS (eventId, start, eventType, category, "
                                   "text, domainId) VALUES (?, 0, ?, ?, ?, ?)");
    std::int64_t id = -1;
    if (!insert || !insert->run(id, kDomainEvent, nullptr, engine::kRangeDomain, kDomain))
        return tl::unexpected(database.error());
    for (const engine::RangeCategory& category : engine::rangeCategories())
        if (!insert->run(--id, kCategoryEvent, category.id, category.name, kDomain))
            return tl::unexpected(database.error());
    return {};
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
    auto insert = database.prepare(
        "INSERT INTO NVTX_EVENTS (eventId, start, \"end\", eventType, rangeId, category, color, "
        "text, globalTid, endGlobalTid, domainId, int64Value) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    auto move = database.prepare("UPDATE NVTX_EVENTS SET start = ?, \"end\" = ? WHERE eventId = ?");
    if (!insert || !move)
        return tl::unexpected(database.error());
    return NvtxWriter(std::move(*insert), std::move(*move), info, process);
}

NvtxWriter::NvtxWriter(Statement insert, Statement move, engine::RunInfo info, std::int64_t process)
    : m_insert(std::move(insert))
    , m_move(std::move(move))
    , m_info(std::move(info))
    , m_process(process)
{ }

bool NvtxWriter::write(std::int64_t id, const engine::Op& op, engine::DeviceId device,
                       const engine::Span& span)
{
    const std::int64_t begin = nanosecondsOf(m_info, span.begin);
    const std::int64_t end = nanosecondsOf(m_info, span.end);
    const engine::RangeCategory& category = engine::rangeCategory(op.kind);
    const std::int64_t thread = globalTid(m_process, device);
    const std::int64_t payload = engine::rangePayload(span.iteration, op);
    m_lastEnd = std::max(m_lastEnd, end);
    const auto insert = [&](int event, auto rangeId, auto endThread) {
        return m_insert.run(id, begin, end, event, rangeId, category.id, category.argb,
                            engine::rangeText(op), thread, endThread, kDomain, payload);
    };
    // What runs beside compute does not nest in it, so that push/pop would be untrue.
    return isCompute(op.kind) ? insert(kPushPop, nullptr, nullptr) : insert(kStartEnd, id, thread);
}

bool NvtxWriter::writeRange(Database& database, std::int64_t id, const engine::GpuRange& range,
                            const std::vector<std::string>& strings)
{
    constexpr std::int64_t kThreadBits = 0xFFFFFF;
    const std::string& name = strings.at(range.domain);
    const auto [known, isNew]
        = m_domains.try_emplace(name, static_cast<int>(m_domains.size()) + kDomain + 1);
    if (isNew) {
        auto domain = database.prepare(
            "INSERT INTO NVTX_EVENTS (eventId, start, eventType, text, domainId) "
            "VALUES (?, 0, ?, ?, ?)");
        if (!domain
            || !domain->run(kFirstDomainRow - known->second, kDomainEvent, name, known->second))
            return false;
    }
    const std::int64_t thread = globalPid(m_process) + (range.thread & kThreadBits);
    const auto orNull
        = [](std::uint32_t value) { return value == 0 ? std::nullopt : std::optional(value); };
    const auto unlessItNests = [&range](std::int64_t value) {
        return range.nests ? std::nullopt : std::optional(value);
    };
    return m_insert.run(id, range.window.begin, range.window.end,
                        range.nests ? kPushPop : kStartEnd, unlessItNests(id),
                        orNull(range.category), orNull(range.color), strings.at(range.text), thread,
                        unlessItNests(thread), known->second, range.payload)
        && linkRange(database, id, range.of);
}

// Which launches of which op it lies in: a thread of Linux does not say which device it serves.
bool NvtxWriter::linkRange(Database& database, std::int64_t id, const engine::OpOfIteration& of)
{
    if (!of.isKnown() || of.isOtherCopys())
        return true;
    if (!m_link) {
        if (!createGpuTable(database, kRangeTable.name))
            return false;
        auto link
            = database.prepare("INSERT INTO BS_gpu_range (event, iteration, op) VALUES (?, ?, ?)");
        if (!link)
            return false;
        m_link = std::move(*link);
    }
    return m_link->run(id, of.iteration, of.op);
}

bool NvtxWriter::moveRange(std::int64_t id, engine::Window window)
{
    return m_move.run(window.begin, window.end, id);
}

} // namespace profiler
