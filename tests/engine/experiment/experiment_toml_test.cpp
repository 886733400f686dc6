#include "engine/experiment/run_command.h"
#include "tests/catch.h"

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
    experiment.transport = Carrier::Peer;
    experiment.sync = SyncPolicy::Late;
    experiment.textFile = "/tmp/a\\b.txt";
    experiment.link = {Nanoseconds(5000), 50e9};
    experiment.deviceMemory = 16LL << 30;
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
    byNccl.transport = Carrier::Nccl;
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
          == "experiment: schedule.devices must be a whole number");
    CHECK(message("[schedule]\nwings = 2") == "experiment: [schedule] has no key 'wings'");
    CHECK(message("[run]\naccumulate = \"fast\"")
          == "experiment: run.accumulate must be one of its names");
    CHECK(message("[run]\nseed = -1") == "experiment: run.seed must be a whole number");
    CHECK(message("[model]\npreset = \"tiny\"\nlayers = 3")
          == "experiment: [model] has a preset, so it can have no other key");
    CHECK(message("[nonsense]")
          == "experiment: 'nonsense' is unknown: there are the tables "
             "schedule, run, model, link");
    CHECK(message("[run]\niterations = 0") == "--iterations must be from 1 to 1000000");
    CHECK(message("[run\n").starts_with("experiment: line 1: "));
}

TEST_CASE("the command of a run says what is not default")
{
    CHECK(commandOf(Experiment())
          == "bscope run --scheme bitpipe --devices 4 --micro-batches 8 --model tiny");
    Experiment experiment = unusual();
    experiment.scheduleFile.clear();
    experiment.model.learningRate = 1e-3;
    CHECK(commandOf(experiment)
          == "bscope run --scheme gpipe --devices 3 --micro-batches 7 --chunks 1 --set "
             "backward=lifo --model tiny --layers 5 --precision bf16 --mode emulate --backend cuda "
             "--transport peer --graphs on --iterations 11 --warmup 0 "
             "--seed 18000000000000000000 --accumulate exact --sync late --link-bandwidth 50 "
             "--link-latency 5 --device-memory 17179869184 --text '/tmp/a\\b.txt'");
    experiment.scheduleFile = "it's.csv";
    CHECK(commandOf(experiment).starts_with("bscope run --schedule 'it'\\''s.csv' --model tiny"));
}

TEST_CASE("the link of a run is described with its origin")
{
    CHECK(describeLink({}) == "free");
    CHECK(describeLink({Nanoseconds(5000), 50e9}) == "50 GB/s, 5 us (assumed)");
    CHECK(describeLink({Nanoseconds(500), 0}) == "unlimited bandwidth, 0.5 us (assumed)");
}
