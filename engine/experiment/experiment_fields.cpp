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

Field<E> withOff(Field<E> field, std::string (*off)(const E&))
{
    field.off = off;
    return field;
}

void addSchedule(std::vector<Field<E>>& fields)
{
    fields.push_back(field<E>({.flag = "--schedule",
                               .table = "schedule",
                               .key = "file",
                               .group = "Schedule",
                               .label = "Schedule file",
                               .help = "A schedule file instead of a scheme: bscope's CSV, "
                                       "PyTorch's or sail-sg's text",
                               .value = "FILE"},
                              &E::scheduleFile));
    for (const Field<ScheduleRequest>& each : requestFields()) {
        Field<E> part = lifted(each, &E::schedule);
        if (each.flag != "--data-parallel")
            part.off = onlyWithoutFile;
        fields.push_back(std::move(part));
    }
    fields.push_back(field<E>({.flag = "--sync",
                               .table = "run",
                               .key = "sync",
                               .group = "Schedule",
                               .label = "Gradient sync",
                               .help = "When the gradients of a stage are all-reduced: as soon as "
                                       "they are ready, after the last backward, or as soon as "
                                       "ready while holding the device, as BitPipe's code does",
                               .names = namesOf<SyncPolicy>(3, syncName)},
                              &E::sync));
}

void addModel(std::vector<Field<E>>& fields)
{
    fields.push_back({{.flag = "--model",
                       .group = "Model",
                       .label = "Model",
                       .help = "A preset or a model file",
                       .value = "NAME|FILE.toml",
                       .isEssential = true},
                      [](const E& experiment) {
                          return experiment.modelFile.empty() ? experiment.model.name
                                                              : experiment.modelFile;
                      },
                      [](E& experiment, std::string_view text) -> Result<void> {
                          auto model = loadModel(text);
                          if (!model) // a name that does not exist is wrong usage
                              return fail(model.error().code == Error::Code::NotFound
                                              ? Error::Code::InvalidArgument
                                              : model.error().code,
                                          model.error().message);
                          experiment.model = *std::move(model);
                          experiment.modelFile = text.ends_with(".toml") ? text : "";
                          return {};
                      }});
    fields.push_back(
        field<E>({.table = "run", .key = "model_file", .label = "Model file"}, &E::modelFile));
    for (const Field<ModelSpec>& each : modelFields())
        if (!each.flag.empty()) {
            Field<E> part = lifted(each, &E::model);
            part.table = part.key = {}; // [model] is written and read whole
            fields.push_back(std::move(part));
        }
}

void addTraining(std::vector<Field<E>>& fields)
{
    const auto add = [&](FieldFacts facts, auto member) {
        facts.table = "run";
        facts.group = "Training";
        fields.push_back(field<E>(std::move(facts), member));
    };
    add({.flag = "--iterations",
         .key = "iterations",
         .label = "Iterations",
         .help = "Measured iterations",
         .value = "K",
         .least = 1,
         .most = kMostIterations},
        &E::iterations);
    add({.flag = "--warmup",
         .key = "warmup",
         .label = "Warm-up",
         .help = "Iterations before the measured ones: they train and are not measured",
         .value = "K",
         .least = 0,
         .most = kMostIterations},
        &E::warmup);
    add({.flag = "--seed",
         .key = "seed",
         .label = "Seed",
         .help = "Seed of the initial weights and of the samples",
         .value = "S",
         .least = 0,
         .most = kMostSeed},
        &E::seed);
    add({.flag = "--accumulate",
         .key = "accumulate",
         .label = "Gradient sums",
         .help = "How gradients are summed: as floats, or exact, with the same bits in any order",
         .names = {"float", "exact"}},
        &E::accumulate);
    add({.flag = "--text",
         .key = "text",
         .label = "Text",
         .help = "Train on the bytes of this file, or on a short story (sample)",
         .value = "FILE|sample",
         .usual = "a small built-in language"},
        &E::textFile);
}

// Auto is the CPU: GPUs are chosen, never found.
Field<E> backendField()
{
    return {{.flag = "--backend",
             .table = "run",
             .key = "backend",
             .group = "Machine",
             .label = "Compute on",
             .help = "What ops run on: the CPU, or GPUs; auto is the CPU",
             .kind = FieldKind::Choice,
             .names = {"auto", "cpu", "cuda"}},
            [](const E& experiment) { return std::string(backendName(experiment.backend)); },
            [](E& experiment, std::string_view text) -> Result<void> {
                experiment.backend = text == "cuda" ? Backend::Cuda : Backend::Cpu;
                return {};
            }};
}

