#include "tests/cli/bscope.h"

#include <fstream>

using namespace cli_test;

namespace {

nlohmann::json simulated(const Folder& folder, const std::string& arguments)
{
    return bscope(folder, "simulate --json " + arguments).json();
}

// Iteration in ns of 32 A800 in nodes of eight: W = 4, D = 8, N = 2 D.
double onA800(const Folder& folder, const std::string& model, const std::string& arguments)
{
    return simulated(folder,
                     "-D 8 -N 16 --data-parallel 4 --hardware a800-sxm-80 --model " + model + " "
                         + arguments)["iteration"];
}

// What every hardware file states.
constexpr const char* kDevice = "teraflops = 312\nmemory_gib = 79.2\nmemory_gb_per_second = 2039\n";

} // namespace

TEST_CASE("BitPipe needs its replicas in one node: else it loses to interleaved 1F1B")
{
    const Folder folder;
    for (const std::string model : {"bert-64 --micro-batch-size 4", "gpt-96"}) {
        INFO(model);
        const auto iteration = [&](const char* scheme, const char* mapping) {
            return onA800(folder, model,
                          std::string("--scheme ") + scheme + " --mapping " + mapping);
        };
        const bool isBert = model != "gpt-96";
        CHECK(iteration("interleaved-1f1b", "contiguous") / iteration("bitpipe", "contiguous")
              == Approx(isBert ? 0.93 : 0.77).margin(0.01));
        const double bitpipe = iteration("bitpipe", "replicas-together");
        CHECK(iteration("interleaved-1f1b", "replicas-together") / bitpipe
              == Approx(isBert ? 1.07 : 1.05).margin(0.01));
        CHECK(iteration("1f1b", "replicas-together") / bitpipe == Approx(1.25).margin(0.01));
    }
}

// BitPipe seemed 1.86 times as fast as 1F1B, because only BitPipe had its replicas together.
TEST_CASE("every scheme has its replicas together if no mapping is chosen")
{
    const Folder folder;
    for (const std::string scheme :
         {"gpipe", "1f1b", "interleaved-1f1b", "bpipe", "mixpipe", "chimera", "bitpipe"})
        CHECK(simulated(folder,
                        "-D 4 -N 8 --data-parallel 2 --devices-per-node 2 --scheme "
                            + scheme)["mapping"]
              == "replicas-together on 4 nodes, 2 slots per node");
}

TEST_CASE("BPipe needs its pairs in one node")
{
    const Folder folder;
    const auto iteration = [&](const std::string& arguments) {
        return simulated(folder,
                         "-D 8 --model llama-65b --hardware a100-sxm-80 --tensor-parallel 4 "
                         "--attention recompute "
                             + arguments)["iteration"]
            .get<double>();
    };
    const double before = iteration("--scheme 1f1b -N 64 --micro-batch-size 2");
    const std::string bpipe = "--scheme bpipe -N 32 --micro-batch-size 4";
    CHECK(before / iteration(bpipe + " --mapping contiguous") == Approx(0.87).margin(0.01));
    CHECK(before / iteration(bpipe + " --mapping pair-adjacent") == Approx(0.931).margin(0.005));
}

TEST_CASE("with all-reduces in three phases and a NIC per GPU, the mapping matters little")
{
    const Folder folder;
    std::ofstream(folder / "phases.toml")
        << kDevice
        << "[node]\ngb_per_second = 200\n[network]\ngb_per_second = 25\n"
           "all_reduce = \"hierarchical\"\n";
    const auto iteration = [&](const std::string& mapping) {
        return simulated(folder,
                         "-D 8 -N 16 --data-parallel 4 --model bert-64 --micro-batch-size 4 "
                         "--hardware phases.toml --mapping "
                             + mapping)["iteration"]
            .get<double>();
    };
    const double slowDown = iteration("contiguous") / iteration("replicas-together");
    CHECK(slowDown > 1);
    CHECK(slowDown < 1.05);
}

