#include "engine/base/try.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/gpu/nsight_tables.h"
#include "profiler/store/metrics.h"
#include "profiler/store/row_writer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>

namespace profiler {

using namespace engine;

namespace {

// Adds the rows of an ENUM_ table. `names` has an entry "NAME=Label," for each value, beginning
// with 0.
template<const PlainText& Text>
Result<void> addNumbers(Database& database, const std::string& prefix, std::string_view names)
{
    std::vector<NumberRow<Text>> rows;
    while (!names.empty()) {
        const std::size_t equals = names.find('='), end = names.find(',');
        rows.emplace_back(static_cast<int>(rows.size()), prefix + std::string(names, 0, equals),
                          std::string(names, equals + 1, end - equals - 1));
        names.remove_prefix(end + 1);
    }
    return addRows(database, rows);
}

// Writes the ENUM_ tables, which name the numbers in the tables of GPU activity.
Result<void> addKinds(Database& database, const GpuTrace& trace)
{
    Result<void> done;
    const auto add = [&](bool isNeeded, auto numbers, const char* prefix, std::string_view names) {
        if (done && isNeeded)
            done = numbers(database, prefix, names);
    };
    add(!trace.copies.empty(), addNumbers<kCopyKinds>, "CUDA_MEMCPY_KIND_",
        "UNKNOWN=Unknown,HTOD=Host-to-Device,DTOH=Device-to-Host,HTOA=Host-to-Array,"
        "ATOH=Array-to-Host,ATOA=Array-to-Array,ATOD=Array-to-Device,DTOA=Device-to-Array,"
        "DTOD=Device-to-Device,HTOH=Host-to-Host,PTOP=Peer-to-Peer,"
        "UVM_HTOD=Unified Host-to-Device,UVM_DTOH=Unified Device-to-Host,"
        "UVM_DTOD=Unified Device-to-Device,");
    add(!trace.copies.empty() || !trace.memsets.empty() || !trace.allocations.empty(),
        addNumbers<kMemKinds>, "CUDA_MEMOPR_MEMORY_KIND_",
        "PAGEABLE=Pageable,PINNED=Pinned,DEVICE=Device,ARRAY=Array,MANAGED=Managed,"
        "DEVICE_STATIC=Device Static,MANAGED_STATIC=Managed Static,UNKNOWN=Unknown,");
    add(!trace.calls.empty(), addNumbers<kCallKinds>, "CUDA_",
        "RUNTIME=CUDA runtime,DRIVER=CUDA driver,");
    add(!trace.waits.empty(), addNumbers<kWaitKinds>, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_",
        "UNKNOWN=Unknown,EVENT_SYNCHRONIZE=Event sync,STREAM_WAIT_EVENT=Stream wait sync,"
        "STREAM_SYNCHRONIZE=Stream sync,CONTEXT_SYNCHRONIZE=Context sync,");
    add(!trace.allocations.empty(), addNumbers<kAllocationKinds>, "CUDA_DEV_MEM_EVENT_OPR_",
        "ALLOCATION=Allocation,DEALLOCATION=Deallocation,");
    return done;
}

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

Result<void> GpuWriter::write(const GpuTrace& trace, const ThreadOf& threadOf)
{
    if (trace.isEmpty() && trace.health.isComplete())
        return {};
    return learnStrings(trace)
        .and_then([&] { return addKinds(*m_database, trace); })
        .and_then([&] { return writeAll(trace, threadOf); })
        .and_then([&] { return writeHealth(trace.health); });
}

Result<void> GpuWriter::writeAll(const GpuTrace& trace, const ThreadOf& threadOf)
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
    const auto ofPid = [&]<class Each>(const Each& each) {
        return OfProcess<Each>{each, m_process};
    };
    // A call that belongs to an op is stored with the thread of the op's NVTX range, so that the
    // documented joins find both together.
    const auto threadOfCall = [&](const GpuCall& call) {
        constexpr std::uint32_t kThreadBits = 0xFFFFFF;
        return threadOf(call.of).value_or(process + (call.thread & kThreadBits));
    };
    write(trace.kernels, [&](const GpuKernel& kernel) {
        const Name& name = m_names[kernel.name];
        return GpuKernelRow{kernel, process, name.demangled, name.brief, name.mangled};
    });
    write(trace.copies, ofProcess);
    write(trace.memsets, ofProcess);
    write(trace.calls, [&](const GpuCall& call) {
        return CallRow{call, threadOfCall(call), m_names[call.name].mangled};
    });
    write(trace.waits, ofProcess);
    write(trace.allocations, ofProcess);
    write(trace.overheads, std::identity());
    write(trace.samples, std::identity());
    write(trace.contexts, ofPid);
    write(trace.streams, ofPid);
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

// Stores the strings of the trace and sets m_names[i] to the ids of string i. Strings that were
// stored for an earlier trace keep their ids.
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
        auto last = m_database->integer("SELECT coalesce(max(id), -1) FROM StringIds");
        if (!last)
            return last;
        m_nextString = *last + 1;
    }
    TRY(writeRows<StringRow>(*m_database, {{m_nextString, text}}));
    m_strings.emplace(text, m_nextString);
    return m_nextString++;
}

} // namespace profiler
