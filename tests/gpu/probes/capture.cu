// P3: what CUPTI's activity records cost and hold: at level kernels, with launch calls and external
// correlation, with the launch calls alone, on partitions, and after everything is disabled.
#include "probe.h"

#include <cupti.h>

#include <ctime>
#include <map>
#include <mutex>

namespace {

using namespace probe;

struct Kernel
{
    std::uint64_t begin = 0, end = 0;
    std::uint32_t context = 0, stream = 0, correlation = 0;
};

struct Seen
{
    std::mutex mutex;                                      // held by no caller of CUPTI
    std::map<int, long> records;                           // by kind
    std::map<std::uint32_t, std::uint64_t> external;       // correlation -> our id
    std::map<std::uint32_t, std::pair<int, int>> contexts; // green, SMs
    std::vector<Kernel> kernels;
};

Seen& seen() // never destroyed: CUPTI calls until the process is gone
{
    static auto* all = new Seen;
    return *all;
}

// The record structs are packed: members are copied, not bound to references.
void take(CUpti_Activity* record)
{
    Seen& all = seen();
    ++all.records[record->kind];
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const auto* kernel = reinterpret_cast<CUpti_ActivityKernel10*>(record);
        all.kernels.push_back({kernel->start, kernel->end, kernel->contextId, kernel->streamId,
                               kernel->correlationId});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const auto* external = reinterpret_cast<CUpti_ActivityExternalCorrelation*>(record);
        const std::uint32_t correlation = external->correlationId;
        const std::uint64_t id = external->externalId;
        all.external[correlation] = id;
    } else if (record->kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
        const auto* context = reinterpret_cast<CUpti_ActivityContext3*>(record);
        const std::uint32_t id = context->contextId;
        all.contexts[id]
            = std::pair<int, int>(context->isGreenContext, context->numMultiprocessors);
    }
}

void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records)
{
    *bytes = std::size_t{4} << 20;
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes));
    *records = 0;
}

void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                         std::size_t valid)
{
    const std::lock_guard lock(seen().mutex);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take(record);
    std::free(buffer);
}

void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { }

void flush()
{
    PROBE(cudaDeviceSynchronize());
    PROBE(cuptiActivityFlushAll(0));
}

// Microseconds of a launch inside an own range of external ids, ten launches each.
double correlatedCost(cudaStream_t stream, int count)
{
    constexpr auto kKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    const double begin = seconds();
    for (int i = 0; i < count; ++i) {
        if (i % 10 == 0)
            PROBE(cuptiActivityPushExternalCorrelationId(kKind, 1000 + i / 10));
        nothing<<<1, 32, 0, stream>>>();
        std::uint64_t last = 0;
        if (i % 10 == 9)
            PROBE(cuptiActivityPopExternalCorrelationId(kKind, &last));
    }
    PROBE(cudaStreamSynchronize(stream));
    return (seconds() - begin) / count * 1e6;
}

std::size_t linked(std::size_t first)
{
    const Seen& all = seen();
    return static_cast<std::size_t>(
        std::count_if(all.kernels.begin() + static_cast<std::ptrdiff_t>(first), all.kernels.end(),
                      [&](const Kernel& k) { return all.external.count(k.correlation) > 0; }));
}

bool subscribe()
{
    CUpti_SubscriberHandle subscriber = nullptr;
    char other[64] = {};
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "bubblescope probe";
    parameters.oldSubscriberName = other;
    parameters.oldSubscriberSize = sizeof other;
    const CUptiResult status = cuptiSubscribe_v2(&subscriber, ignore, nullptr, &parameters);
    std::printf("subscribe %d, tool in the way '%s'\n", status, other);
    return status == CUPTI_SUCCESS;
}

// Whether launches alone (not the whole runtime interface) still give external correlations.
void enableLaunches(std::uint8_t on)
{
    for (const CUpti_CallbackId id : {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060})
        PROBE(cuptiActivityEnableRuntimeApi(id, on));
#if CUPTI_API_VERSION >= 130000 // what nvcc starts kernels by from CUDA 13 on
    PROBE(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000, on));
