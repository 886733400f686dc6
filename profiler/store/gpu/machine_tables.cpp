#include "profiler/store/gpu/machine_tables.h"

#include "profiler/store/gpu/gpu_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace profiler {

using namespace engine;

namespace {

// The numbers of TARGET_INFO_GPU that CUDA reports, in the order of the columns.
constexpr std::array<std::string_view, 33> kNumbers{"isDiscrete",
                                                    "l2CacheSize",
                                                    "totalMemory",
                                                    "memoryBandwidth",
                                                    "clockRate",
                                                    "smCount",
                                                    "cuDevice",
                                                    "constantMemory",
                                                    "maxIPC",
                                                    "maxRegistersPerBlock",
                                                    "maxShmemPerBlock",
                                                    "maxShmemPerBlockOptin",
                                                    "maxShmemPerSm",
                                                    "maxRegistersPerSm",
                                                    "threadsPerWarp",
                                                    "asyncEngines",
                                                    "maxWarpsPerSm",
                                                    "maxBlocksPerSm",
                                                    "maxThreadsPerBlock",
                                                    "maxBlockDimX",
                                                    "maxBlockDimY",
                                                    "maxBlockDimZ",
                                                    "maxGridDimX",
                                                    "maxGridDimY",
                                                    "maxGridDimZ",
                                                    "computeMajor",
                                                    "computeMinor",
                                                    "smMajor",
                                                    "smMinor",
                                                    "pwGpuId",
                                                    "revision",
                                                    "nodeMask",
                                                    "numaNodeId"};

// Names, order and types of Nsight Systems' export, schema 3.28.1.
constexpr const char* kGpuTables = R"(
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
  busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER,
  memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT,
  luid INTEGER, chipName TEXT, cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT,
  revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, maxIPC INTEGER,
  maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER,
  maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER,
  maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER,
  maxBlockDimY INTEGER, maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER,
  maxGridDimZ INTEGER, computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER,
  smMinor INTEGER, numaNodeId INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL,
  pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER);
)";

std::optional<std::int64_t> numberOf(const GpuFacts& gpu, std::string_view name)
{
    const auto found
        = std::ranges::find(gpu.numbers, name, &std::pair<std::string, std::int64_t>::first);
    return found == gpu.numbers.end() ? std::nullopt : std::optional(found->second);
}

Result<void> writeGpu(Database& database, const GpuFacts& gpu, std::int64_t process)
{
    auto insert = database.prepare(
        "INSERT INTO TARGET_INFO_GPU (vmId, id, name, busLocation, uuid) VALUES (0, ?, ?, ?, ?)");
    auto device = database.prepare("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, ?, ?, ?, ?)");
    if (!insert || !device || !insert->run(gpu.device, gpu.name, gpu.bus, gpu.uuid)
        || !device->run(gpu.device, gpu.device, process, gpu.uuid, numberOf(gpu, "smCount")))
        return tl::unexpected(database.error());
    for (const std::string_view name : kNumbers)
        if (const auto value = numberOf(gpu, name)) {
            auto update = database.prepare(
                fmt::format("UPDATE TARGET_INFO_GPU SET {} = ? WHERE id = ?", name));
            if (!update || !update->run(*value, gpu.device))
                return tl::unexpected(database.error());
        }
    return {};
}

Result<void> writeSettings(Database& database, const GpuMachine& machine)
{
    if (machine.settings.empty())
        return {};
    if (auto made = database.execute("CREATE TABLE BS_machine (name TEXT NOT NULL, value TEXT)");
        !made)
        return made;
    auto insert = database.prepare("INSERT INTO BS_machine VALUES (?, ?)");
    for (const auto& [name, value] : machine.settings)
        if (!insert || !insert->run(name, value))
            return tl::unexpected(database.error());
    return {};
}

Result<void> writePeers(Database& database, const GpuMachine& machine)
{
    if (machine.peers.empty())
        return {};
    if (auto made = database.execute("CREATE TABLE BS_peer_access (source INTEGER NOT NULL, "
                                     "target INTEGER NOT NULL, access INTEGER NOT NULL)");
        !made)
        return made;
    auto insert = database.prepare("INSERT INTO BS_peer_access VALUES (?, ?, ?)");
    for (std::size_t from = 0; from < machine.peers.size(); ++from)
        for (std::size_t to = 0; to < machine.peers[from].size(); ++to)
            if (!insert
                || !insert->run(static_cast<int>(from), static_cast<int>(to),
                                int{machine.peers[from][to]}))
                return tl::unexpected(database.error());
    return {};
}

