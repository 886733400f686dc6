#include "profiler/store/gpu/nsight.h"

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
constexpr int kDomain = 1;    // id of the domain kRangeDomain
constexpr int kMostRows = 12; // a limit that keeps thread numbers within 24 bits
constexpr int kCategoryEvent = 33, kPushPop = 59, kStartEnd = 60, kDomainEvent = 75;
constexpr std::int64_t kFirstDomainRow = -1000; // ids of libraries' domains, counted downwards

// Of a synthetic thread with row 0. Threads with other rows use the name of row 0.
std::int64_t nameId(std::int64_t thread)
{
    return thread % kOneProcess - kFirstSyntheticThread;
}

using UtcNanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

// Parses "2026-11-21T03:31:16Z". Returns the current time if the run has no start time.
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

// Writes the property "Hostname", which the recipes (analysis scripts) of Nsight Systems find by
// this name. kHostname is the number of the property in Nsight Systems.
Result<void> writeHost(Database& database, const std::string& name)
{
    constexpr int kHostname = 619;
    if (name.empty())
        return {};
    return writeRows<SystemRow>(database, {{0, "Local (CLI)", "Hostname", kHostname, name}});
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

// Writes one thread for the compute ops of each device, and one for each category of its other ops,
// which can overlap compute.
Result<void> writeThreads(Database& database, const engine::Schedule& schedule,
                          std::int64_t process)
{
    std::map<std::int64_t, std::string> nameOf; // by thread
    for (const engine::DeviceId d : schedule.program.ids()) {
        nameOf[globalTid(process, d)] = fmt::format("device {}", d.value);
        for (const engine::Op& op : schedule.program[d])
            if (!isCompute(op.kind))
                nameOf.try_emplace(
                    globalTid(process, d, op.kind, 0, schedule.shape),
                    fmt::format("device {} {}", d.value, engine::rangeCategory(op.kind).name));
    }
    std::vector<StringRow> names;
    std::vector<ThreadRow> threads;
    for (const auto& [thread, name] : nameOf) {
        const std::int64_t id = nameId(thread);
        names.push_back({id, name});
        threads.push_back({id, 0, thread});
    }
    return writeRows<ProcessRow>(database, {{globalPid(process), process, "bscope"}})
        .and_then([&] { return writeRows(database, names); })
        .and_then([&] { return writeRows(database, threads); });
}

// Writes the domain and the categories. They have negative ids, because positive ids belong to
// ranges: the range of a span has the span's id.
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

std::int64_t globalTid(std::int64_t process, engine::DeviceId device, engine::OpKind kind, int row,
                       const engine::Shape& shape)
{
    constexpr int kIds = 11;
    const int category = engine::rangeCategory(kind).id;
    return globalTid(process, device) + std::int64_t{shape.devices} * (category + kIds * row);
}

Result<void> writeNsightSession(Database& database, const engine::Run& run, std::int64_t process)
{
    return writeStart(database, run.info)
        .and_then([&] { return writeNames(database, run.info); })
        .and_then([&] { return writeHost(database, run.info.hostName); })
        .and_then([&] { return writeThreads(database, run.schedule, process); })
        .and_then([&] { return writeCategories(database); });
}

Result<NvtxWriter> NvtxWriter::prepare(Database& database, const engine::RunInfo& info,
                                       const engine::Shape& shape, std::int64_t process)
{
    auto insert = Insert<NvtxRow>::into(database);
    auto thread = Insert<ThreadRow>::into(database);
    auto move = database.prepare(
        "UPDATE NVTX_EVENTS SET start = ?, \"end\" = ?, globalTid = ? WHERE eventId = ?");
    if (!insert || !thread || !move)
        return tl::unexpected(database.error());
    return NvtxWriter(std::move(*insert), std::move(*thread), std::move(*move), info, shape,
                      process);
}

NvtxWriter::NvtxWriter(Insert<NvtxRow> insert, Insert<ThreadRow> thread, Statement move,
                       const engine::RunInfo& info, const engine::Shape& shape,
                       std::int64_t process)
    : m_insert(std::move(insert))
    , m_thread(std::move(thread))
    , m_move(std::move(move))
    , m_info(info)
    , m_shape(shape)
    , m_grammar(engine::nvtxGrammarNamed(info.nvtxGrammar))
    , m_process(process)
{ }

bool NvtxWriter::write(std::int64_t id, const engine::Op& op, engine::DeviceId device,
                       const engine::Span& span)
{
    const engine::RangeCategory& category = engine::rangeCategory(op.kind);
    const engine::Window window{nanosecondsOf(m_info, span.begin), nanosecondsOf(m_info, span.end)};
    const auto thread = threadOf(op, device, window);
    if (!thread)
        return false;
    m_lastThread = *thread;
    m_lastEnd = std::max(m_lastEnd, window.end);
    NvtxRow row{.id = id,
                .start = window.begin,
                .end = window.end,
                .category = category.id,
                .color = category.argb,
                .thread = *thread,
                .payload = engine::rangePayload(span.iteration, op),
                .domain = kDomain,
                .text = engine::rangeText(op, m_shape, m_grammar)};
    return insert(std::move(row), true);
}

// nullopt if a new thread could not be written. All compute ops of a device are on one thread. Only
// joint ops overlap there, and their ranges nest, because they have the same window.
std::optional<std::int64_t> NvtxWriter::threadOf(const engine::Op& op, engine::DeviceId device,
                                                 engine::Window window)
{
    if (isCompute(op.kind))
        return globalTid(m_process, device);
    std::vector<std::int64_t>& ends = m_rows[{device, engine::rangeCategory(op.kind).id}];
    std::size_t row = 0;
    while (row < ends.size() && ends[row] > window.begin && row + 1 < kMostRows)
        ++row;
    const auto thread = [&](std::size_t at) {
        return globalTid(m_process, device, op.kind, static_cast<int>(at), m_shape);
    };
    if (row == ends.size()) {
        ends.push_back(window.end);
        if (row > 0 && !m_thread.run({nameId(thread(0)), 0, thread(row)}))
            return std::nullopt;
    }
    ends[row] = std::max(ends[row], window.end);
    return thread(row);
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

// Links the range of a library to the op that was being launched when the range was pushed. The
// link is needed because the range's thread, a Linux thread, does not identify the device.
bool NvtxWriter::linkRange(Database& database, std::int64_t id, const engine::OpOfIteration& of)
{
    if (!of.isKnown() || of.isOtherCopys())
        return true;
    return addRows<RangeRow>(database, {{id, of}}).has_value();
}

bool NvtxWriter::moveRange(std::int64_t id, engine::DeviceId device, engine::Window window)
{
    return m_move.run(window.begin, window.end, globalTid(m_process, device), id);
}

} // namespace profiler
