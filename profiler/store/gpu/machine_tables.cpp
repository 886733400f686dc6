#include "profiler/store/gpu/machine_tables.h"

#include "profiler/store/gpu/nsight_tables.h"
#include "profiler/store/metrics.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

std::vector<PeerRow> peerRows(const GpuMachine& machine)
{
    std::vector<PeerRow> rows;
    for (std::size_t from = 0; from < machine.peers.size(); ++from)
        for (std::size_t to = 0; to < machine.peers[from].size(); ++to)
            rows.push_back({static_cast<int>(from), static_cast<int>(to), machine.peers[from][to]});
    return rows;
}

bool addPeer(const PeerRow& row, GpuMachine& machine)
{
    constexpr int kMost = 1024; // limit for damaged files
    if (row.source < 0 || row.target < 0 || row.source >= kMost || row.target >= kMost)
        return true;
    const std::size_t from = row.source, to = row.target;
    machine.peers.resize(std::max(machine.peers.size(), from + 1));
    machine.peers[from].resize(std::max(machine.peers[from].size(), to + 1));
    machine.peers[from][to] = row.access;
    return true;
}

} // namespace

Result<void> writeMachine(Database& database, const GpuMachine& machine, std::int64_t process)
{
    std::vector<GpuRow> gpus;
    std::vector<CudaDeviceRow> devices;
    for (const GpuFacts& gpu : machine.gpus) {
        gpus.push_back({gpu});
        devices.push_back({gpu.device, gpu.device, process, gpu.uuid, numberOf(gpu, "smCount")});
    }
    return addRows(database, gpus)
        .and_then([&] { return addRows(database, devices); })
        .and_then([&] { return addRows(database, machine.settings); })
        .and_then([&] { return addRows(database, peerRows(machine)); });
}

Result<void> writeClocks(Database& database, const GpuClocks& clocks)
{
    return writeMetrics(database, [&](auto&& metric) { clockMetrics(clocks, metric); });
}

Result<GpuMachine> readMachine(Database& database)
{
    constexpr std::string_view kInOrder = "ORDER BY rowid";
    GpuMachine machine;
    TRY(forEachRowIfAny<GpuRow>(database, kInOrder, [&](GpuRow& row) {
        machine.gpus.push_back(row.gpu);
        return true;
    }));
    TRY(forEachRowIfAny<SettingRow>(database, kInOrder, [&](const SettingRow& setting) {
        machine.settings.push_back(setting);
        return true;
    }));
    TRY(forEachRowIfAny<PeerRow>(database, kInOrder,
                                 [&](const PeerRow& row) { return addPeer(row, machine); }));
    return machine;
}

Result<std::string> readHost(Database& database)
{
    constexpr std::size_t kMost = 255; // limit for damaged files
    std::string host;
    TRY(forEachRowIfAny<SystemRow>(database, "ORDER BY rowid", [&](const SystemRow& row) {
        const auto& [vm, state, name, number, value] = row.values;
        if (name == "Hostname" && value.size() <= kMost)
            host = value;
        return true;
    }));
    return host;
}

} // namespace profiler
