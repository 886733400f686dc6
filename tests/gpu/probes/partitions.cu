// P1: green contexts. Which groups of SMs the driver gives, whether kernels on eight of them really
// run at the same time, and what making them costs.
#include "probe.h"

namespace {

using namespace probe;

void printSplits(const Driver& driver)
{
    const CUdevResource all = allMultiprocessors(driver);
    std::printf("%u SMs, smallest partition %u, co-scheduled by %u\n", all.sm.smCount,
                all.sm.minSmPartitionSize, all.sm.smCoscheduledAlignment);
    for (const unsigned flags : {0U, 1U, 2U})
        for (const unsigned least : {1U, 8U, 12U, 16U, 24U, 32U, 64U}) {
            std::vector<CUdevResource> groups(64);
            CUdevResource rest{};
            auto made = static_cast<unsigned>(groups.size());
            const CUresult status = driver.split(groups.data(), &made, &all, &rest, flags, least);
            if (status != CUDA_SUCCESS)
                std::printf("  flags %u, at least %2u SMs: error %d\n", flags, least, status);
            else
                std::printf("  flags %u, at least %2u SMs: %2u groups of %3u, %u left over\n",
                            flags, least, made, made > 0 ? groups[0].sm.smCount : 0,
                            rest.type == CU_DEV_RESOURCE_TYPE_SM ? rest.sm.smCount : 0);
        }
}

// Milliseconds until a spin on each of the first `count` partitions is over.
double spinTogether(const std::vector<Partition>& partitions, std::size_t count)
{
    constexpr long long kCycles = 20'000'000; // about 10 ms
    PROBE(cudaDeviceSynchronize());
    const double begin = seconds();
    for (std::size_t i = 0; i < count; ++i)
        spin<<<static_cast<unsigned>(partitions[i].multiprocessors), 32, 0, partitions[i].stream>>>(
            kCycles);
    PROBE(cudaDeviceSynchronize());
    return (seconds() - begin) * 1e3;
}

} // namespace

int main()
{
    if (!hasDevice({"P1 partitions"}))
        return kSkipped;
    const Driver driver = probe::driver();
    if (!driver) {
        row("P1 partitions", "SKIPPED",
            "the driver makes no green contexts (CUDA 12.5 or newer does)");
        return kSkipped;
    }
    printSplits(driver);
    const double begin = seconds();
    std::vector<Partition> partitions = makePartitions(driver, 8, 16);
    const double made = (seconds() - begin) * 1e3;
    spinTogether(partitions, 1); // loads the kernel
    const double alone = spinTogether(partitions, 1);
    const double together = spinTogether(partitions, partitions.size());
    std::printf("making 8 x 16 SMs: %.2f ms; a spin alone %.2f ms, on all %zu %.2f ms\n", made,
                alone, partitions.size(), together);
    const bool enough = partitions.size() == 8 && together < 1.5 * alone;
    char text[256];
    std::snprintf(text, sizeof text,
                  "%zu groups of %d SMs in %.1f ms; spins on all take %.2f times one",
                  partitions.size(), partitions.empty() ? 0 : partitions[0].multiprocessors, made,
                  together / alone);
    row("P1 partitions", enough ? "PASS" : "FAIL", text);
    destroy(driver, partitions);
    return 0;
}
