#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

// What the probes of tests/gpu share. A probe is one program without a library of this project: it
// asks the machine one question, prints what it saw, and last one line per check for run_all.sh:
//   ROW <tab> check <tab> PASS|FAIL|INFO|SKIPPED <tab> one sentence
// It exits with 0 when it could ask, with 77 when there is no device, with 1 when a call failed.
namespace probe {

constexpr int kSkipped = 77;

// The check a failed call belongs to.
inline const char* currentCheck = "?";

inline void row(const char* check, const char* verdict, const char* text)
{
    std::printf("ROW\t%s\t%s\t%s\n", check, verdict, text);
    std::fflush(stdout);
}

// Ends the program with a FAIL row when `status` is not 0: success of every interface of CUDA.
template<class Status>
void require(Status status, const char* call, const char* file, int line)
{
    if (static_cast<int>(status) == 0)
        return;
    char text[512];
    std::snprintf(text, sizeof text, "%s:%d: %s gave %d", file, line, call,
                  static_cast<int>(status));
    row(currentCheck, "FAIL", text);
    std::exit(1);
}
#define PROBE(call) probe::require((call), #call, __FILE__, __LINE__)

// Green contexts are of the driver's interface (CUDA 12.4); asked for at run time, so that a probe
// starts without a driver.
struct Driver
{
    decltype(&cuDeviceGetDevResource) deviceResource = nullptr;
    decltype(&cuDevSmResourceSplitByCount) split = nullptr;
    decltype(&cuDevResourceGenerateDesc) describe = nullptr;
    decltype(&cuGreenCtxCreate) create = nullptr;
    decltype(&cuGreenCtxDestroy) destroy = nullptr;
    decltype(&cuGreenCtxStreamCreate) createStream = nullptr;

    explicit operator bool() const
    {
        return deviceResource != nullptr && split != nullptr && describe != nullptr
            && create != nullptr && destroy != nullptr && createStream != nullptr;
    }
};

template<class Function>
void load(Function& function, const char* name)
{
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t status
        = cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    if (status == cudaSuccess && result == cudaDriverEntryPointSuccess)
        function = reinterpret_cast<Function>(found);
}

inline Driver driver()
{
    Driver all;
    load(all.deviceResource, "cuDeviceGetDevResource");
    load(all.split, "cuDevSmResourceSplitByCount");
    load(all.describe, "cuDevResourceGenerateDesc");
    load(all.create, "cuGreenCtxCreate");
    load(all.destroy, "cuGreenCtxDestroy");
    load(all.createStream, "cuGreenCtxStreamCreate");
    return all;
}

// Some of the SMs of device 0, and a stream on them.
struct Partition
{
    CUgreenCtx context = nullptr;
    cudaStream_t stream = nullptr;
    int multiprocessors = 0;
};

inline CUdevResource allMultiprocessors(const Driver& driver)
{
    CUdevResource all{};
    PROBE(driver.deviceResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    return all;
}

// As many groups of at least `least` SMs as the driver gives, `count` at most.
inline std::vector<Partition> makePartitions(const Driver& driver, unsigned count, unsigned least)
{
    const CUdevResource all = allMultiprocessors(driver);
    std::vector<CUdevResource> groups(count);
    CUdevResource rest{};
    unsigned made = count;
    PROBE(driver.split(groups.data(), &made, &all, &rest, 0, least));
    std::vector<Partition> partitions(made);
    for (unsigned i = 0; i < made; ++i) {
        CUdevResourceDesc description{};
        CUstream stream = nullptr;
        PROBE(driver.describe(&description, &groups[i], 1));
        PROBE(driver.create(&partitions[i].context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
        PROBE(driver.createStream(&stream, partitions[i].context, CU_STREAM_NON_BLOCKING, 0));
        partitions[i].stream = stream;
        partitions[i].multiprocessors = static_cast<int>(groups[i].sm.smCount);
    }
    return partitions;
}

inline void destroy(const Driver& driver, std::vector<Partition>& partitions)
{
    for (Partition& each : partitions) { // a stream before its context
        PROBE(cudaStreamSynchronize(each.stream));
        PROBE(cudaStreamDestroy(each.stream));
        PROBE(driver.destroy(each.context));
    }
    partitions.clear();
}

inline cudaStream_t makeStream()
{
    cudaStream_t stream = nullptr;
    PROBE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

inline double seconds()
{
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// A pair of events around work on one stream.
class Stopwatch
{
public:
    Stopwatch()
    {
        PROBE(cudaEventCreate(&m_begin));
        PROBE(cudaEventCreate(&m_end));
    }
    ~Stopwatch()
    {
        cudaEventDestroy(m_begin);
        cudaEventDestroy(m_end);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    template<class Work>
    double milliseconds(cudaStream_t stream, const Work& work)
    {
        PROBE(cudaEventRecord(m_begin, stream));
        work();
        PROBE(cudaEventRecord(m_end, stream));
        PROBE(cudaEventSynchronize(m_end));
        float elapsed = 0;
        PROBE(cudaEventElapsedTime(&elapsed, m_begin, m_end));
        return static_cast<double>(elapsed);
    }

private:
    cudaEvent_t m_begin = nullptr, m_end = nullptr;
};

// Holds its SM for `cycles`.
__global__ void spin(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) { }
}

__global__ void nothing() { }

// Host microseconds per launch of a kernel that does nothing, `count` of them queued.
inline double launchCost(cudaStream_t stream, int count)
{
    const auto queue = [&](int times) {
        for (int i = 0; i < times; ++i)
            nothing<<<1, 32, 0, stream>>>();
        PROBE(cudaStreamSynchronize(stream));
    };
    queue(200);
    const double begin = seconds();
    queue(count);
    return (seconds() - begin) / count * 1e6;
}

// Device microseconds per node of a graph of `nodes` kernels that do nothing.
inline double graphCost(cudaStream_t stream, int nodes, int repeats)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    PROBE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; ++i)
        nothing<<<1, 32, 0, stream>>>();
    PROBE(cudaStreamEndCapture(stream, &graph));
    PROBE(cudaGraphInstantiate(&executable, graph, 0));
    const auto launch = [&](int times) {
        for (int i = 0; i < times; ++i)
            PROBE(cudaGraphLaunch(executable, stream));
        PROBE(cudaStreamSynchronize(stream));
    };
    launch(3);
    const double begin = seconds();
    launch(repeats);
    const double cost = (seconds() - begin) / repeats / nodes * 1e6;
    PROBE(cudaGraphExecDestroy(executable));
    PROBE(cudaGraphDestroy(graph));
    return cost;
}

// False, with a row that says why for each of the checks, where there is no device to ask.
inline bool hasDevice(std::initializer_list<const char*> checks)
{
    currentCheck = *checks.begin();
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) {
        cudaDeviceProp properties{};
        PROBE(cudaGetDeviceProperties(&properties, 0));
        PROBE(cudaSetDevice(0));
        PROBE(cudaFree(nullptr)); // makes the primary context
        std::printf("%s, %d SMs, L2 %d MiB\n", properties.name, properties.multiProcessorCount,
                    properties.l2CacheSize >> 20);
        return true;
    }
    char text[256];
    std::snprintf(text, sizeof text, "no CUDA device: %s",
                  status == cudaSuccess ? "the driver finds none" : cudaGetErrorString(status));
    for (const char* check : checks)
        row(check, "SKIPPED", text);
    return false;
}

} // namespace probe
