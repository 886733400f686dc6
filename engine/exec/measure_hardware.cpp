#include "engine/exec/measure_hardware.h"

#include "engine/base/clock.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/base/result.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace engine {
namespace {

constexpr std::int64_t kStepTime = 300'000'000; // ns per measurement
constexpr double kNano = 1e-9;

class Bench
{
public:
    Bench(const MeasureHardware& on, const std::atomic<bool>& cancel)
        : m_on(on)
        , m_device(*on.devices.front())
        , m_isGpu(m_device.queue() != nullptr)
        , m_cancel(cancel)
    { }

    HardwareSpec run()
    {
        m_device.bindThread();
        const DeviceInfo info = m_device.info();
        HardwareSpec spec;
        spec.name = info.name;
        // Devices of a CPU share the memory of the machine.
        spec.memory = static_cast<double>(info.memory) / (m_isGpu ? 1 : m_on.devicesPerNode);
        spec.devicesPerNode = m_on.devicesPerNode;
        spec.matmulShare = spec.memoryShare = spec.linkShare = 1;
        m_on.progress("matrix products");
        spec.peakFlops = matmulRate();
        m_on.progress("memory");
        spec.memoryBandwidth = memoryRate();
        m_on.progress("small kernels");
        spec.kernelLaunch = kernelTime();
        m_on.progress("link between devices");
        spec.node = spec.island = spec.network = link();
        return spec;
    }

private:
    // The CPU clock of this thread excludes other load, but also the work of other threads.
    enum class Clock : std::uint8_t { Own, Wall };

    // With enough `repeats` the wait at the end is negligible.
    template<class Work>
    double seconds(int repeats, Work work, Clock kind = Clock::Own) const
    {
        const auto clock
            = [own = kind == Clock::Own && !m_isGpu] { return own ? threadCpuTime() : wallTime(); };
        constexpr int kPatience = 300; // batches after which a clock must have advanced
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        const std::int64_t begin = wallTime();
        int batches = 0;
        do {
            if (m_cancel.load(std::memory_order_relaxed))
                throw Cancelled("cancelled");
            const std::int64_t start = clock();
            for (int i = 0; i < repeats; ++i)
                work();
            m_device.synchronize();
            least = std::min(least, clock() - start);
            if (++batches == kPatience && (wallTime() == begin || least <= 0))
                throw std::runtime_error("the clock of this machine does not advance");
        } while (wallTime() - begin < kStepTime);
        return std::max<std::int64_t>(least, 1) * kNano / repeats;
    }

    template<class Real>
    double matmulRate(const Kernels<Real>& kernels) const
    {
        const int size = m_isGpu ? 4096 : 512; // larger sizes are not faster
        const std::size_t count = static_cast<std::size_t>(size) * size;
        std::vector<Real> numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = static_cast<Real>(static_cast<float>(i % 251) / 251 - 0.5F);
        const Bytes bytes = count * sizeof(Real);
        const DeviceMemory a = m_device.allocate(bytes), b = m_device.allocate(bytes),
                           c = m_device.allocate(bytes);
        m_device.upload(std::as_bytes(std::span(numbers)), a.get());
        m_device.upload(std::as_bytes(std::span(numbers)), b.get());
        const auto matrix = [&]<class Number>(const DeviceMemory& memory, Number*) {
            return Matrix<Number>{reinterpret_cast<Number*>(memory.get()), size, size};
        };
        const double time = seconds(m_isGpu ? 10 : 1, [&] {
            kernels.matmul({.a = matrix(a, static_cast<const Real*>(nullptr)),
                            .b = matrix(b, static_cast<const Real*>(nullptr)),
                            .c = matrix(c, static_cast<Real*>(nullptr))});
        });
        return 2.0 * size * size * size / time;
    }

public:
    double matmulRate() const
    {
        const Kernels<bfloat16>* half = m_isGpu ? m_device.bfloat16Kernels() : nullptr;
        return half != nullptr ? matmulRate(*half) : matmulRate(m_device.kernels());
    }

private:
    // Of copies that do not fit in a cache, in bytes per second.
    double memoryRate() const
    {
        const Bytes bytes = Bytes{m_isGpu ? 512 : 64} << 20;
        const DeviceMemory from = m_device.allocate(bytes), to = m_device.allocate(bytes);
        m_device.fill({from.get(), static_cast<std::size_t>(bytes)}, std::byte{1});
        m_device.fill({to.get(), static_cast<std::size_t>(bytes)}, std::byte{2});
        const double time = seconds(m_isGpu ? 10 : 1, [&] {
            m_device.kernels().copyBytes({from.get(), static_cast<std::size_t>(bytes)},
                                         {to.get(), static_cast<std::size_t>(bytes)});
        });
        return 2.0 * static_cast<double>(bytes) / time;
    }

    double kernelTime() const
    {
        constexpr std::size_t kNumbers = 32;
        const DeviceMemory x = m_device.allocate(kNumbers * sizeof(float)),
                           y = m_device.allocate(kNumbers * sizeof(float));
        m_device.fill({x.get(), kNumbers * sizeof(float)}, std::byte{});
        m_device.fill({y.get(), kNumbers * sizeof(float)}, std::byte{});
        return seconds(1000, [&] {
            m_device.kernels().add({reinterpret_cast<const float*>(x.get()), kNumbers},
                                   {reinterpret_cast<float*>(y.get()), kNumbers});
        });
    }

