#include "profiler/store/gpu/gpu_writer.h"

#include "engine/timeline/kernel_name.h"
#include "profiler/store/gpu/nsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

// Nsight Systems counts memory kinds from 0 (pageable), CUPTI from 1; unknown is 7 and 0.
int memoryKind(std::uint8_t cupti)
{
    return cupti == 0 ? 7 : cupti - 1;
}

std::int64_t integer(std::uint64_t value)
{
    return static_cast<std::int64_t>(value); // SQLite has signed ones only; the bits stay
}

std::optional<std::int64_t> unlessZero(std::uint64_t value)
{
    return value == 0 ? std::nullopt : std::optional(integer(value));
}

std::string questionMarks(std::string_view columns)
{
    std::string marks = "?";
    for (const char c : columns)
        if (c == ',')
            marks += ", ?";
    return marks;
}

} // namespace

GpuWriter::GpuWriter(Database& database, std::int64_t process)
    : m_database(&database)
    , m_process(process)
{ }

Result<void> GpuWriter::write(const GpuTrace& trace, const OpIndex& index)
{
    if (trace.isEmpty() && trace.health.isComplete())
        return {};
    return learnStrings(trace)
        .and_then([&] { return writeKernels(trace); })
        .and_then([&] { return writeCopies(trace); })
        .and_then([&] { return writeCalls(trace, index); })
        .and_then([&] { return writeOthers(trace); })
        .and_then([&] { return writePlaces(trace); })
        .and_then([&] { return writeLaunches(trace); })
        .and_then([&] { return writeHealth(trace.health); });
}

Result<Statement*> GpuWriter::into(const GpuTable& table)
{
    if (const auto known = m_inserts.find(table.name); known != m_inserts.end())
        return &known->second;
    return createGpuTable(*m_database, table.name)
        .and_then([&] {
            return m_database->prepare(fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})",
                                                   table.name, table.columns,
                                                   questionMarks(table.columns)));
        })
        .map([&](Statement&& insert) {
            return &m_inserts.emplace(table.name, std::move(insert)).first->second;
        });
}

template<class Rows, class Write>
Result<void> GpuWriter::writeAll(const GpuTable& table, const Rows& rows, Write write)
{
    if (rows.empty())
        return {};
    const auto insert = into(table);
    if (!insert)
        return tl::unexpected(insert.error());
    for (const auto& row : rows)
        if (!write(**insert, row))
            return tl::unexpected(m_database->error());
    return {};
}

Result<void> GpuWriter::writeKernels(const GpuTrace& trace)
{
    return writeAll(kKernelTable, trace.kernels, [&](Statement& insert, const GpuKernel& k) {
        const Name& name = m_names[k.name];
        return insert.run(k.window.begin, k.window.end, k.place.device, k.place.context,
                          k.place.stream, k.place.correlation, globalPid(m_process), name.demangled,
                          name.brief, name.mangled, k.registers, k.grid[0], k.grid[1], k.grid[2],
                          k.block[0], k.block[1], k.block[2], k.staticShared, k.dynamicShared,
                          k.localPerThread, 0, k.gridId, unlessZero(k.graphNode));
    });
}

Result<void> GpuWriter::writeCopies(const GpuTrace& trace)
{
    return writeAll(kCopyTable, trace.copies,
                    [&](Statement& insert, const GpuCopy& c) {
                        return insert.run(c.window.begin, c.window.end, c.place.device,
                                          c.place.context, c.place.stream, c.place.correlation,
                                          globalPid(m_process), integer(c.bytes), int{c.kind},
                                          memoryKind(c.sourceMemory), memoryKind(c.targetMemory),
                                          c.sourceDevice, c.targetDevice, unlessZero(c.graphNode));
                    })
        .and_then([&] {
            return writeAll(
                kMemsetTable, trace.memsets, [&](Statement& insert, const GpuMemset& s) {
                    return insert.run(s.window.begin, s.window.end, s.place.device, s.place.context,
                                      s.place.stream, s.place.correlation, globalPid(m_process),
                                      s.value, integer(s.bytes), memoryKind(s.memory),
                                      unlessZero(s.graphNode));
                });
        });
}

Result<void> GpuWriter::writeCalls(const GpuTrace& trace, const OpIndex& index)
{
    // The call of an op stands on the thread where its NVTX range is, so that the documented joins
    // find it there.
    const auto threadOf = [&](const GpuCall& call) {
        constexpr std::uint32_t kThreadBits = 0xFFFFFF;
        return call.of.isKnown() && call.of.op < index.count()
            ? globalTid(m_process, index.deviceOf(call.of.op))
            : globalPid(m_process) + (call.thread & kThreadBits);
    };
    return writeAll(kCallTable, trace.calls, [&](Statement& insert, const GpuCall& call) {
        return insert.run(call.window.begin, call.window.end, int{call.isDriver}, threadOf(call),
                          call.correlation, m_names[call.name].mangled, call.result);
    });
}

