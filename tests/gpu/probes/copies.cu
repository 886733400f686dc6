// P1: copies within the device (latency and bandwidth), what events between streams cost, and
// whether copies on a partition wait for its multiprocessors.
#include "probe.h"

namespace {

using namespace probe;

constexpr std::size_t kLargest = std::size_t{256} << 20;

struct Line // time = alpha + bytes / beta
{
    double alpha = 0, beta = 0; // us, bytes per us
};

// Least squares of relative errors, so that small copies count as much as large ones.
Line fit(const std::vector<double>& bytes, const std::vector<double>& microseconds)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const double w = 1 / (microseconds[i] * microseconds[i]);
        s += w;
        sx += w * bytes[i];
        sxx += w * bytes[i] * bytes[i];
        sy += w * microseconds[i];
        sxy += w * bytes[i] * microseconds[i];
    }
    const double slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    return {(sy - slope * sx) / s, 1 / slope};
}

Line measureCopies(cudaStream_t stream)
{
    void *from = nullptr, *to = nullptr;
    PROBE(cudaMalloc(&from, kLargest));
    PROBE(cudaMalloc(&to, kLargest));
    PROBE(cudaMemsetAsync(from, 1, kLargest, stream));
    Stopwatch watch;
    std::vector<double> sizes, times;
    for (std::size_t bytes = 1024; bytes <= kLargest; bytes *= 4) {
        std::vector<double> samples;
        for (int i = 0; i < 30; ++i)
            samples.push_back(1e3 * watch.milliseconds(stream, [&] {
                PROBE(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
            }));
        sizes.push_back(static_cast<double>(bytes));
        times.push_back(median(samples));
        std::printf("  copy of %10zu bytes: %9.2f us, %7.1f GB/s one way\n", bytes, times.back(),
                    sizes.back() / times.back() / 1e3);
    }
    PROBE(cudaFree(from));
    PROBE(cudaFree(to));
    return fit(sizes, times);
}

// Host microseconds of one record and one wait.
double fenceCost(cudaStream_t a, cudaStream_t b, cudaEvent_t event)
{
    constexpr int kCount = 20000;
    const double begin = seconds();
    for (int i = 0; i < kCount; ++i) {
        PROBE(cudaEventRecord(event, a));
        PROBE(cudaStreamWaitEvent(b, event, 0));
    }
    PROBE(cudaDeviceSynchronize());
    return (seconds() - begin) / kCount * 1e6;
}

// Microseconds from a kernel on one stream to the next, which waits for it, on the other.
double hopCost(cudaStream_t a, cudaStream_t b, cudaEvent_t event)
{
    constexpr int kRounds = 10000;
    const auto hop = [&](cudaStream_t from, cudaStream_t to) {
        nothing<<<1, 32, 0, from>>>();
        PROBE(cudaEventRecord(event, from));
        PROBE(cudaStreamWaitEvent(to, event, 0));
    };
    const double begin = seconds();
    for (int i = 0; i < kRounds; ++i) {
        hop(a, b);
        hop(b, a);
    }
    PROBE(cudaDeviceSynchronize());
    return (seconds() - begin) / (2 * kRounds) * 1e6;
}

// Milliseconds of a copy on a partition of 16 multiprocessors, alone and while a kernel takes all
// of their threads for some 20 ms: much longer where copies run on multiprocessors and wait for
// them.
struct Beside
{
    double alone = 0, beside = 0;
};
Beside copyOnPartition(const Driver& driver)
{
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    constexpr long long kCycles = 40'000'000;
    std::vector<Partition> partitions = makePartitions(driver, 1, 16);
    CUstream other = nullptr;
    PROBE(driver.createStream(&other, partitions.at(0).context, CU_STREAM_NON_BLOCKING, 0));
    void *from = nullptr, *to = nullptr;
    PROBE(cudaMalloc(&from, kBytes));
    PROBE(cudaMalloc(&to, kBytes));
    Stopwatch watch;
    const auto copy = [&] {
        return watch.milliseconds(partitions[0].stream, [&] {
            PROBE(
                cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, partitions[0].stream));
        });
    };
    copy();
    Beside times{copy(), 0};
    spin<<<static_cast<unsigned>(2 * partitions[0].multiprocessors), 1024, 0, other>>>(kCycles);
    PROBE(cudaGetLastError());
    times.beside = copy();
    PROBE(cudaDeviceSynchronize());
    PROBE(cudaStreamDestroy(other));
    destroy(driver, partitions);
    PROBE(cudaFree(from));
    PROBE(cudaFree(to));
    return times;
}

} // namespace

int main()
{
    if (!hasDevice({"P1 copies"}))
        return kSkipped;
    cudaStream_t a = makeStream(), b = makeStream();
    cudaEvent_t event = nullptr;
    PROBE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    const Line line = measureCopies(a);
    const double fence = fenceCost(a, b, event), hop = hopCost(a, b, event);
    char text[256];
    std::snprintf(text, sizeof text,
                  "alpha %.2f us, beta %.0f GB/s one way; record + wait %.2f us, hop %.2f us",
                  line.alpha, line.beta / 1e3, fence, hop);
    row("P1 copies", "INFO", text);
    currentCheck = "P1 copies on a partition";
    if (const Driver driver = probe::driver()) {
        const Beside times = copyOnPartition(driver);
        std::snprintf(text, sizeof text,
                      "64 MiB take %.3f ms, and %.3f ms while all threads of its 16 SMs are busy",
                      times.alone, times.beside);
        row(currentCheck, "INFO", text);
    }
    return 0;
}
