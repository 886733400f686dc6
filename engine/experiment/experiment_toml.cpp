#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment.h"
#include "engine/model/model_toml.h"
#include "engine/model/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace engine {
namespace {

auto invalid(std::string message)
{
    return fail(Error::Code::InvalidArgument, "experiment: " + std::move(message));
}

// Reads one table key by key; remaining keys are unknown. Keeps the first error.
class TableReader
{
public:
    TableReader(std::string name, const toml::table* table)
        : m_name(std::move(name))
        , m_table(table != nullptr ? *table : toml::table())
    { }

    template<class Integer>
    void integer(std::string_view key, Integer& field)
    {
        take<std::int64_t>(key, "a whole number", [&](std::int64_t value) {
            const bool fits = value >= 0 && value <= std::numeric_limits<Integer>::max();
            field = fits ? static_cast<Integer>(value) : field;
            return fits;
        });
    }
    void text(std::string_view key, std::string& field)
    {
        take<std::string>(key, "text", [&](std::string value) {
            field = std::move(value);
            return true;
        });
    }
    // One of `names`; the field is set to its index.
    template<class Enum>
    void choice(std::string_view key, std::initializer_list<std::string_view> names, Enum& field)
    {
        take<std::string>(key, "one of its names", [&](const std::string& value) {
            const auto* found = std::find(names.begin(), names.end(), value);
            if (found == names.end())
                return false;
            field = static_cast<Enum>(found - names.begin());
            return true;
        });
    }
    // Integers beyond int64 are written as strings.
    void seed(std::string_view key, std::uint64_t& field)
    {
        const bool isText = m_table[key].is_string();
        if (!isText)
            return take<std::int64_t>(key, "a whole number", [&](std::int64_t value) {
                field = static_cast<std::uint64_t>(value);
                return value >= 0;
            });
        take<std::string>(key, "a whole number", [&](const std::string& value) {
            const auto* end = value.data() + value.size();
            const auto read = std::from_chars(value.data(), end, field);
            return read.ec == std::errc() && read.ptr == end;
        });
    }
    void real(std::string_view key, double& field)
    {
        take<double>(key, "a number, 0 or more", [&](double value) {
            field = value;
            return value >= 0;
        });
    }
    void options(std::string_view key, std::map<std::string, std::string, std::less<>>& field)
    {
        take<toml::table>(key, "a table of texts", [&](const toml::table& value) {
            for (const auto& [name, node] : value)
                field[std::string(name.str())] = node.value_or(std::string());
            return true;
        });
    }

    Result<void> finish() const
    {
        if (!m_error.empty())
            return invalid(m_error);
        if (!m_table.empty())
            return invalid(
                fmt::format("[{}] has no key '{}'", m_name, m_table.begin()->first.str()));
        return {};
    }

private:
    template<class T, class Assign>
    void take(std::string_view key, std::string_view what, Assign assign)
    {
        const toml::node* node = m_table.get(key);
        if (node == nullptr)
            return;
        bool good = false;
        if constexpr (std::is_same_v<T, toml::table>)
            good = node->is_table() && assign(*node->as_table());
        else if (const auto value = node->value<T>())
            good = assign(*value);
        if (!good && m_error.empty())
            m_error = fmt::format("{}.{} must be {}", m_name, key, what);
        m_table.erase(key);
    }

