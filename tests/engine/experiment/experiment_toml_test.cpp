#include "engine/experiment/experiment_fields.h"
#include "tests/catch.h"

#include <random>
#include <set>

using namespace engine;

namespace {

Experiment unusual()
{
    Experiment experiment;
    experiment.schedule = {.scheme = "gpipe",
                           .devices = 3,
                           .microBatches = 7,
                           .chunks = 1,
                           .dataParallel = 1,
                           .options = {{"backward", "lifo"}}};
    experiment.scheduleFile = "my \"odd\" file.csv";
    experiment.model.layers = 5;
    experiment.model.learningRate = 1.0 / 3;
    experiment.model.precision = Precision::Bf16;
    experiment.iterations = 11;
    experiment.warmup = 0;
    experiment.seed = 18'000'000'000'000'000'000ULL;
    experiment.accumulate = Accumulate::Exact;
    experiment.backend = Backend::Cuda;
    experiment.graphs = Graphs::On;
    experiment.transport = TransportChoice::Peer;
    experiment.sync = SyncPolicy::Late;
    experiment.textFile = "/tmp/a\\b.txt";
    experiment.link = {Nanoseconds(5000), 50e9};
    experiment.deviceMemory = 16LL << 30;
    experiment.trace = Trace::Kernels;
    experiment.modelFile = "my.toml";
    return experiment;
}

std::string message(std::string_view toml)
{
    const auto experiment = experimentFromToml(toml);
    return experiment ? "" : experiment.error().message;
}

} // namespace

TEST_CASE("an experiment and its toml are inverses")
{
    CHECK(experimentFromToml(toToml(Experiment())) == Experiment());
    CHECK(experimentFromToml(toToml(unusual())) == unusual());
    Experiment byNccl;
    byNccl.backend = Backend::Cuda;
    byNccl.mode = Mode::Live;
    byNccl.transport = TransportChoice::Nccl;
    CHECK(experimentFromToml(toToml(byNccl)) == byNccl);
}

TEST_CASE("an experiment written by hand needs only what differs from the defaults")
{
    Experiment expected;
    expected.schedule.scheme = "1f1b";
    expected.model = loadModel("small").value();
    CHECK(experimentFromToml("[schedule]\nscheme = \"1f1b\"\n[model]\npreset = \"small\"\n")
          == expected);
    CHECK(experimentFromToml("") == Experiment());
}

TEST_CASE("a bad experiment is an error that names the key")
{
    CHECK(message("[schedule]\ndevices = \"four\"")
          == "experiment: schedule.devices must be a whole number from 1 to 65534");
    CHECK_THAT(message("[schedule]\nwings = 2"),
               Catch::StartsWith("experiment: [schedule]: unknown key 'wings'; use one of: "));
    CHECK(message("[schedule]\ndevice = 2")
          == "experiment: [schedule]: unknown key 'device'; did you mean 'devices'?");
    CHECK(message("[run]\naccumulate = \"fast\"")
          == "experiment: run.accumulate must be one of float, exact");
    CHECK(message("[run]\nseed = -1")
          == "experiment: run.seed must be a whole number from 0 to 18446744073709551615");
    CHECK(message("[model]\npreset = \"tiny\"\nlayers = 3")
          == "experiment: [model] has a preset; remove its other keys, or the preset");
    CHECK(message("[nonsense]")
          == "experiment: unknown table 'nonsense'; the tables are schedule, run, model and link");
    CHECK(message("[run]\niterations = 0")
          == "experiment: run.iterations must be a whole number from 1 to 1000000");
    CHECK(message("[run\n").starts_with("experiment: line 1: "));
}

