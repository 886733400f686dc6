#include "engine/experiment/experiment_fields.h"

#include "engine/base/check.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/model_fields.h"
#include "engine/schedules/request_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace engine {
namespace {

using E = Experiment;

constexpr double kMostIterations = 1'000'000, kMostSeed = 18446744073709551615.0;

// The names of an enumeration whose values are 0 .. count - 1.
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

// Adds fields of [run] in one group.
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
    FieldFacts file = option("schedule", "--schedule", "Schedule file",
                             "A schedule file instead of a scheme: bscope's CSV, PyTorch's or "
                             "sail-sg's text",
                             "FILE");
    file.key = "file";
    table.add(file, &E::scheduleFile);
    for (const Field<ScheduleRequest>& each : requestFields())
        if (auto& part = table.add(lifted(each, &E::schedule)); part.flag != "--data-parallel")
            part.off = onlyWithoutFile;
    table.add(option("run", "--sync", "Gradient sync",
                     "When the gradients of a stage are all-reduced: as soon as they are ready, "
                     "after the last backward, or as soon as ready while holding the device, as "
                     "BitPipe's code does")
                  .oneOf(namesOf<SyncPolicy>(3, syncName)),
              &E::sync);
}

// Replaces the whole model. A name that does not exist is wrong usage.
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
    file.label = "Model file";
    table.add(file, &E::modelFile);
    for (const Field<ModelSpec>& each : modelFields())
        if (!each.flag.empty())
            table.add(lifted(each, &E::model)).key.clear(); // [model] is written and read whole
}

void addTraining(Table& table)
{
    table.group("Training");
    table.add(option("run", "--iterations", "Iterations", "Measured iterations", "K")
                  .between(1, kMostIterations),
              &E::iterations);
    table.add(option("run", "--warmup", "Warm-up",
                     "Iterations before the measured ones: they train and are not measured", "K")
                  .between(0, kMostIterations),
              &E::warmup);
    table.add(option("run", "--seed", "Seed", "Seed of the initial weights and of the samples", "S")
                  .between(0, kMostSeed),
              &E::seed);
    table.add(option("run", "--accumulate", "Gradient sums",
                     "How gradients are summed: as floats, or exact, with the same bits in any "
                     "order")
                  .oneOf({"float", "exact"}),
              &E::accumulate);
    table.add(option("run", "--text", "Text",
                     "Train on the bytes of this file, or on a short story (sample)", "FILE|sample")
                  .usually("a small built-in language"),
              &E::textFile);
}

void addMachine(Table& table)
{
    table.group("Machine");
    FieldFacts mode = option("run", "--mode", "Run as",
                             "emulate: every op runs alone and is placed on D devices; live: D "
                             "threads, GPUs or equal parts of one GPU run at the same time",
                             "{emulate,live}")
                          .oneOf(namesOf<Mode>(3, modeName))
                          .usually("live with CUDA and D GPUs, else emulate");
    table.add(mode, &E::mode);
    table.add({option("run", "--backend", "Compute on",
                      "What ops run on: the CPU, or GPUs; auto is the CPU")
                   .oneOf({"auto", "cpu", "cuda"}),
               [](const E& e) { return std::string(backendName(e.backend)); },
               [](E& e, std::string_view text) -> Result<void> {
                   e.backend = text == "cuda" ? Backend::Cuda : Backend::Cpu;
                   return {};
               }});
    table
        .add(option("run", "--transport", "Transport",
                    "Where the devices of a live run on GPUs are, and what transports their "
                    "messages: local, parts of the first GPU and copies within it; peer, a GPU "
                    "each and copies between them; nccl, a GPU each and NCCL; auto, as many GPUs "
                    "as there are and copies")
                 .oneOf(namesOf<Carrier>(4, carrierName)),
             &E::transport)
        .off
        = onlyLiveOnGpus;
    table
        .add(option("run", "--graphs", "CUDA graphs",
                    "Launch ops on GPUs as CUDA graphs; auto: those whose launch takes about as "
                    "long as their run")
                 .oneOf(namesOf<Graphs>(3, graphsName)),
             &E::graphs)
        .off
        = onlyOnGpus;
    FieldFacts memory = option("run", "--device-memory", "Device memory",
                               "Memory of one device; a run that needs more is refused, with what "
                               "would fit",
                               "BYTES|16GiB")
                            .usually("no limit but the machine's");
    memory.kind = FieldKind::Memory;
    table.add(memory, &E::deviceMemory);
}

// The assumed link of an emulated run, stored in other units than it is typed in.
void addLink(Table& table)
{
    constexpr int kGiga = 9, kMicrosecond = 3; // powers of ten
    const auto number
        = [](std::string_view flag, const char* key, std::string_view label, std::string_view help,
             std::string_view value, double most, int exponent) {
              FieldFacts facts = option("link", flag, label, help, value).between(0, most);
              facts.key = key;
              facts.kind = FieldKind::Real;
              facts.exponent = exponent;
              return facts;
          };
    table.add(
        {number("--link-bandwidth", "bytes_per_second", "Link bandwidth, GB/s",
                "Assumed bandwidth of the link between devices, in GB/s; 0: messages are free",
                "GB/S", 1e6, kGiga),
         [](const E& e) { return scaledText(e.link.bytesPerSecond, kGiga); },
         [](E& e, std::string_view text) -> Result<void> {
             e.link.bytesPerSecond = scaled(text, kGiga);
             return {};
         }});
    table.add({number("--link-latency", "latency_ns", "Link latency, µs",
                      "Assumed latency of a message, in microseconds", "US", 1e9, kMicrosecond),
               [](const E& e) { return scaledText(e.link.latency.count(), kMicrosecond); },
               [](E& e, std::string_view text) -> Result<void> {
                   e.link.latency = Nanoseconds(std::llround(scaled(text, kMicrosecond)));
                   return {};
               }});
}

void addRecording(Table& table)
{
    table.group("Recording");
    table.add(option("run", "--trace", "Record",
                     "What is recorded: off, nothing; ops; kernels, with copies and launches of a "
                     "GPU; all that CUPTI reports; auto: kernels on a GPU, else ops")
                  .oneOf(namesOf<Trace>(5, traceName)),
              &E::trace);
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

Experiment usualExperiment(const Experiment& experiment)
{
    Experiment usual;
    usual.modelFile = experiment.modelFile;
    const std::string& name = usual.modelFile.empty() ? experiment.model.name : usual.modelFile;
    usual.model = loadModel(name).value_or(ModelSpec());
    return usual;
}

std::vector<std::string> runArguments(const Experiment& experiment)
{
    Experiment usual = usualExperiment(experiment);
    if (experiment.backend == Backend::Cuda) // the machine decides the default, so it is written
        usual.mode = experiment.mode == Mode::Live ? Mode::Emulate : Mode::Live;
    return arguments(experimentFields(), experiment, usual);
}

Result<Experiment> experimentFromArguments(std::span<const std::string> arguments)
{
    Experiment experiment;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const auto* field = findField(experimentFields(), arguments[i]);
        if (field == nullptr || i + 1 == arguments.size())
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} is no option with a value", arguments[i]));
        std::string text = arguments[i + 1];
        if (const std::string before = field->get(experiment);
            field->kind == FieldKind::List && !before.empty())
            text = before + '\n' + text;
        if (auto done = setChecked(*field, experiment, text); !done)
            return tl::unexpected(done.error());
    }
    return experiment;
}

} // namespace engine