TEST_CASE("GPUs that share a NIC send more slowly")
{
    const Folder folder;
    const auto iteration = [&](const std::string& nics) {
        std::ofstream(folder / "nics.toml")
            << kDevice << "[network]\ngb_per_second = 25\nnics_per_node = " << nics << "\n";
        return simulated(folder,
                         "-D 8 -N 16 --data-parallel 4 --model bert-64 --micro-batch-size 4 "
                         "--hardware nics.toml")["iteration"]
            .get<double>();
    };
    CHECK(iteration("4") > iteration("8"));
    CHECK(iteration("1") > iteration("4"));
}

TEST_CASE("a mapping file is used, and is refused if it does not fit")
{
    const Folder folder;
    const std::string command = "--scheme 1f1b -D 4 -N 8 --devices-per-node 2 --p2p-across 1 ";
    std::ofstream(folder / "chess.toml") << "copies = [[\"0:0\", \"1:0\", \"0:1\", \"1:1\"]]\n";
    const nlohmann::json run = simulated(folder, command + "--mapping chess.toml");
    CHECK(run["mapping"] == "chess.toml on 2 nodes, 2 slots per node");
    CHECK(run["iteration"] > simulated(folder, command)["iteration"]);
    CHECK(simulated(folder, command)["mapping"]
          == "replicas-together on 2 nodes, 2 slots per node");
    const auto error = [&](const std::string& arguments) {
        const Printed printed = bscope(folder, "simulate " + arguments);
        CHECK(printed.status != 0);
        CHECK(lines(printed.err).size() == 1);
        return printed.err;
    };
    CHECK_THAT(error("-D 2 --devices-per-node 2 --mapping chess.toml"),
               Catch::Contains("chess.toml: copy 0: 4 devices, but the schedule has 2"));
    CHECK_THAT(error(command + "--mapping nowhere.toml"), Catch::Contains("nowhere.toml"));
    CHECK_THAT(error(command + "--mapping close"), Catch::Contains("use contiguous"));
    CHECK_THAT(error("--mapping contiguous"), Catch::Contains("needs nodes"));
    std::ofstream(folder / "small.toml") << kDevice << "nodes = 1\ndevices_per_node = 2\n";
    CHECK_THAT(error("--model tiny --hardware small.toml"),
               Catch::Contains("need 4 slots, but there are only 1 x 2 (nodes x slots per node)"));
    std::ofstream(folder / "nics.toml") << kDevice << "[network]\nnics_per_node = 9\n";
    CHECK_THAT(error("--model tiny --hardware nics.toml"),
               Catch::Contains("at most devices_per_node"));
    std::ofstream(folder / "tree.toml") << kDevice << "[network]\nall_reduce = \"tree\"\n";
    CHECK_THAT(error("--model tiny --hardware tree.toml"),
               Catch::Contains("must be one of ring, hierarchical"));
}

TEST_CASE("simulate applies an option or refuses it")
{
    const Folder folder;
    const auto error = [&](const std::string& arguments) {
        const Printed printed = bscope(folder, "simulate " + arguments);
        CHECK(printed.status != 0);
        CHECK(lines(printed.err).size() == 1);
        return printed.err;
    };
    for (const std::string option :
         {"--p2p 1", "--allreduce 1", "--forward 2", "--devices-per-node 4", "--latency 1",
          "--stage-cost 0=1:2", "--nics-per-node 1", "--allreduce-across 1"}) {
        INFO(option);
        CHECK_THAT(error("--model tiny --hardware h100-sxm " + option),
                   Catch::Contains(option.substr(0, option.find(' ')))
                       && Catch::Contains("leave it out"));
    }
    for (const std::string option :
         {"--attention flash", "--tensor-parallel 2", "--micro-batch-size 2", "--recompute-all"})
        CHECK_THAT(error(option), Catch::Contains("needs --model and --hardware"));
    CHECK_THAT(error("--nics-per-node 1"), Catch::Contains("--devices-per-node"));
    CHECK_THAT(error("--devices-per-node 2 --nics-per-node 3"), Catch::Contains("use at most 2"));
    CHECK(bscope(folder, "simulate --model tiny --hardware h100-sxm --jitter 5").status == 0);
}