TEST_CASE("the command of a run has the settings that are not default")
{
    CHECK(commandOf(Experiment())
          == "bscope run --scheme bitpipe --devices 4 --micro-batches 8 --model tiny");
    Experiment experiment = unusual();
    experiment.scheduleFile.clear();
    experiment.modelFile.clear();
    experiment.mode = Mode::Live;
    experiment.model.learningRate = 1e-3; // which no option sets
    CHECK(commandOf(experiment)
          == "bscope run --scheme gpipe --devices 3 --micro-batches 7 --chunks 1 --set "
             "backward=lifo --sync late --model tiny --layers 5 --precision bf16 --iterations 11 "
             "--warmup 0 --seed 18000000000000000000 --accumulate exact --text '/tmp/a\\b.txt' "
             "--mode live --backend cuda --transport peer --graphs on "
             "--device-memory 16GiB --trace kernels");
    experiment.scheduleFile = "it's.csv";
    CHECK(commandOf(experiment).starts_with("bscope run --schedule 'it'\\''s.csv' --sync late"));
}

namespace {

// A text that the field takes.
std::string anyText(const Field<Experiment>& field, std::mt19937_64& random)
{
    const auto below = [&](std::uint64_t most) { return random() % most; };
    switch (field.kind) {
    case FieldKind::Integer:
        return field.most > 1e18 ? std::to_string(random())
                                 : std::to_string(static_cast<std::int64_t>(field.least)
                                                  + static_cast<std::int64_t>(below(1000)));
    case FieldKind::Real:
        return scaledText(static_cast<double>(below(100'000)), 3);
    case FieldKind::Choice:
        return std::string(field.names[below(field.names.size())]);
    case FieldKind::Memory:
        return memoryText(static_cast<std::int64_t>(below(1 << 20)) << below(30));
    case FieldKind::List:
        return "backward=lifo\nkey " + std::to_string(below(9)) + "=a\"b'c";
    case FieldKind::Flag:
        return below(2) == 0 ? "false" : "true";
    default:
        if (field.flag == "--layout")
            return below(2) == 0 ? "Et*3|t*5L" : "";
        if (field.flag == "--recompute-ahead")
            return below(2) == 0 ? "peak" : "2.5";
        if (field.flag == "--offload")
            return below(2) == 0 ? "off" : "2.5";
        return field.flag == "--model" ? std::vector<std::string>{"small", "gpt2-124m"}[below(2)]
                                       : "odd \"'\\$ text " + std::to_string(below(100));
    }
}

// Every field at some value; transports and graphs where they have an effect.
Experiment anyExperiment(std::mt19937_64& random)
{
    Experiment experiment;
    for (const auto& field : experimentFields())
        if (!field.flag.empty() && field.flag != "--schedule" && random() % 2 == 0)
            REQUIRE(setChecked(field, experiment, anyText(field, random)));
    if (experiment.mode == Mode::Simulate)
        experiment.mode = Mode::Live;
    const Experiment defaults;
    for (const auto& field : experimentFields())
        if (!field.off(experiment).empty())
            REQUIRE(field.set(experiment, field.get(defaults)));
    return experiment;
}

} // namespace

TEST_CASE("every setting survives TOML and the command line at any value")
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 300; ++round) {
        Experiment experiment = anyExperiment(random);
        CAPTURE(round, commandOf(experiment));
        const auto arguments = runArguments(experiment);
        CHECK(experimentFromArguments(arguments) == experiment);
        experiment.model.microBatchSize = 2; // sizes that a file takes: 2^20 tokens at most
        experiment.model.sequence = 64;
        experiment.model.heads = 1;
        CHECK(experimentFromToml(toToml(experiment)) == experiment);
    }
}

TEST_CASE("each field with an option or a key has a help text")
{
    std::set<std::string> flags;
    for (const auto& field : experimentFields()) {
        CAPTURE(field.flag, field.key);
        CHECK((field.key.empty() || !field.table.empty()));
        CHECK(!field.label.empty());
        if (field.flag.empty())
            continue;
        CHECK(flags.insert(field.longFlag()).second);
        CHECK(!field.help.empty());
        CHECK(!field.help.ends_with('.'));
        CHECK(!field.group.empty());
        CHECK(field.check(field.get(Experiment())));
    }
}

TEST_CASE("the link of a run is described with its origin")
{
    CHECK(describeLink({}) == "free");
    CHECK(describeLink({Nanoseconds(5000), 50e9}) == "50 GB/s, 5 µs (assumed)");
    CHECK(describeLink({Nanoseconds(500), 0}) == "unlimited bandwidth, 0.5 µs (assumed)");
}