    std::string m_name, m_error;
    toml::table m_table;
};

Result<void> readSchedule(const toml::table& root, Experiment& experiment)
{
    TableReader reader("schedule", root["schedule"].as_table());
    ScheduleRequest& request = experiment.schedule;
    reader.text("scheme", request.scheme);
    reader.text("file", experiment.scheduleFile);
    reader.integer("devices", request.devices);
    reader.integer("micro_batches", request.microBatches);
    reader.integer("chunks", request.chunks);
    reader.integer("data_parallel", request.dataParallel);
    reader.options("options", request.options);
    return reader.finish();
}

Result<void> readRun(const toml::table& root, Experiment& experiment)
{
    TableReader reader("run", root["run"].as_table());
    reader.choice("mode", {"simulate", "emulate", "live"}, experiment.mode);
    reader.choice("backend", {"cpu", "cuda"}, experiment.backend);
    reader.integer("iterations", experiment.iterations);
    reader.integer("warmup", experiment.warmup);
    reader.seed("seed", experiment.seed);
    reader.choice("accumulate", {"float", "exact"}, experiment.accumulate);
    reader.choice("sync", {"eager", "late", "eager-blocking"}, experiment.sync);
    reader.text("text", experiment.textFile);
    reader.choice("transport", {"auto", "local", "peer", "nccl"}, experiment.transport);
    reader.choice("graphs", {"off", "auto", "on"}, experiment.graphs);
    reader.integer("device_memory", experiment.deviceMemory);
    return reader.finish();
}

Result<void> readLink(const toml::table& root, Experiment& experiment)
{
    TableReader reader("link", root["link"].as_table());
    std::int64_t latency = experiment.link.latency.count();
    reader.integer("latency_ns", latency);
    reader.real("bytes_per_second", experiment.link.bytesPerSecond);
    experiment.link.latency = Nanoseconds(latency);
    return reader.finish();
}

// [model] is a complete model, or { preset = "tiny" } in a hand-written file.
Result<void> readModel(const toml::table& root, Experiment& experiment)
{
    const toml::table* table = root["model"].as_table();
    if (table == nullptr)
        return {};
    const auto preset = (*table)["preset"].value<std::string>();
    auto model = preset ? loadModel(*preset) : modelFromTable(*table);
    if (!model)
        return invalid(model.error().message);
    if (preset && table->size() > 1)
        return invalid("[model] has a preset, so it can have no other key");
    experiment.model = std::move(*model);
    return {};
}

Result<void> checkTables(const toml::table& root)
{
    for (const auto& [name, node] : root)
        if (!node.is_table()
            || (name.str() != "schedule" && name.str() != "run" && name.str() != "model"
                && name.str() != "link"))
            return invalid(fmt::format(
                "'{}' is unknown: there are the tables schedule, run, model, link", name.str()));
    return {};
}

} // namespace

std::string toToml(const Experiment& experiment)
{
    const ScheduleRequest& request = experiment.schedule;
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::string text = fmt::format(
        "[schedule]\nscheme = {}\nfile = {}\ndevices = {}\nmicro_batches = {}\nchunks = {}\n"
        "data_parallel = {}\n",
        tomlString(request.scheme), tomlString(experiment.scheduleFile), request.devices,
        request.microBatches, request.chunks, request.dataParallel);
    if (!request.options.empty())
        text += "\n[schedule.options]\n";
    for (const auto& [key, value] : request.options)
        text += fmt::format("{} = {}\n", tomlString(key), tomlString(value));
    text += fmt::format("\n[run]\nmode = \"{}\"\nbackend = \"{}\"\niterations = {}\nwarmup = "
                        "{}\nseed = {}\naccumulate = \"{}\"\n"
                        "sync = \"{}\"\ntext = {}\n\n",
                        modeName(experiment.mode), backendName(experiment.backend),
                        experiment.iterations, experiment.warmup,
                        experiment.seed <= kLargest ? fmt::format("{}", experiment.seed)
                                                    : fmt::format("\"{}\"", experiment.seed),
                        experiment.accumulate == Accumulate::Exact ? "exact" : "float",
                        syncName(experiment.sync), tomlString(experiment.textFile));
    if (experiment.transport != Carrier::Auto)
        text.insert(text.size() - 1,
                    fmt::format("transport = \"{}\"\n", carrierName(experiment.transport)));
    if (experiment.graphs != Graphs::Auto)
        text.insert(text.size() - 1,
                    fmt::format("graphs = \"{}\"\n", graphsName(experiment.graphs)));
    if (experiment.deviceMemory > 0)
        text.insert(text.size() - 1, fmt::format("device_memory = {}\n", experiment.deviceMemory));
    text += modelToToml(experiment.model, "model");
    return text
        + fmt::format("\n[link]\nlatency_ns = {}\nbytes_per_second = {}\n",
                      experiment.link.latency.count(), tomlReal(experiment.link.bytesPerSecond));
}

Result<Experiment> experimentFromToml(std::string_view text)
{
    Experiment experiment;
    try {
        const toml::table root = toml::parse(text);
        for (const auto read : {readSchedule, readRun, readModel, readLink})
            if (auto done = read(root, experiment); !done)
                return tl::unexpected(done.error());
        if (auto done = checkTables(root); !done)
            return tl::unexpected(done.error());
    } catch (const toml::parse_error& error) {
        return fail(
            Error::Code::Corrupt,
            fmt::format("experiment: line {}: {}", error.source().begin.line, error.description()));
    }
    if (auto done = checkExperiment(experiment); !done)
        return tl::unexpected(done.error());
    return experiment;
}

} // namespace engine
