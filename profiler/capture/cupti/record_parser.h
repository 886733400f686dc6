#pragma once

#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/cupti/cupti_api.h"
#include "profiler/capture/recent.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace profiler {

// Encodes an op of an iteration as an external id of CUPTI.
std::uint64_t externalId(engine::OpOfIteration op);
engine::OpOfIteration opOfExternalId(std::uint64_t id);

// Converts CUPTI's records to rows of a trace. Fields are read by copying, because records are
// packed. Newer versions append fields, so only fields that all supported versions have are read.
// Not thread-safe.
class RecordParser
{
public:
    explicit RecordParser(const CuptiApi& api)
        : m_api(api)
    { }

    void parse(std::uint8_t* buffer, std::size_t valid);
    // Returns the rows read so far. A row without an op is held back and returned by the next
    // call, because CUPTI may deliver the launch of a kernel in a later buffer than the kernel.
    // If `isLast` is true, nothing is held back.
    engine::GpuTrace take(bool isLast);

private:
    void add(const cupti::Record* record);
    template<class Record, class Add>
    void with(const cupti::Record* record, Add add);
    void addKernel(const cupti::KernelRecord& record);
    void addCopy(const cupti::CopyRecord& record);
    void addPeerCopy(const cupti::PeerCopyRecord& record);
    void addMemset(const cupti::MemsetRecord& record);
    void addCall(const cupti::CallRecord& record, bool isDriver);
    void addLaunch(const cupti::ExternalCorrelationRecord& record);
    void addWait(const cupti::SynchronizationRecord& record);
    void addAllocation(const cupti::MemoryRecord& record);
    void addContext(const cupti::ContextRecord& record);

    std::uint32_t text(std::string_view value); // index of the text in the strings of the trace
    std::uint32_t callName(bool isDriver, cupti::CallId id);
    engine::OpOfIteration opOf(std::uint32_t correlation) const;
    template<class Rows, class Correlation>
    void link(Rows& rows, Correlation correlation) const;
    template<class Rows>
    void moveLinked(Rows& from, Rows& to, std::size_t& old, bool isLast);

    const CuptiApi& m_api;
    engine::GpuTrace m_trace; // rows that take() has not returned
    // Number of kernels, copies and memsets that the last take() held back.
    std::size_t m_old[3] = {};
    std::unordered_map<std::string, std::uint32_t> m_strings;
    std::unordered_map<std::uint64_t, std::uint32_t> m_callNames;
    std::unordered_map<std::uint32_t, std::uint32_t> m_deviceOf; // context -> device
    // Maps the correlation id of a launch to its op. A kernel may end long after its launch was
    // recorded.
    Recent<std::unordered_map<std::uint32_t, engine::OpOfIteration>> m_ops;
};

} // namespace profiler
