#include "profiler/store/gpu/gpu_writer.h"

#include "engine/timeline/kernel_name.h"
#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/gpu/nsight_tables.h"
#include "profiler/store/metrics.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>

namespace profiler {

using namespace engine;

namespace {

// The tables that spell the numbers in the tables of GPUs.
Result<void> addKinds(Database& database, const GpuTrace& trace)
{
    Result<void> done;
    const auto add = [&]<class Row>(bool isNeeded, std::vector<Row> rows) {
        if (done && isNeeded)
            done = addRows(database, rows);
    };
    using Copy = NumberRow<kCopyKinds>;
    add(!trace.copies.empty(),
        std::vector<Copy>{{0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
                          {1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
                          {2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
                          {3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"},
                          {4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"},
                          {5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"},
                          {6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"},
                          {7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"},
                          {8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
                          {9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
                          {10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"},
                          {11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"},
                          {12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"},
                          {13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"}});
    using Memory = NumberRow<kMemoryKinds>;
    add(!trace.copies.empty() || !trace.memsets.empty() || !trace.allocations.empty(),
        std::vector<Memory>{{0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
                            {1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
                            {2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
                            {3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"},
                            {4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"},
                            {5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"},
                            {6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC", "Managed Static"},
                            {7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"}});
    add(!trace.calls.empty(),
        std::vector<NumberRow<kCallKinds>>{{0, "CUDA_RUNTIME", "CUDA runtime"},
                                           {1, "CUDA_DRIVER", "CUDA driver"}});
    const std::string wait = "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_";
    add(!trace.waits.empty(),
        std::vector<NumberRow<kWaitKinds>>{{0, wait + "UNKNOWN", "Unknown"},
                                           {1, wait + "EVENT_SYNCHRONIZE", "Event sync"},
                                           {2, wait + "STREAM_WAIT_EVENT", "Stream wait sync"},
                                           {3, wait + "STREAM_SYNCHRONIZE", "Stream sync"},
                                           {4, wait + "CONTEXT_SYNCHRONIZE", "Context sync"}});
    add(!trace.allocations.empty(),
        std::vector<NumberRow<kAllocationKinds>>{
            {0, "CUDA_DEV_MEM_EVENT_OPR_ALLOCATION", "Allocation"},
            {1, "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION", "Deallocation"}});
    return done;
}

// Which work belongs to an op.
std::vector<LaunchRow> launchesOf(const GpuTrace& trace)
{
    std::vector<LaunchRow> launches;
    const auto add = [&](const auto& all) {
        for (const auto& work : all)
            if (work.of.isKnown() && work.place.correlation != 0)
                launches.push_back({work.place.correlation, work.of});
    };
    add(trace.kernels);
    add(trace.copies);
    add(trace.memsets);
    return launches;
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
        .and_then([&] { return addKinds(*m_database, trace); })
        .and_then([&] { return writeAll(trace, index); })
        .and_then([&] { return writeHealth(trace.health); });
}

Result<void> GpuWriter::writeAll(const GpuTrace& trace, const OpIndex& index)
{
    const std::int64_t process = globalPid(m_process);
    Result<void> done;
    const auto write = [&]<class Each>(const std::vector<Each>& all, auto rowOf) {
        std::vector<std::remove_cvref_t<std::invoke_result_t<decltype(rowOf), const Each&>>> rows;
        rows.reserve(all.size());
        std::ranges::transform(all, std::back_inserter(rows), rowOf);
        if (done)
            done = addRows(*m_database, rows);
    };
    const auto ofProcess = [&]<class Each>(const Each& each) {
        return OfProcess<Each>{each, process};
    };
    // The call of an op stands on the thread where its NVTX range is, so that the documented joins
    // find it there.
    const auto threadOf = [&](const GpuCall& call) {
        constexpr std::uint32_t kThreadBits = 0xFFFFFF;
        return call.of.isKnown() && call.of.op < index.count()
            ? globalTid(m_process, index.deviceOf(call.of.op))
            : process + (call.thread & kThreadBits);
    };
    write(trace.kernels, [&](const GpuKernel& kernel) {
        const Name& name = m_names[kernel.name];
        return KernelRow{kernel, process, name.demangled, name.brief, name.mangled};
    });
    write(trace.copies, ofProcess);
    write(trace.memsets, ofProcess);
    write(trace.calls, [&](const GpuCall& call) {
        return CallRow{call, threadOf(call), m_names[call.name].mangled};
    });
    write(trace.waits, ofProcess);
    write(trace.allocations, [&](const GpuAllocation& event) {
        return AllocationRow{event, process};
    });
    write(trace.overheads, std::identity());
    write(trace.samples, std::identity());
    write(trace.contexts, [&](const GpuContext& context) {
        return ContextRow{context, m_process};
    });
    write(trace.streams, [&](const GpuStream& stream) { return StreamRow{stream, m_process}; });
    write(trace.streamNames, [&](const GpuStreamName& stream) {
        return StreamNameRow{stream, trace.strings[stream.name], m_process};
    });
    write(launchesOf(trace), std::identity());
    return done;
}

Result<void> GpuWriter::writeHealth(const GpuTraceHealth& health)
{
    m_health += health;
    auto remove = m_database->prepare("DELETE FROM BS_metric WHERE name = ?");
    auto insert = m_database->prepare("INSERT INTO BS_metric VALUES (?, ?, '')");
    bool ok = remove && insert;
    healthMetrics(m_health, [&](const MetricText& metric, std::int64_t value) {
        ok = ok && remove->run(metric.name) && insert->run(metric.name, value);
    });
    return ok ? Result<void>() : tl::unexpected(m_database->error());
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
    if (auto written = writeRows<StringRow>(*m_database, {{m_nextString, text}}); !written)
        return tl::unexpected(written.error());
    m_strings.emplace(text, m_nextString);
    return m_nextString++;
}

} // namespace profiler
