#include "profiler/store/read_info.h"

#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/gpu/machine_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace profiler {
namespace {

using engine::Result;
using engine::RunInfo;

// The columns of the current row by name; one that an older or newer schema does not have is empty.
class NamedRow
{
public:
    explicit NamedRow(const Statement& statement)
        : m_statement(&statement)
    { }
    std::string text(std::string_view name) const
    {
        const int column = m_statement->columnNamed(name);
        return column < 0 ? std::string() : std::string(m_statement->text(column));
    }
    std::int64_t integer(std::string_view name, std::int64_t missing) const
    {
        const int column = m_statement->columnNamed(name);
        return column < 0 || m_statement->isNull(column) ? missing : m_statement->integer(column);
    }

private:
    const Statement* m_statement;
};

template<class Enum, std::size_t N>
std::optional<Enum> find(const std::array<Enum, N>& all, auto name, std::string_view text)
{
    const auto found
        = std::ranges::find_if(all, [&](Enum candidate) { return name(candidate) == text; });
    return found == all.end() ? std::nullopt : std::optional<Enum>(*found);
}

std::optional<engine::Mode> modeNamed(std::string_view text)
{
    using enum engine::Mode;
    return find(std::array{Simulate, Emulate, Live, Imported}, engine::modeName, text);
}

std::optional<engine::Outcome> outcomeNamed(std::string_view text)
{
    using enum engine::Outcome;
    return find(std::array{Running, Finished, Cancelled, Failed}, engine::outcomeName, text);
}

int plannedCount(std::int64_t count)
{
    return static_cast<int>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<int>::max()));
}

Result<void> readRunRow(Database& database, RunInfo& info)
{
    auto statement = database.prepare("SELECT * FROM BS_run LIMIT 1");
    if (!statement)
        return tl::unexpected(statement.error());
    if (!statement->next())
        return tl::unexpected(statement->failed() ? database.error()
                                                  : database.damaged("BS_run has no row"));
    const NamedRow row(*statement);
    info.scheme = row.text("scheme");
    info.label = row.text("label");
    info.failure = row.text("failure");
    info.started = row.text("started");
    info.program = row.text("program");
    info.deviceName = row.text("device_name");
    info.timing = row.text("timing");
    info.link = row.text("link");
    info.model = row.text("model");
    info.ticksPerUnit = row.integer("ticks_per_unit", 1);
    info.plannedWarmup = plannedCount(row.integer("planned_warmup", 0));
    info.plannedIterations = plannedCount(row.integer("planned_iterations", 1));
    const auto mode = modeNamed(row.text("mode"));
    const auto outcome = outcomeNamed(row.text("outcome"));
    if (!mode || !outcome || info.ticksPerUnit < 1)
        return tl::unexpected(database.damaged("BS_run has an impossible mode, outcome or unit"));
    info.mode = *mode;
    info.outcome = *outcome;
    return {};
}

Result<void> readExperiment(Database& database, RunInfo& info)
{
    auto statement = database.prepare("SELECT * FROM BS_experiment LIMIT 1");
    if (!statement)
        return tl::unexpected(statement.error());
    if (statement->next()) {
        const NamedRow row(*statement);
        info.experiment = row.text("toml");
        info.command = row.text("command");
    }
    if (statement->failed())
        return tl::unexpected(database.error());
    return {};
}

Result<void> readMetrics(Database& database, RunInfo& info)
{
    auto statement = database.prepare("SELECT name, value FROM BS_metric");
    if (!statement)
        return tl::unexpected(statement.error());
    while (statement->next()) {
        const std::string_view name = statement->text(0);
        if (name == "tokens_per_iteration")
            info.tokensPerIteration = statement->integer(1);
        else if (name == "flops_per_iteration")
            info.flopsPerIteration = statement->real(1);
        else if (name == "executed_flops")
            info.executedFlops = statement->real(1);
        else if (name == "peak_flops")
            info.peakFlops = statement->real(1);
        else if (name == "recompute_keeps")
            info.recomputeKeeps = statement->real(1);
        else if (name == "peak_source")
            info.peakSource = statement->text(1);
        else if (name == "transport")
            info.transport = statement->text(1);
        else if (name == "precision")
            info.precision = statement->text(1);
        else if (name == "threads")
            info.threads = plannedCount(statement->integer(1));
        else if (name == "cores")
            info.cores = plannedCount(statement->integer(1));
        else if (name == "unigram_entropy")
            info.unigramEntropy = statement->real(1);
        else if (name == "entropy_rate")
            info.entropyRate = statement->real(1);
        else
            takeGpuMetric(name, statement->real(1), info);
    }
    if (statement->failed())
        return tl::unexpected(database.error());
    return {};
}

Result<void> readArenas(Database& database, RunInfo& info)
{
    auto statement = database.prepare("SELECT * FROM BS_device ORDER BY device");
    if (!statement)
        return tl::unexpected(statement.error());
    while (statement->next()) {
        const NamedRow row(*statement);
        constexpr std::int64_t kNone = -1;
        const std::int64_t arena = row.integer("arena", kNone);
        const std::int64_t touched = row.integer("touched", kNone);
        if (arena >= 0)
            info.arenas.push_back({row.integer("live", 0), arena,
                                   touched >= 0 ? std::optional(touched) : std::nullopt});
    }
    if (statement->failed())
        return tl::unexpected(database.error());
    return {};
}

} // namespace

Result<RunInfo> readInfo(Database& database)
{
    RunInfo info;
    return readRunRow(database, info)
        .and_then([&] { return readExperiment(database, info); })
        .and_then([&] { return readMetrics(database, info); })
        .and_then([&] { return readArenas(database, info); })
        .and_then([&] { return readMachine(database); })
        .map([&](engine::GpuMachine&& machine) { info.machine = std::move(machine); })
        .map([&] { return info; });
}

Result<bool> usedWal(Database& database)
{
    auto statement = database.prepare("SELECT * FROM BS_run LIMIT 1");
    if (!statement)
        return tl::unexpected(statement.error());
    return !statement->next() || NamedRow(*statement).text("journal") != "delete";
}

} // namespace profiler