TEST_CASE("simulate says what the links of a machine carry")
{
    const Folder folder;
    const std::string command = "simulate --scheme bitpipe -D 8 -N 16 --data-parallel 4 --model "
                                "gpt-96 --hardware a800-sxm-80 ";
    CHECK(contains(bscope(folder, command).out,
                   "links: largest load 1.61 GB, from node 0 to node 1 (256 messages and copies, 0 "
                   "all-reduces)"));
    const nlohmann::json links = bscope(folder, command + "--json").json()["links"];
    REQUIRE(links.size() == 4 + 6); // within four nodes, and 0-1-2-3 in both directions
    for (const nlohmann::json& link : links) {
        CHECK((link["all_reduce_bytes"] == 0) == (link["from_node"] != link["to_node"]));
        CHECK(link["bytes"].get<double>()
              == Approx(link["message_bytes"].get<double>() + link["copy_bytes"].get<double>()
                        + link["all_reduce_bytes"].get<double>()));
        CHECK(link["busy_ms"] > 0);
    }
    CHECK(simulated(folder, "-D 4")["links"].is_null());
}

TEST_CASE("kit prints the command of the launcher")
{
    const Folder folder;
    const std::string kit = "kit --scheme 1f1b -D 4 -N 8 --gpus-per-node 2 -o ";
    CHECK(contains(bscope(folder, kit + "a").out,
                   "cd a && FIRST_NODE=node-1 ./run.sh  (on every node)"));
    CHECK(contains(bscope(folder, kit + "b --launcher torchrun --first-node gpu7 --port 8000").out,
                   "cd b && FIRST_NODE=gpu7 PORT=8000 ./run.sh"));
    CHECK(contains(bscope(folder, kit + "c --launcher slurm").out, "cd c && sbatch slurm.sh\n"));
    const Printed refused
        = bscope(folder, "kit --scheme bitpipe -D 4 -N 8 --launcher torchtitan -o d");
    CHECK(refused.status == 1);
    CHECK(contains(refused.err, "torchtitan cannot execute"));
}

// They had no effect.
TEST_CASE("kit has no options for the assumed links of emulated runs")
{
    const Folder folder;
    for (const std::string option :
         {"--devices-per-node 2", "--mapping contiguous", "--link-bandwidth 1",
          "--link-bandwidth-across 1", "--link-latency 1", "--link-latency-across 1",
          "--host-bandwidth 1"}) {
        const Printed refused = bscope(folder, "kit --scheme 1f1b -o kit " + option);
        INFO(option);
        CHECK(refused.status != 0);
        CHECK(contains(refused.err, option.substr(0, option.find(' '))));
    }
}

// simulate accepted 78.3 of 79.2 GiB, while estimate kept 5 % free.
TEST_CASE("simulate, search, estimate and studies have the same limit of memory")
{
    const Folder folder;
    const std::string model = " --model gpt3-96b --hardware a100-sxm-80 --tensor-parallel 4 "
                              "--attention recompute --micro-batch-size 2 --json";
    const std::string simulate = "simulate --scheme 1f1b -D 8 -N 16" + model;
    CHECK(bscope(folder, simulate).json()["fits"] == false);
    CHECK(bscope(folder, simulate + " --reserve 1").json()["fits"] == true);
    const std::string estimate = "estimate" + model;
    CHECK(bscope(folder, estimate).json()["rows"][0]["fits_without"] == false);
    CHECK(bscope(folder, estimate + " --reserve 1").json()["rows"][0]["fits_without"] == true);
    const std::string search = "search --scheme 1f1b -D 8 -N 16 --seconds 0.1 --threads 1" + model;
    const auto fits = [&](const std::string& options) {
        const auto found = bscope(folder, search + options).json();
        for (const auto& row : found["published"])
            if (row["scheme"] == "1f1b")
                return row["fits"].get<bool>();
        return !found.contains("published");
    };
    CHECK_FALSE(fits(""));
    CHECK(fits(" --reserve 1"));
    CHECK(
        contains(bscope(folder, search + " --reserve 1 --memory 79GiB").err, "leave one of them"));
    writeText(folder / "memory.toml",
              "only_fitting = true\n[fixed]\nscheme = \"1f1b\"\ndevices = 8\nmicro-batches = 16\n"
              "model = \"gpt3-96b\"\nhardware = \"a100-sxm-80\"\ntensor-parallel = 4\n"
              "attention = \"recompute\"\nmicro-batch-size = 2\n[grid]\nreserve = [0, 5]\n");
    CHECK(bscope(folder, "study memory.toml -o results").status == 0);
    const std::string csv = readText(folder / "results/results.csv");
    CHECK(contains(csv, ",usable_memory,"));
    CHECK(contains(readText(folder / "results/report.html"),
                   "79.2 GiB usable of 79.2 GiB: reserve 0 % and 75.2 GiB usable of 79.2 GiB: "
                   "reserve 5 %"));
    CHECK(contains(bscope(folder, "simulate --reserve 3").err, "--reserve"));
}

