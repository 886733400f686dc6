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
    void add(const CUpti_Activity* record);
    template<class Record, class Add>
    void with(const CUpti_Activity* record, Add add);
    void addKernel(const CUpti_ActivityKernel10& record);
    void addCopy(const CUpti_ActivityMemcpy6& record);
    void addPeerCopy(const CUpti_ActivityMemcpyPtoP4& record);
    void addMemset(const CUpti_ActivityMemset4& record);
    void addCall(const CUpti_ActivityAPI& record, bool isDriver);
    void addLaunch(const CUpti_ActivityExternalCorrelation& record);
    void addWait(const CUpti_ActivitySynchronization2& record);
    void addAllocation(const CUpti_ActivityMemory4& record);
    void addContext(const CUpti_ActivityContext3& record);

    std::uint32_t text(std::string_view value); // its place in strings
    std::uint32_t callName(bool isDriver, CUpti_CallbackId id);
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