#endif
    PROBE(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, on));
}

void launchOnPartitions(const Driver& driver)
{
    const std::size_t before = seen().kernels.size();
    std::vector<Partition> partitions = makePartitions(driver, 8, 16);
    for (int i = 0; i < 50; ++i)
        for (const Partition& partition : partitions)
            nothing<<<16, 32, 0, partition.stream>>>();
    flush();
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> by;
    for (std::size_t i = before; i < seen().kernels.size(); ++i)
        ++by[{seen().kernels[i].context, seen().kernels[i].stream}];
    for (const auto& [where, count] : by)
        std::printf("  context %u, stream %u: %d kernels\n", where.first, where.second, count);
    for (const auto& [id, what] : seen().contexts)
        std::printf("  context %u: green %d, %d SMs\n", id, what.first, what.second);
    destroy(driver, partitions);
}

void printClock()
{
    std::uint64_t ours = 0;
    timespec now{};
    PROBE(cuptiGetTimestamp(&ours));
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto monotonic = static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    std::printf("CUPTI's clock - CLOCK_MONOTONIC: %lld ns\n",
                static_cast<long long>(ours) - monotonic);
}

std::uint64_t CUPTIAPI monotonicClock()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U
        + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

int main()
{
    if (!hasDevice({"P3 capture"}))
        return kSkipped;
    constexpr int kLaunches = 20000, kNodes = 500, kRepeats = 40;
    cudaStream_t stream = makeStream();
    const double off = launchCost(stream, kLaunches), offNode = graphCost(stream, kNodes, kRepeats);
    if (!subscribe()) {
        row("P3 capture", "FAIL", "CUPTI refuses a subscriber: another tool, or no permission");
        return 1;
    }
    PROBE(cuptiActivityRegisterTimestampCallback(monotonicClock)); // before any kind
    PROBE(cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer));
    PROBE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    const double kernels = launchCost(stream, kLaunches),
                 kernelsNode = graphCost(stream, kNodes, kRepeats);
    PROBE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
    PROBE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    PROBE(cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_CONTEXT));
    flush();

    enableLaunches(1);
    const std::size_t launchesFirst = seen().kernels.size();
    const double launches = correlatedCost(stream, kLaunches);
    flush();
    const std::size_t launchesLinked = linked(launchesFirst);
    enableLaunches(0);
    PROBE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
    PROBE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER));
    const std::size_t allFirst = seen().kernels.size();
    const double all = correlatedCost(stream, kLaunches);
    flush();
    const std::size_t allLinked = linked(allFirst);
    if (const Driver driver = probe::driver())
        launchOnPartitions(driver);

    printClock();
    std::size_t dropped = 0;
    PROBE(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
    const auto zero = std::count_if(seen().kernels.begin(), seen().kernels.end(),
                                    [](const Kernel& k) { return k.begin == 0; });
    for (const auto& [kind, count] : seen().records)
        std::printf("  kind %2d: %ld records\n", kind, count);
    PROBE(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
          CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER})
        PROBE(cuptiActivityDisable(kind));
    const double after = launchCost(stream, kLaunches);
    std::printf("us a launch: off %.2f, kernels %.2f, launches + ids %.2f, all calls + ids %.2f, "
                "disabled %.2f; us a node: off %.3f, kernels %.3f\n",
                off, kernels, launches, all, after, offNode, kernelsNode);
    std::printf("linked to an id: launches alone %zu, all calls %zu, of %d each\n", launchesLinked,
                allLinked, kLaunches);
    char text[256];
    std::snprintf(text, sizeof text,
                  "launch %.2f us, kernels %.2f, with ids %.2f; linked %.1f %% (all calls: %.1f "
                  "%%); dropped %zu, without a time %ld",
                  off, kernels, launches, 100.0 * static_cast<double>(launchesLinked) / kLaunches,
                  100.0 * static_cast<double>(allLinked) / kLaunches, dropped,
                  static_cast<long>(zero));
    const bool whole = allLinked == kLaunches && dropped == 0 && zero == 0;
    row("P3 capture", whole ? "PASS" : "FAIL", text);
    return 0;
}
