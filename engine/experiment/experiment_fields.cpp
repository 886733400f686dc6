#include "engine/experiment/experiment_fields.h"

#include "engine/base/check.h"
#include "engine/base/memory_capacity.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"

#include <fmt/format.h>

#include <cmath>

namespace engine {
namespace {

using E = Experiment;

constexpr double kMostIterations = 1'000'000, kMostSeed = 18446744073709551615.0;

template<class Enum, class Name>
std::vector<std::string_view> namesOf(int count, Name name)
{
    std::vector<std::string_view> names;
    for (int i = 0; i < count; ++i)
        names.push_back(name(static_cast<Enum>(i)));
    return names;
}

std::string onlyOnGpus(const E& experiment)
{
    return experiment.backend == Backend::Cuda ? "" : "only for runs on GPUs";
}

std::string onlyLiveOnGpus(const E& experiment)
{
    return experiment.backend == Backend::Cuda && experiment.mode != Mode::Live
        ? "only for live runs"
        : onlyOnGpus(experiment);
}

std::string onlyWithoutFile(const E& experiment)
{
    return experiment.scheduleFile.empty() ? "" : "given by the schedule file";
}

std::string onlyEmulated(const E& experiment)
{
    return experiment.mode == Mode::Live ? "only for emulated runs" : "";
}

std::string onlyWithNodes(const E& experiment)
{
    return experiment.devicesPerNode == 0 ? "only for runs with --devices-per-node"
                                          : onlyEmulated(experiment);
}

std::string onlyWithOffload(const E& experiment)
{
    return experiment.model.offload || !experiment.scheduleFile.empty()
        ? onlyEmulated(experiment)
        : "only for runs with --offload";
}

// Adds fields with the same --help group.
class Table
{
public:
    explicit Table(std::vector<Field<E>>& fields)
        : m_fields(fields)
    { }

