// P2: plain launches against graphs, on a plain stream and on one of a partition.
#include "probe.h"

int main()
{
    using namespace probe;
    if (!hasDevice({"P2 graphs"}))
        return kSkipped;
    constexpr int kLaunches = 20000, kNodes = 500, kRepeats = 40;
    cudaStream_t plain = makeStream();
    const double launch = launchCost(plain, kLaunches), node = graphCost(plain, kNodes, kRepeats);
    std::printf("plain stream: %.2f us a launch, %.3f us a node\n", launch, node);

    char text[256];
    const Driver driver = probe::driver();
    if (!driver) {
        std::snprintf(text, sizeof text,
                      "%.2f us a launch, %.3f us a node; no green contexts to capture on", launch,
                      node);
        row("P2 graphs", "INFO", text);
        return 0;
    }
    std::vector<Partition> partitions = makePartitions(driver, 4, 32);
    const double greenLaunch = launchCost(partitions.at(0).stream, kLaunches);
    const double greenNode = graphCost(partitions.at(0).stream, kNodes, kRepeats); // fails the row
    std::printf("partition: %.2f us a launch, %.3f us a node\n", greenLaunch, greenNode);
    destroy(driver, partitions);
    std::snprintf(text, sizeof text,
                  "launch %.2f us, graph node %.3f us; on a partition %.2f and %.3f: capture works",
                  launch, node, greenLaunch, greenNode);
    row("P2 graphs", "PASS", text);
    return 0;
}
