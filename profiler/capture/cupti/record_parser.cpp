#include "profiler/capture/cupti/cupti_capture.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

Window windowOf(std::uint64_t begin, std::uint64_t end)
{
    return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
}

template<class Record>
GpuPlace placeOf(const Record& record)
{
    return {record.deviceId, record.contextId, record.streamId, record.correlationId};
}

} // namespace

std::uint64_t externalId(OpOfIteration op)
{
    return std::uint64_t{op.iteration} << 32 | op.op;
}

OpOfIteration opOfExternalId(std::uint64_t id)
{
    return {static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32)};
}

void RecordParser::parse(std::uint8_t* buffer, std::size_t valid)
{
    cupti::Record* record = nullptr;
    while (valid > 0 && m_api.nextRecord(buffer, valid, &record) == cupti::Status::Success)
        add(record);
}

template<class Record, class Add>
void RecordParser::with(const cupti::Record* record, Add add)
{
    Record copy;
    std::memcpy(&copy, record, sizeof copy);
    add(copy);
}

void RecordParser::add(const cupti::Record* record)
{
    switch (record->kind) {
    case cupti::Kind::ConcurrentKernel:
    case cupti::Kind::Kernel:
        return with<cupti::KernelRecord>(record, [this](const auto& r) { addKernel(r); });
    case cupti::Kind::Memcpy:
        return with<cupti::CopyRecord>(record, [this](const auto& r) { addCopy(r); });
    case cupti::Kind::PeerMemcpy:
        return with<cupti::PeerCopyRecord>(record, [this](const auto& r) { addPeerCopy(r); });
    case cupti::Kind::Memset:
        return with<cupti::MemsetRecord>(record, [this](const auto& r) { addMemset(r); });
    case cupti::Kind::Runtime:
        return with<cupti::CallRecord>(record, [this](const auto& r) { addCall(r, false); });
    case cupti::Kind::Driver:
        return with<cupti::CallRecord>(record, [this](const auto& r) { addCall(r, true); });
    case cupti::Kind::ExternalCorrelation:
        return with<cupti::ExternalCorrelationRecord>(record,
                                                      [this](const auto& r) { addLaunch(r); });
    case cupti::Kind::Synchronization:
        return with<cupti::SynchronizationRecord>(record, [this](const auto& r) { addWait(r); });
    case cupti::Kind::Memory:
        return with<cupti::MemoryRecord>(record, [this](const auto& r) { addAllocation(r); });
    case cupti::Kind::Overhead:
        return with<cupti::OverheadRecord>(record, [this](const auto& r) {
            m_trace.overheads.push_back(
                {windowOf(r.start, r.end), static_cast<std::uint32_t>(r.overheadKind)});
        });
    case cupti::Kind::Context:
        return with<cupti::ContextRecord>(record, [this](const auto& r) { addContext(r); });
    case cupti::Kind::Stream:
        return with<cupti::StreamRecord>(record, [this](const auto& r) {
            m_trace.streams.push_back({r.streamId, r.contextId, r.priority});
        });
    case cupti::Kind::Device:
        return; // `bscope devices` reports more
    default:
        ++m_trace.health.unknown;
    }
}

void RecordParser::addKernel(const cupti::KernelRecord& record)
{
    GpuKernel kernel{windowOf(record.start, record.end), placeOf(record)};
    kernel.name = text(record.name == nullptr ? "?" : record.name);
    kernel.grid = {record.gridX, record.gridY, record.gridZ};
    kernel.block = {record.blockX, record.blockY, record.blockZ};
    kernel.registers = record.registersPerThread;
    kernel.staticShared = record.staticSharedMemory;
    kernel.dynamicShared = record.dynamicSharedMemory;
    kernel.localPerThread = record.localMemoryPerThread;
    kernel.gridId = record.gridId;
    kernel.graphNode = record.graphNodeId;
    m_trace.health.withoutTime += record.end == 0 ? 1 : 0;
    m_trace.kernels.push_back(kernel);
}

void RecordParser::addCopy(const cupti::CopyRecord& record)
{
    GpuCopy copy{windowOf(record.start, record.end), placeOf(record)};
    copy.bytes = record.bytes;
    copy.kind = record.copyKind;
    copy.sourceMemory = record.srcKind;
    copy.targetMemory = record.dstKind;
    copy.sourceDevice = copy.targetDevice = record.deviceId;
    copy.graphNode = record.graphNodeId;
    m_trace.copies.push_back(copy);
}

void RecordParser::addPeerCopy(const cupti::PeerCopyRecord& record)
{
    GpuCopy copy{windowOf(record.start, record.end), placeOf(record)};
    copy.bytes = record.bytes;
    copy.kind = cupti::kMemcpyPeer;
    copy.sourceMemory = record.srcKind;
    copy.targetMemory = record.dstKind;
    copy.sourceDevice = record.srcDeviceId;
    copy.targetDevice = record.dstDeviceId;
    copy.graphNode = record.graphNodeId;
    m_trace.copies.push_back(copy);
}

void RecordParser::addMemset(const cupti::MemsetRecord& record)
{
    GpuMemset set{windowOf(record.start, record.end), placeOf(record)};
    set.bytes = record.bytes;
    set.value = record.value;
    set.memory = record.memoryKind;
    set.graphNode = record.graphNodeId;
    m_trace.memsets.push_back(set);
}