// Every row of a table, where it is there.
template<class Use>
Result<void> forEachRow(Database& database, std::string_view table, Use use)
{
    const auto exists = hasTable(database, table);
    if (!exists || !*exists)
        return exists.map([](bool) {});
    auto row = database.prepare(fmt::format("SELECT * FROM {} ORDER BY rowid", table));
    if (!row)
        return tl::unexpected(row.error());
    while (row->next())
        use(*row);
    return row->failed() ? tl::unexpected(database.error()) : Result<void>();
}

GpuFacts gpuOf(const Statement& row)
{
    const auto text = [&](std::string_view name) {
        const int column = row.columnNamed(name);
        return column < 0 ? std::string() : std::string(row.text(column));
    };
    GpuFacts gpu;
    if (const int column = row.columnNamed("id"); column >= 0)
        gpu.device = static_cast<int>(row.integer(column));
    gpu.name = text("name");
    gpu.bus = text("busLocation");
    gpu.uuid = text("uuid");
    for (const std::string_view name : kNumbers)
        if (const int column = row.columnNamed(name); column >= 0 && !row.isNull(column))
            gpu.numbers.emplace_back(name, row.integer(column));
    return gpu;
}

Result<void> readPeers(Database& database, GpuMachine& machine)
{
    constexpr std::int64_t kMost = 1024; // a damaged file names no device beyond
    return forEachRow(database, "BS_peer_access", [&](const Statement& row) {
        const std::int64_t from = row.integer(0), to = row.integer(1);
        if (from < 0 || to < 0 || from >= kMost || to >= kMost)
            return;
        const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
        machine.peers.resize(std::max(machine.peers.size(), f + 1));
        machine.peers[f].resize(std::max(machine.peers[f].size(), t + 1));
        machine.peers[f][t] = row.integer(2) != 0;
    });
}

Result<void> readClocks(Database& database, GpuClocks& clocks)
{
    return forEachRow(database, "BS_metric", [&](const Statement& row) {
        const std::string_view name = row.text(0);
        const auto number = [&] { return static_cast<int>(row.integer(1)); };
        if (name == "clock_samples")
            clocks.samples = row.integer(1);
        else if (name == "sm_clock_least")
            clocks.least = number();
        else if (name == "sm_clock_median")
            clocks.median = number();
        else if (name == "sm_clock_most")
            clocks.most = number();
        else if (name == "throttle")
            clocks.throttle = static_cast<std::uint64_t>(row.integer(1));
        else if (name == "clocks_missing")
            clocks.reason = std::string(row.text(1));
    });
}

} // namespace

Result<void> writeMachine(Database& database, const GpuMachine& machine, std::int64_t process)
{
    Result<void> written = machine.gpus.empty() ? Result<void>() : database.execute(kGpuTables);
    for (const GpuFacts& gpu : machine.gpus)
        written = written.and_then([&] { return writeGpu(database, gpu, process); });
    return written.and_then([&] { return writeSettings(database, machine); })
        .and_then([&] { return writePeers(database, machine); })
        .and_then([&] { return writeClocks(database, machine.clocks); });
}

Result<void> writeClocks(Database& database, const GpuClocks& clocks)
{
    if (clocks == GpuClocks{})
        return {};
    auto insert = database.prepare("INSERT INTO BS_metric VALUES (?, ?, ?)");
    if (!insert)
        return tl::unexpected(insert.error());
    bool ok = true;
    if (!clocks.reason.empty())
        ok = insert->run("clocks_missing", clocks.reason, "");
    if (clocks.samples > 0)
        ok = ok && insert->run("clock_samples", clocks.samples, "")
            && insert->run("sm_clock_least", clocks.least, "MHz")
            && insert->run("sm_clock_median", clocks.median, "MHz")
            && insert->run("sm_clock_most", clocks.most, "MHz")
            && insert->run("throttle", static_cast<std::int64_t>(clocks.throttle), "");
    return ok ? Result<void>() : tl::unexpected(database.error());
}

Result<GpuMachine> readMachine(Database& database)
{
    GpuMachine machine;
    return forEachRow(database, "TARGET_INFO_GPU",
                      [&](const Statement& row) { machine.gpus.push_back(gpuOf(row)); })
        .and_then([&] {
            return forEachRow(database, "BS_machine", [&](const Statement& row) {
                machine.settings.emplace_back(row.text(0), row.text(1));
            });
        })
        .and_then([&] { return readPeers(database, machine); })
        .and_then([&] { return readClocks(database, machine.clocks); })
        .map([&] { return machine; });
}

} // namespace profiler