    void group(std::string_view name) { m_group = name; }
    template<class Value>
    Field<E>& add(const FieldFacts& facts, Value E::*member)
    {
        return add(field<E>(facts, member));
    }
    Field<E>& add(Field<E> field)
    {
        field.group = m_group;
        return m_fields.emplace_back(std::move(field));
    }

private:
    std::vector<Field<E>>& m_fields;
    std::string_view m_group;
};

void addSchedule(Table& table)
{
    table.group("Schedule");
    FieldFacts file = option(
        "schedule", "--schedule", "Schedule file",
        "Schedule file to run instead of a scheme: CSV of bscope or PyTorch, or sail-sg's text",
        "FILE");
    file.key = "file";
    table.add(file, &E::scheduleFile);
    for (const Field<ScheduleRequest>& each : requestFields())
        if (auto& part = table.add(lifted(each, &E::schedule)); part.flag == "--mapping")
            part.off = onlyWithNodes;
        else if (part.flag != "--data-parallel")
            part.off = onlyWithoutFile;
    table.add(option("run", "--sync", "Gradient sync",
                     "eager: all-reduce the gradients of a stage when they are ready; late: after "
                     "the last backward; eager-blocking: like eager, but compute waits, as in "
                     "BitPipe's code")
                  .oneOf(namesOf<SyncPolicy>(3, syncName)),
              &E::sync);
}

// Replaces the whole model. An unknown name is reported as InvalidArgument, not as NotFound.
Result<void> setModel(E& experiment, std::string_view name)
{
    auto model = loadModel(name);
    if (!model)
        return fail(model.error().code == Error::Code::NotFound ? Error::Code::InvalidArgument
                                                                : model.error().code,
                    model.error().message);
    experiment.model = *std::move(model);
    experiment.modelFile = name.ends_with(".toml") ? name : "";
    return {};
}

void addModel(Table& table)
{
    table.group("Model");
    table.add(
        {option("", "--model", "Model", "A preset or a model file", "NAME|FILE.toml").essential(),
         [](const E& e) { return e.modelFile.empty() ? e.model.name : e.modelFile; }, setModel});
    FieldFacts file = inFileOnly("run", "model_file");
    file.help = "Model file that a run was started with";
    file.label = "Model file";
    table.add(file, &E::modelFile);
    for (const Field<ModelSpec>& each : modelFields())
        if (!each.flag.empty())
            // These fields have no key, because [model] is written and read as a whole.
            table.add(lifted(each, &E::model)).key.clear();
}

void addTraining(Table& table)
{
    table.group("Training");
    table.add(option("run", "--iterations", "Iterations", "Measured iterations", "K")
                  .between(1, kMostIterations),
              &E::iterations);
    table.add(option("run", "--warmup", "Warm-up",
                     "Warm-up iterations, which train but are not measured", "K")
                  .between(0, kMostIterations),
              &E::warmup);
    table.add(option("run", "--seed", "Seed", "Seed of the initial weights and of the samples", "S")
                  .between(0, kMostSeed),
              &E::seed);
    table.add(
        option("run", "--accumulate", "Gradient sums",
               "float: sum gradients in floating point; exact: bit-identical sums in any order")
            .oneOf({"float", "exact"}),
        &E::accumulate);
    table.add(option("run", "--text", "Text",
                     "File to train on, byte by byte; sample: a short story", "FILE|sample")
                  .withDefault("a small built-in language"),
              &E::textFile);
}

void addMachine(Table& table)
{
    table.group("Machine");
    FieldFacts mode = option("run", "--mode", "Mode",
                             "emulate: ops run one at a time and are placed on D timelines; live: "
                             "D threads, GPUs or partitions of a GPU run concurrently",
                             "{emulate,live}")
                          .oneOf(namesOf<Mode>(3, modeName))
                          .withDefault("live with CUDA and D GPUs, else emulate");
    table.add(mode, &E::mode);
    table.add(
        {option("run", "--backend", "Backend", "Where ops run: cpu, or cuda for GPUs; auto is cpu")
             .oneOf({"auto", "cpu", "cuda"}),
         [](const E& e) { return std::string(backendName(e.backend)); },
         [](E& e, std::string_view text) -> Result<void> {
             e.backend = text == "cuda" ? Backend::Cuda : Backend::Cpu;
             return {};
         }});
    table
        .add(option("run", "--transport", "Transport",
                    "Placement and transport of live runs. auto: all GPUs, with copies; local: "
                    "partitions of the first GPU, with copies; peer: one GPU per device, with "
                    "peer copies; nccl: one GPU per device, with NCCL")
                 .oneOf(namesOf<TransportChoice>(4, transportChoiceName)),
             &E::transport)
        .off
        = onlyLiveOnGpus;
    table
        .add(option("run", "--graphs", "CUDA graphs",
                    "Launch ops on GPUs as CUDA graphs; auto: ops that take about as long to "
                    "launch as to execute")
                 .oneOf(namesOf<Graphs>(3, graphsName)),
             &E::graphs)
        .off
        = onlyOnGpus;
    FieldFacts memory
        = option("run", "--device-memory", "Device memory",
                 "Memory of a device; a run that needs more than is left of it by --reserve fails "
                 "with suggestions that fit",
                 "16GiB")
              .withDefault("the memory of the machine");
    memory.kind = FieldKind::Memory;
    table.add(memory, &E::deviceMemory);
    table.add(reserveOption("run"), &E::reserve).off = [](const E& e) {
        return std::string(e.deviceMemory == 0 ? "only with --device-memory" : "");
    };
}

// The assumed link of an emulated run. The file stores it in bytes per second and nanoseconds.
void addLink(Table& table)
{
    constexpr int kGiga = 9, kMicrosecond = 3; // powers of ten
    constexpr double kMostPerNode = 65535;
    const auto number
        = [](std::string_view flag, const char* key, std::string_view label, std::string_view help,
             std::string_view value, double most, int exponent) {
              FieldFacts facts = option("link", flag, label, help, value).between(0, most);
              facts.key = key;
              facts.kind = FieldKind::Real;
              facts.exponent = exponent;
              return facts;
          };
    const auto addOf = [&table](LinkCost E::*link, Field<E> field) {
        field.off = link == &E::link ? onlyEmulated
            : link == &E::linkToHost ? onlyWithOffload
                                     : onlyWithNodes;
        table.add(std::move(field));
    };
    const auto bandwidth = [&](FieldFacts facts, LinkCost E::*link) {
        addOf(link,
              {std::move(facts),
               [link](const E& e) { return scaledText((e.*link).bytesPerSecond, kGiga); },
               [link](E& e, std::string_view text) -> Result<void> {
                   (e.*link).bytesPerSecond = scaled(text, kGiga);
                   return {};
               }});
    };
    const auto latency = [&](FieldFacts facts, LinkCost E::*link) {
        addOf(link,
              {std::move(facts),
               [link](const E& e) { return scaledText((e.*link).latency.count(), kMicrosecond); },
               [link](E& e, std::string_view text) -> Result<void> {
                   (e.*link).latency = Nanoseconds(std::llround(scaled(text, kMicrosecond)));
                   return {};
               }});
    };
    bandwidth(number("--link-bandwidth", "bytes_per_second", "Link bandwidth, GB/s",
                     "Assumed bandwidth of the link between devices, in GB/s; 0: messages are free",
                     "GB/S", 1e6, kGiga),
              &E::link);
    latency(number("--link-latency", "latency_ns", "Link latency, µs",
                   "Assumed latency of a message, in microseconds", "US", 1e9, kMicrosecond),
            &E::link);
    table
        .add(option("link", "--devices-per-node", "Devices per node",
                    "Devices of a node for the assumed links, see --mapping; 0: one node", "K")
                 .between(0, kMostPerNode),
             &E::devicesPerNode)
        .off
        = onlyEmulated;
    bandwidth(number("--link-bandwidth-across", "bytes_per_second_across",
                     "Bandwidth across nodes, GB/s",
                     "--link-bandwidth between nodes; 0: as within a node", "GB/S", 1e6, kGiga),
              &E::linkAcross);
    latency(number("--link-latency-across", "latency_ns_across", "Latency across nodes, µs",
                   "--link-latency between nodes; 0: as within a node", "US", 1e9, kMicrosecond),
            &E::linkAcross);
    bandwidth(
        number("--host-bandwidth", "bytes_per_second_to_host", "Bandwidth to the host, GB/s",
               "Assumed bandwidth from a device to the memory of its host, in GB/s; 0: evicts "
               "and loads of --offload are free",
               "GB/S", 1e6, kGiga),
        &E::linkToHost);
    latency(number("--host-latency", "latency_ns_to_host", "Latency to the host, µs",
                   "Assumed latency of an evict or load of --offload, in microseconds", "US", 1e9,
                   kMicrosecond),
            &E::linkToHost);
    table
        .add(option("link", "--receive", "Receives",
                    "eager: a message arrives as early as its link allows; deferred: a RECV blocks "
                    "its device, at its place in the order, until the message has arrived")
                 .oneOf(namesOf<ReceiveRule>(2, receiveName)),
             &E::receive)
        .off
        = onlyEmulated;
}

void addRecording(Table& table)
{
    table.group("Recording");
    table.add(option("run", "--trace", "Record",
                     "off: only losses and durations of iterations; ops: the times of ops; "
                     "kernels: also kernels, copies and launches of a GPU; all: everything that "
                     "CUPTI reports; auto: kernels on a GPU, else ops")
                  .oneOf(namesOf<Trace>(5, traceName)),
              &E::trace);
    table.add(
        option("run", "--nvtx-grammar", "NVTX names",
               "Names of NVTX ranges. bubblescope: as in PyTorch (PP:2F0); sail-sg: as the tools "
               "of sail-sg's zero-bubble repository expect (F0.1.0)")
            .oneOf(namesOf<NvtxGrammar>(2, nvtxGrammarName)),
        &E::nvtxGrammar);
}

} // namespace

Fields<Experiment> experimentFields()
{
    static const std::vector<Field<E>> kFields = [] {
        std::vector<Field<E>> fields;
        Table table(fields);
        addSchedule(table);
        addModel(table);
        addTraining(table);
        addMachine(table);
        addLink(table);
        addRecording(table);
        return fields;
    }();
    return kFields;
}

const Field<Experiment>& experimentField(std::string_view longFlag)
{
    const auto* found = findField(experimentFields(), longFlag);
    CHECK(found != nullptr);
    return *found;
}

Experiment defaultExperiment(const Experiment& experiment)
{
    Experiment defaults;
    defaults.modelFile = experiment.modelFile;
    const std::string& name
        = defaults.modelFile.empty() ? experiment.model.name : defaults.modelFile;
    defaults.model = loadModel(name).value_or(ModelSpec());
    return defaults;
}

std::vector<std::string> runArguments(const Experiment& experiment)
{
    Experiment defaults = defaultExperiment(experiment);
    if (experiment.backend == Backend::Cuda) // the default depends on the machine
        defaults.mode = experiment.mode == Mode::Live ? Mode::Emulate : Mode::Live;
    return arguments(experimentFields(), experiment, defaults);
}

Result<Experiment> experimentFromArguments(std::span<const std::string> arguments)
{
    Experiment experiment;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const auto* field = findField(experimentFields(), arguments[i]);
        if (field == nullptr || i + 1 == arguments.size())
            return invalid("{} is not an option with a value", arguments[i]);
        std::string text = arguments[i + 1];
        if (const std::string before = field->get(experiment);
            field->kind == FieldKind::List && !before.empty())
            text = fmt::format("{}\n{}", before, text);
        TRY(setChecked(*field, experiment, text));
    }
    return experiment;
}

std::string commandText(std::string_view command, std::span<const std::string> arguments)
{
    std::string text = fmt::format("bscope {}", command);
    for (const std::string& word : arguments)
        text += ' ' + shellQuoted(word);
    return text;
}

std::string commandOf(const Experiment& experiment)
{
    return commandText("run", runArguments(experiment));
}

std::string describeLink(const LinkCost& link)
{
    if (link.bytesPerSecond <= 0 && link.latency.count() == 0)
        return "free";
    const std::string bandwidth = link.bytesPerSecond > 0
        ? fmt::format("{:.4g} GB/s", link.bytesPerSecond / 1e9)
        : "unlimited bandwidth";
    return fmt::format("{}, {:.4g} µs (assumed)", bandwidth, link.latency.count() / 1e3);
}

} // namespace engine