void RecordParser::addCall(const cupti::CallRecord& record, bool isDriver)
{
    GpuCall call{windowOf(record.start, record.end)};
    call.name = callName(isDriver, record.cbid);
    call.thread = record.threadId;
    call.correlation = record.correlationId;
    call.result = record.returnValue;
    call.isDriver = isDriver;
    m_trace.calls.push_back(call);
}

// Remembers which op a correlation id belongs to. CUPTI reports the op as an external id.
void RecordParser::addLaunch(const cupti::ExternalCorrelationRecord& record)
{
    if (record.externalKind != cupti::ExternalKind::Custom0)
        return; // set by another library
    m_ops.set(record.correlationId, opOfExternalId(record.externalId));
}

void RecordParser::addWait(const cupti::SynchronizationRecord& record)
{
    GpuWait wait{windowOf(record.start, record.end)};
    const auto device = m_deviceOf.find(record.contextId); // the record does not name its device
    wait.place = {device == m_deviceOf.end() ? 0 : device->second, record.contextId,
                  record.streamId, record.correlationId};
    wait.type = record.type;
    wait.event = record.cudaEventId;
    wait.eventSync = record.cudaEventSyncId;
    m_trace.waits.push_back(wait);
}

void RecordParser::addAllocation(const cupti::MemoryRecord& record)
{
    GpuAllocation event;
    event.time = record.timestamp;
    event.place = placeOf(record);
    event.address = record.address;
    event.bytes = record.bytes;
    event.memory = record.memoryKind;
    event.isFree = record.memoryOperationType == cupti::kMemoryRelease;
    m_trace.allocations.push_back(event);
}

void RecordParser::addContext(const cupti::ContextRecord& record)
{
    GpuContext context;
    context.context = record.contextId;
    context.device = record.deviceId;
    context.isPartition = record.isGreenContext != 0;
    context.parent = context.isPartition ? record.parentContextId : 0;
    context.multiprocessors = record.numMultiprocessors;
    m_deviceOf[context.context] = context.device;
    m_trace.contexts.push_back(context);
}

std::uint32_t RecordParser::text(std::string_view value)
{
    const std::uint32_t next = m_trace.strings.size();
    const auto [known, isNew] = m_strings.try_emplace(std::string(value), next);
    if (isNew)
        m_trace.strings.emplace_back(value);
    return known->second;
}

std::uint32_t RecordParser::callName(bool isDriver, cupti::CallId id)
{
    const auto [known, isNew] = m_callNames.try_emplace(std::uint64_t{isDriver} << 32 | id, 0);
    if (isNew) {
        const char* name = nullptr;
        const auto domain = isDriver ? cupti::CallDomain::Driver : cupti::CallDomain::Runtime;
        const bool found
            = m_api.callbackName(domain, id, &name) == cupti::Status::Success && name != nullptr;
        known->second = text(found ? std::string(name) : "call " + std::to_string(id));
    }
    return known->second;
}

OpOfIteration RecordParser::opOf(std::uint32_t correlation) const
{
    for (const auto* ops : m_ops.halves())
        if (const auto found = ops->find(correlation); found != ops->end())
            return found->second;
    return {};
}

template<class Rows, class Correlation>
void RecordParser::link(Rows& rows, Correlation correlation) const
{
    for (auto& row : rows)
        row.of = opOf(correlation(row));
}

// Moves rows from `from` to `to` if their op is known, or if the last take() already held them back
// (the first `old` rows), or if this is the last take(). The other rows are held back. Drops rows
// of other data-parallel copies of the pipeline.
template<class Rows>
void RecordParser::moveLinked(Rows& from, Rows& to, std::size_t& old, bool isLast)
{
    Rows later;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!from[i].of.isOtherCopys())
            (isLast || i < old || from[i].of.isKnown() ? to : later).push_back(std::move(from[i]));
    from = std::move(later);
    old = from.size();
}

GpuTrace RecordParser::take(bool isLast)
{
    const auto ofPlace = [](const auto& row) { return row.place.correlation; };
    link(m_trace.kernels, ofPlace);
    link(m_trace.copies, ofPlace);
    link(m_trace.memsets, ofPlace);
    link(m_trace.calls, [](const GpuCall& call) { return call.correlation; });
    GpuTrace taken;
    moveLinked(m_trace.kernels, taken.kernels, m_old[0], isLast);
    moveLinked(m_trace.copies, taken.copies, m_old[1], isLast);
    moveLinked(m_trace.memsets, taken.memsets, m_old[2], isLast);
    std::erase_if(m_trace.calls, [](const GpuCall& call) { return call.of.isOtherCopys(); });
    // Calls are not held back, because most of them belong to no op.
    taken.calls = std::exchange(m_trace.calls, {});
    taken.waits = std::exchange(m_trace.waits, {});
    taken.allocations = std::exchange(m_trace.allocations, {});
    taken.overheads = std::exchange(m_trace.overheads, {});
    taken.contexts = std::exchange(m_trace.contexts, {});
    taken.streams = std::exchange(m_trace.streams, {});
    taken.health = std::exchange(m_trace.health, {});
    taken.health.withoutOp = std::ranges::count_if(
        taken.kernels, [](const GpuKernel& kernel) { return !kernel.of.isKnown(); });
    taken.strings = m_trace.strings;
    return taken;
}

} // namespace profiler