void addMachine(std::vector<Field<E>>& fields)
{
    const auto of = [](FieldFacts facts, auto member) {
        facts.table = "run";
        facts.group = "Machine";
        return field<E>(std::move(facts), member);
    };
    fields.push_back(of({.flag = "--mode",
                         .key = "mode",
                         .label = "Run as",
                         .help = "emulate: every op runs alone and is placed on D devices; live: D "
                                 "threads, GPUs or equal parts of one GPU run at the same time",
                         .value = "{emulate,live}",
                         .names = namesOf<Mode>(3, modeName),
                         .usual = "live with CUDA and D GPUs, else emulate"},
                        &E::mode));
    fields.push_back(backendField());
    fields.push_back(
        withOff(of({.flag = "--transport",
                    .key = "transport",
                    .label = "Transport",
                    .help = "Where the devices of a live run on GPUs are, and what transports "
                            "their messages: local, parts of the first GPU and copies within it; "
                            "peer, a GPU each and copies between them; nccl, a GPU each and NCCL; "
                            "auto, as many GPUs as there are and copies",
                    .names = namesOf<Carrier>(4, carrierName)},
                   &E::transport),
                onlyLiveOnGpus));
    fields.push_back(
        withOff(of({.flag = "--graphs",
                    .key = "graphs",
                    .label = "CUDA graphs",
                    .help = "Launch ops on GPUs as CUDA graphs; auto: those whose launch takes "
                            "about as long as their run",
                    .names = namesOf<Graphs>(3, graphsName)},
                   &E::graphs),
                onlyOnGpus));
    fields.push_back(
        field<E>({.flag = "--trace",
                  .table = "run",
                  .key = "trace",
                  .group = "Recording",
                  .label = "Record",
                  .help = "What is recorded: off, nothing; ops; kernels, with copies and "
                          "launches of a GPU; all that CUPTI reports; auto: kernels on a "
                          "GPU, else ops",
                  .names = namesOf<Trace>(5, traceName)},
                 &E::trace));
    fields.push_back(of({.flag = "--device-memory",
                         .key = "device_memory",
                         .label = "Device memory",
                         .help = "Memory of one device; a run that needs more is refused, with "
                                 "what would fit",
                         .value = "BYTES|16GiB",
                         .kind = FieldKind::Memory,
                         .usual = "no limit but the machine's"},
                        &E::deviceMemory));
}

// A part of the assumed link of an emulated run, stored in other units than it is typed in.
void addLink(std::vector<Field<E>>& fields)
{
    constexpr int kGiga = 9, kMicrosecond = 3; // powers of ten
    fields.push_back({{.flag = "--link-bandwidth",
                       .table = "link",
                       .key = "bytes_per_second",
                       .group = "Machine",
                       .label = "Link bandwidth, GB/s",
                       .help = "Assumed bandwidth of the link between devices, in GB/s; 0: "
                               "messages are free",
                       .value = "GB/S",
                       .kind = FieldKind::Real,
                       .least = 0,
                       .most = 1e6,
                       .exponent = kGiga},
                      [](const E& e) { return scaledText(e.link.bytesPerSecond, kGiga); },
                      [](E& e, std::string_view text) -> Result<void> {
                          e.link.bytesPerSecond = scaled(text, kGiga);
                          return {};
                      }});
    fields.push_back({{.flag = "--link-latency",
                       .table = "link",
                       .key = "latency_ns",
                       .group = "Machine",
                       .label = "Link latency, µs",
                       .help = "Assumed latency of a message, in microseconds",
                       .value = "US",
                       .kind = FieldKind::Real,
                       .least = 0,
                       .most = 1e9,
                       .exponent = kMicrosecond},
                      [](const E& e) {
                          return scaledText(static_cast<double>(e.link.latency.count()),
                                            kMicrosecond);
                      },
                      [](E& e, std::string_view text) -> Result<void> {
                          e.link.latency = Nanoseconds(std::llround(scaled(text, kMicrosecond)));
                          return {};
                      }});
}

} // namespace

Fields<Experiment> experimentFields()
{
    static const std::vector<Field<E>> kFields = [] {
        std::vector<Field<E>> fields;
        addSchedule(fields);
        addModel(fields);
        addTraining(fields);
        addMachine(fields);
        addLink(fields);
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