TEST_CASE("simulate says bytes, whether they fit, and HFU")
{
    const Folder folder;
    const std::string model = "simulate --scheme 1f1b -D 8 -N 64 --model gpt3-96b --hardware "
                              "a100-sxm-80 --tensor-parallel 4 ";
    const Printed fits = bscope(folder, model);
    CHECK(contains(fits.out, "free (75.2 GiB usable of 79.2 GiB: reserve 5 %)"));
    CHECK(contains(fits.out, "span ms"));
    CHECK_FALSE(contains(fits.out, "HFU"));
    const Printed large = bscope(folder, model + "--micro-batch-size 8 --attention recompute");
    CHECK(contains(large.out, " GiB and does not fit, "));
    CHECK(contains(large.out, "the times assume that it fits"));
    CHECK(contains(large.out, "HFU includes recomputation"));
    const nlohmann::json run = bscope(folder, model + "--attention recompute --json").json();
    CHECK(run["device_memory_bytes"] == 85040352461); // 79.2 GiB
    CHECK(run["usable_memory_bytes"] == 80788334837);
    CHECK(run["reserve"] == 5);
    CHECK(run["fits"].is_boolean());
    CHECK(run["hfu"].get<double>() > run["mfu"].get<double>());
    CHECK(simulated(folder, "-D 4")["fits"].is_null());
    const Printed table = bscope(folder, model + "--scheme gpipe");
    CHECK(contains(table.out, "iteration ms"));
    CHECK(contains(table.out, "MFU %"));
    CHECK(contains(bscope(folder, "simulate").out, "span units"));
}

TEST_CASE("a run has its assumed links on nodes, and says which")
{
    const Folder folder;
    const std::string common
        = "run --scheme 1f1b -D 4 -N 4 --layers 8 --iterations 1 --warmup 0 --link-bandwidth 50 "
          "--link-bandwidth-across 0.001 --devices-per-node 2 ";
    bscope(folder, common + "-o near.sqlite");
    bscope(folder, common + "--mapping pair-adjacent -o far.sqlite");
    const nlohmann::json near = bscope(folder, "analyze near.sqlite --json").json();
    const nlohmann::json far = bscope(folder, "analyze far.sqlite --json").json();
    CHECK_THAT(near["link"].get<std::string>(),
               Catch::Contains("between 2 nodes, replicas-together"));
    CHECK_THAT(far["link"].get<std::string>(), Catch::Contains("between 2 nodes, pair-adjacent"));
    // Contiguous devices cross nodes once, in pairs twice.
    CHECK(far["iteration"].get<double>() > 1.1 * near["iteration"].get<double>());
    CHECK_THAT(far["link"].get<std::string>(), Catch::Contains("without contention"));
    // The times of the near run predict the far one: its messages across nodes are known.
    const auto predicted = [&](const std::string& mapping) {
        return bscope(folder,
                      "simulate --calibrate near.sqlite --devices-per-node 2 --json --mapping "
                          + mapping)
            .json()["iteration"]
            .get<double>();
    };
    CHECK(predicted("contiguous") == near["iteration"].get<double>());
    CHECK(predicted("pair-adjacent") > 1.1 * near["iteration"].get<double>());
    CHECK_THAT(bscope(folder, "simulate --calibrate near.sqlite --mapping contiguous").err,
               Catch::Contains("--devices-per-node"));
    CHECK_THAT(bscope(folder, "run --mapping contiguous").err,
               Catch::Contains("--mapping is only for runs with --devices-per-node"));
    CHECK_THAT(bscope(folder, common + "--mapping none").err, Catch::Contains("use contiguous"));
}