    LinkSpec link() const
    {
        const Bytes few = 8, many = Bytes{m_isGpu ? 256 : 32} << 20;
        const double least = m_isGpu ? gpuCopy(few) : threadCopy(few);
        const double most = m_isGpu ? gpuCopy(many) : threadCopy(many);
        return {least, static_cast<double>(many) / std::max(most - least, kNano)};
    }

    // From one GPU to the other or, with one GPU, within its memory; in seconds.
    double gpuCopy(Bytes bytes) const
    {
        const Device& receiver = *m_on.devices.back();
        const std::size_t size = bytes;
        const DeviceMemory from = m_device.allocate(bytes), to = receiver.allocate(bytes);
        return seconds(bytes > 1024 ? 4 : 1, [&] {
            m_device.queue()->copy(
                {{from.get(), size}, {to.get(), size}, m_device.gpu(), receiver.gpu()});
        });
    }

    // Half of a round trip, in seconds, in which each of two threads copies `bytes` into the memory
    // of the other and wakes it.
    double threadCopy(Bytes bytes) const
    {
        std::vector<std::byte> first(bytes, std::byte{1}), second(bytes, std::byte{2});
        std::atomic<int> turn{0}; // odd: the other thread copies; negative: it ends
        std::thread other([&] {
            for (int mine = 1;; mine += 2) {
                for (int seen = turn.load(); seen >= 0 && seen != mine; seen = turn.load())
                    turn.wait(seen);
                if (turn.load() < 0)
                    return;
                std::memcpy(first.data(), second.data(), bytes);
                turn.store(mine + 1);
                turn.notify_all();
            }
        });
        const auto end = [&] {
            turn.store(-1);
            turn.notify_all();
            other.join();
        };
        try {
            const double time = seconds(
                1,
                [&, next = 0]() mutable {
                    std::memcpy(second.data(), first.data(), bytes);
                    turn.store(next + 1);
                    turn.notify_all();
                    for (int seen = turn.load(); seen != next + 2; seen = turn.load())
                        turn.wait(seen);
                    next += 2;
                },
                Clock::Wall);
            end();
            return time / 2;
        } catch (...) {
            end();
            throw;
        }
    }

    const MeasureHardware& m_on;
    const Device& m_device;
    bool m_isGpu;
    const std::atomic<bool>& m_cancel;
};

// Calls `measure` and turns what it throws into an error.
template<class Measure>
auto measured(const MeasureHardware& on, Measure measure) -> Result<decltype(measure())>
try {
    return measure();
} catch (const Cancelled& cancelled) {
    return fail(Error::Code::Cancelled, cancelled.what());
} catch (const std::bad_alloc&) {
    return fail(Error::Code::Device,
                "{} has too little free memory to be measured; end other programs that "
                "use it",
                on.devices.front()->info().name);
} catch (const std::exception& error) { // error of a GPU
    return fail(Error::Code::Device, messageOf(error));
}

constexpr std::string_view kMethod = "sgemm of 512 x 512 x 512";

GemmPeak keptPeak(double flops, std::string_view date, const std::filesystem::path& file)
{
    return {flops, fmt::format("{}, measured {}, kept in {}", kMethod, date, file.string())};
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

} // namespace

Result<HardwareSpec> measureHardware(const MeasureHardware& on, const std::atomic<bool>& cancel)
{
    return measured(on, [&] { return Bench(on, cancel).run(); });
}

Result<GemmPeak> machinePeak(const std::shared_ptr<const Device>& cpu,
                             const std::atomic<bool>& cancel)
{
    const std::filesystem::path file = dataFolder() / "peaks.toml";
    const std::string name = cpu->info().name;
    std::error_code ignored;
    Result<toml::table> peaks = toml::table();
    if (std::filesystem::exists(file, ignored))
        peaks = readFile(file.string()).and_then([&](const std::string& text) {
            return parseToml(text, file.string());
        });
    if (peaks)
        if (const toml::table* kept = (*peaks)[name].as_table()) {
            const double flops = (*kept)["flops"].value_or(0.0);
            const std::string date = (*kept)["measured"].value_or(std::string());
            if (flops > 0 && flops < 1e18 && std::isfinite(flops))
                return keptPeak(flops, date, file);
        }
    const MeasureHardware on{.devices = {cpu}};
    const double flops = TRY(measured(on, [&] { return Bench(on, cancel).matmulRate(); }));
    const auto keep = [&]() -> Result<void> {
        TRY(peaks);
        peaks->insert_or_assign(name, toml::table{{"flops", flops}, {"measured", today()}});
        std::filesystem::create_directories(file.parent_path(), ignored);
        std::ostringstream text;
        text << *peaks << '\n';
        return saveFile(file, text.str(), IfExists::Replace);
    };
    if (const auto kept = keep(); !kept)
        return GemmPeak{
            flops, fmt::format("{}, measured in this run ({})", kMethod, kept.error().message)};
    return keptPeak(flops, today(), file);
}

} // namespace engine
