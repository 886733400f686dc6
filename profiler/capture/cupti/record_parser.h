#pragma once

#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/cupti/cupti_api.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace profiler {

// Spells "this op of this iteration" as the number that CUPTI carries along.
std::uint64_t externalId(engine::OpOfIteration op);
engine::OpOfIteration opOfExternalId(std::uint64_t id);

// Turns CUPTI's records into rows of a trace. Records are packed and grow from version to version
// at their end, so that only what every supported version has is read, and read by copying. One
// thread at a time.
class RecordParser
{
public:
    explicit RecordParser(const CuptiApi& api)
        : m_api(api)
    { }

    // The records of one buffer.
    void parse(std::uint8_t* buffer, std::size_t valid);
    // All rows so far whose op is known or cannot become known any more, linked. What a kernel's
    // launch said may stand in a later buffer than the kernel: such rows stay for one more call.
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

    std::uint32_t text(std::string_view value); // its place in strings
    std::uint32_t callName(bool isDriver, cupti::CallId id);
    engine::OpOfIteration opOf(std::uint32_t correlation) const;
    template<class Rows, class Correlation>
    void link(Rows& rows, Correlation correlation) const;
    template<class Rows>
    void moveLinked(Rows& from, Rows& to, std::size_t& old, bool isLast);

    const CuptiApi& m_api;
    engine::GpuTrace m_trace;  // rows not taken yet
    std::size_t m_old[3] = {}; // of kernels, copies, memsets: stayed at the last take
    std::unordered_map<std::string, std::uint32_t> m_strings;
    std::unordered_map<std::uint64_t, std::uint32_t> m_callNames;
    std::unordered_map<std::uint32_t, std::uint32_t> m_deviceOf; // [context]
    // By correlation id. Kernels may end long after their launch was recorded: the newest half to
    // one million are kept.
    std::unordered_map<std::uint32_t, engine::OpOfIteration> m_ops, m_opsBefore;
};

} // namespace profiler