Result<void> GpuWriter::writeOthers(const GpuTrace& trace)
{
    return writeAll(kWaitTable, trace.waits,
                    [&](Statement& insert, const GpuWait& w) {
                        return insert.run(w.window.begin, w.window.end, w.place.device,
                                          w.place.context, w.place.stream, w.place.correlation,
                                          globalPid(m_process), w.type, w.event,
                                          integer(w.eventSync));
                    })
        .and_then([&] {
            return writeAll(kAllocationTable, trace.allocations,
                            [&](Statement& insert, const GpuAllocation& a) {
                                return insert.run(
                                    a.time, globalPid(m_process), a.place.device, a.place.context,
                                    integer(a.address), 0, integer(a.bytes), memoryKind(a.memory),
                                    int{a.isFree}, a.place.correlation, a.place.stream);
                            });
        })
        .and_then([&] {
            return writeAll(kOverheadTable, trace.overheads,
                            [](Statement& insert, const GpuOverhead& o) {
                                return insert.run(o.window.begin, o.window.end, o.kind);
                            });
        })
        .and_then([&] {
            return writeAll(kSampleTable, trace.samples, [](Statement& insert, const GpuSample& s) {
                return insert.run(s.time, s.device, s.smClock, s.memoryClock, s.power,
                                  s.temperature, integer(s.throttle));
            });
        });
}

Result<void> GpuWriter::writePlaces(const GpuTrace& trace)
{
    return writeAll(kContextTable, trace.contexts,
                    [&](Statement& insert, const GpuContext& c) {
                        return insert.run(0, 0, 0, m_process, c.device, c.context, c.parent,
                                          int{c.isPartition}, c.multiprocessors);
                    })
        .and_then([&] {
            return writeAll(
                kStreamTable, trace.streams, [&](Statement& insert, const GpuStream& s) {
                    return insert.run(s.stream, 0, 0, m_process, s.context, s.priority, 0);
                });
        })
        .and_then([&] {
            return writeAll(kStreamNameTable, trace.streamNames,
                            [&](Statement& insert, const GpuStreamName& n) {
                                return insert.run(trace.strings[n.name], 0, 0, m_process, n.device,
                                                  n.context, n.stream);
                            });
        });
}

Result<void> GpuWriter::writeLaunches(const GpuTrace& trace)
{
    const auto write = [](Statement& insert, const auto& row) {
        return !row.of.isKnown() || row.place.correlation == 0
            || insert.run(row.place.correlation, row.of.iteration, row.of.op);
    };
    return writeAll(kLaunchTable, trace.kernels, write)
        .and_then([&] { return writeAll(kLaunchTable, trace.copies, write); })
        .and_then([&] { return writeAll(kLaunchTable, trace.memsets, write); });
}

Result<void> GpuWriter::writeHealth(const GpuTraceHealth& health)
{
    m_health += health;
    const std::pair<const char*, std::int64_t> numbers[] = {
        {"gpu_records_dropped", m_health.dropped},
        {"gpu_kernels_without_op", m_health.withoutOp},
        {"gpu_kernels_without_time", m_health.withoutTime},
        {"gpu_records_unknown", m_health.unknown},
        {"gpu_buffers_declined", m_health.declinedBuffers},
    };
    auto remove = m_database->prepare("DELETE FROM BS_metric WHERE name = ?");
    auto insert = m_database->prepare("INSERT INTO BS_metric VALUES (?, ?, '')");
    if (!remove || !insert)
        return tl::unexpected(m_database->error());
    for (const auto& [name, value] : numbers)
        if (!remove->run(name) || !insert->run(name, value))
            return tl::unexpected(m_database->error());
    return {};
}

// A trace names its strings from 0 on, and a later one of the same capture goes on with them.
Result<void> GpuWriter::learnStrings(const GpuTrace& trace)
{
    m_names.clear();
    m_names.reserve(trace.strings.size());
    for (const std::string& text : trace.strings) {
        const std::string plain = demangled(text);
        const auto mangledId = stringId(text);
        const auto plainId = stringId(plain);
        const auto briefId = stringId(shortName(plain));
        if (!mangledId || !plainId || !briefId)
            return tl::unexpected(m_database->error());
        m_names.push_back({*mangledId, *plainId, *briefId});
    }
    return {};
}

Result<std::int64_t> GpuWriter::stringId(const std::string& text)
{
    if (const auto known = m_strings.find(text); known != m_strings.end())
        return known->second;
    if (m_nextString < 0) {
        const auto last = m_database->integer("SELECT coalesce(max(id), -1) FROM StringIds");
        if (!last)
            return last;
        m_nextString = *last + 1;
    }
    auto insert = m_database->prepare("INSERT INTO StringIds VALUES (?, ?)");
    if (!insert || !insert->run(m_nextString, text))
        return tl::unexpected(m_database->error());
    m_strings.emplace(text, m_nextString);
    return m_nextString++;
}

} // namespace profiler
