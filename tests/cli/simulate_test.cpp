#include "tests/cli/bscope.h"

#include <fmt/format.h>

using namespace cli_test;

TEST_CASE("simulate --json is the example of the contract")
{
    const Folder folder;
    const nlohmann::json run
        = bscope(folder, "simulate --devices 4 --micro-batches 4 --json").json();
    const nlohmann::json expected
        = nlohmann::json::parse(R"({"scheme":"bitpipe","mode":"simulate","devices":4,
        "micro_batches":4,"chunks":2,"data_parallel":1,"outcome":"finished","iteration":14.0,
        "span":14.0,"unit":"forward","p2p_messages":48,"local_copies":8,"tokens_per_second":null,
        "mfu":null})");
    for (const auto& [key, value] : expected.items()) {
        CAPTURE(key);
        CHECK(run[key] == value);
    }
    CHECK(run["bubble_ratio"].get<double>() == Approx(1.0 / 7).epsilon(1e-9));
    const nlohmann::json first = run["per_device"][0];
    CHECK(first["device"] == 0);
    CHECK(first["span"] == 14.0);
    CHECK(first["compute"] == 12.0);
    CHECK(first["communication_exposed"] == 0.0);
    CHECK(first["bubble"] == 2.0);
    CHECK(first["weights"] == 2.0);
    CHECK(first["peak_bytes"].is_null());
    std::vector<double> peaks, spans;
    int messages = 0, copies = 0;
    for (const nlohmann::json& device : run["per_device"]) {
        peaks.push_back(device["peak_stash"]);
        spans.push_back(device["span"]);
        messages += device["p2p_messages"].get<int>();
        copies += device["local_copies"].get<int>();
    }
    CHECK(peaks == std::vector<double>{3.5, 4, 4, 3.5});
    CHECK(spans == std::vector<double>{14, 12.5, 12.5, 14});
    CHECK(messages == 48);
    CHECK(copies == 8);
    CHECK(run["iterations"].size() == 1);
    CHECK(run["losses"].empty());
}

TEST_CASE("the defaults are BitPipe on four devices with eight micro-batches")
{
    const Folder folder;
    nlohmann::json run = bscope(folder, "simulate --json").json();
    nlohmann::json spelled = bscope(folder,
                                    "simulate --scheme bitpipe -D 4 -N 8 --chunks 2 --forward 1 "
                                    "--backward 2 --json")
                                 .json();
    run.erase("command");
    spelled.erase("command");
    CHECK(run == spelled);
}

TEST_CASE("several schemes give one row each")
{
    const Folder folder;
    const std::string command = "simulate --scheme gpipe --scheme 1f1b --scheme bitpipe -N 4";
    const Printed table = bscope(folder, command);
    REQUIRE(lines(table.out).size() > 4);
    CHECK(lines(table.out)[1].starts_with("gpipe "));
    CHECK(lines(table.out)[3].starts_with("bitpipe "));
    const nlohmann::json all = bscope(folder, command + " --json").json();
    REQUIRE(all.size() == 3);
    CHECK(all[0]["iteration"] == 21.0);
    CHECK(all[1]["iteration"] == 21.0);
    CHECK(all[2]["iteration"] == 14.0);
}

TEST_CASE("costs are exact decimals and backward is I + W unless it is given")
{
    const Folder folder;
    const auto iteration = [&](const std::string& costs) {
        return bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 --json " + costs)
            .json()["iteration"]
            .get<double>();
    };
    CHECK(iteration("") == 9.0); // (N + D - 1) (F + B)
    CHECK(iteration("--backward 1.5") == 7.5);
    CHECK(iteration("--input-gradient 0.7 --weight-gradient 0.3") == 6.0);
    CHECK(iteration("--forward 0.1 --backward 0.2") == Approx(0.9).epsilon(1e-12));
    CHECK(iteration("--forward 1/3 --backward 2/3") == Approx(3.0).epsilon(1e-12));
    CHECK(iteration("--optimizer 0.5") == 9.5);
    CHECK(iteration("--p2p 0.25") > 9.0);
}

TEST_CASE("iterations follow one another")
{
    const Folder folder;
    const nlohmann::json run = bscope(folder, "simulate -N 4 --iterations 3 --json").json();
    REQUIRE(run["iterations"].size() == 3);
    CHECK(run["iterations"][2]["index"] == 2);
    CHECK(run["iterations"][2]["duration"] == 14.0);
}

TEST_CASE("a simulated run is recorded, and analyzed the same")
{
    const Folder folder;
    nlohmann::json simulated = bscope(folder, "simulate -N 4 -o run.sqlite --json").json();
    for (const char* key : {"mapping", "device_memory_bytes", "usable_memory_bytes", "reserve",
                            "fits", "links"}) // of the hardware
        simulated.erase(key);
    nlohmann::json analyzed = bscope(folder, "analyze run.sqlite --json").json();
    CHECK(analyzed["bubbles"].size() > 0);
    CHECK(analyzed["critical_path"].size() > 0);
    for (const char* key : {"bubbles", "critical_path", "findings"}) // of the recorded run
        analyzed.erase(key);
    CHECK(analyzed == simulated);
    CHECK(analyzed["command"] == "bscope simulate --scheme bitpipe --devices 4 --micro-batches 4");
    CHECK(bscope(folder, "simulate -N 4 -o run.sqlite").status == 1);
    CHECK(bscope(folder, "simulate -N 4 -o run.sqlite --force").status == 0);
}

TEST_CASE("a simulation without spans gives the same numbers as one with spans")
{
    const Folder folder;
    for (const std::string schedule :
         {"--scheme 1f1b", "--scheme zb-v", "--scheme bitpipe --sync late", "--scheme seq1f1b"}) {
        nlohmann::json quick
            = bscope(folder, "simulate " + schedule + " --json --iterations 2").json();
        nlohmann::json kept
            = bscope(folder,
                     "simulate " + schedule + " --json --iterations 2 -o run.sqlite --force")
                  .json();
        quick.erase("command");
        kept.erase("command");
        CHECK(quick == kept);
    }
}

TEST_CASE("costs of interference: joint, blocking, slow-down, stage costs, links between nodes")
{
    const Folder folder;
    const auto iteration = [&](const std::string& arguments) {
        return bscope(folder, "simulate --json " + arguments).json()["iteration"].get<double>();
    };
    CHECK(iteration("--scheme dualpipe -D 4 -N 16")
          > iteration("--scheme dualpipe -D 4 -N 16 --joint 0.8"));
    const std::string gpipe = "--scheme gpipe -D 2 -N 4 --p2p 0.5";
    CHECK(iteration(gpipe) == 16.0);
    CHECK(iteration(gpipe + " --blocking") == 19.0);
    CHECK(iteration("--scheme 1f1b -D 2 -N 4 --stage-cost 1=2:4") == 27.0); // 4 x 6 + 3
    CHECK(iteration("--scheme 1f1b -D 4 -N 1 --devices-per-node 2 --p2p-across 1") == 14.0);
    CHECK(iteration("-N 4 --allreduce 1 --sync late") == 16.0);
    CHECK(iteration("-N 4 --allreduce 1 --sync eager-blocking") >= 14.5);
    CHECK(iteration("-N 4 --allreduce 4 --slow-down 1.5") > iteration("-N 4 --allreduce 4"));
    CHECK(iteration("--scheme 1f1b -D 2 -N 2 --data-parallel 2 --allreduce 1") == 10.0);
    const std::string jitter = "--scheme 1f1b --jitter 10 --seed ";
    CHECK(iteration(jitter + "1") == iteration(jitter + "1"));
    CHECK(iteration(jitter + "1") != iteration(jitter + "2"));
}

TEST_CASE("an invalid cost is refused with the option and valid forms")
{
    const Folder folder;
    const auto error = [&](const std::string& arguments) {
        const Printed printed = bscope(folder, "simulate " + arguments);
        CHECK(printed.status != 0);
        CHECK(lines(printed.err).size() == 1);
        return printed.err;
    };
    CHECK_THAT(error("--stage-cost 1"),
               Catch::Contains("--stage-cost 1: write STAGE=FORWARD:BACKWARD"));
    CHECK_THAT(error("--stage-cost 1=x:2"), Catch::Contains("--stage-cost x: 'x' is not a cost"));
    CHECK_THAT(error("--stage-cost 99=1:2"), Catch::Contains("--stage-cost names stage 99"));
    CHECK_THAT(error("--slow-down 0.5"), Catch::Contains("at least 1"));
    CHECK_THAT(error("--jitter 150"), Catch::Contains("from 0 to 100"));
    CHECK_THAT(error("--p2p-across 1"), Catch::Contains("--devices-per-node"));
    CHECK_THAT(error("--sync never"), Catch::Contains("eager-blocking"));
    CHECK_THAT(error("--data-parallel 0"), Catch::Contains("0 is not a whole number from 1"));
    CHECK_THAT(error("--devices 70000 --json"), Catch::Contains("from 1 to 65534"));
    CHECK_THAT(error("--scheme 1f1b -D 60000 -N 60000 --json"), Catch::Contains("need 187.8 GiB"));
}

// The limit was that of a schedule without spans, and counted one iteration.
TEST_CASE("the memory of spans counts for streams, and for every iteration")
{
    const Folder folder;
    CHECK_THAT(bscope(folder, "simulate --scheme pipedream-2bw -D 60000 -N 60000 --json").err,
               Catch::Contains("need 1341.1 GiB"));
    const Printed refused
        = bscope(folder, "simulate --scheme 1f1b -D 8 -N 8000 --iterations 100000 -o run.sqlite");
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("100000 iterations of 128000 ops need"));
    CHECK_FALSE(fs::exists(folder / "run.sqlite"));

    const auto hasPicture = [&folder](const std::string& iterations) {
        const Printed printed
            = bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 --iterations " + iterations);
        CHECK(printed.status == 0);
        return contains(printed.out, "device 0   | ");
    };
    CHECK(hasPicture("2"));
    CHECK_FALSE(hasPicture("70000"));
}

TEST_CASE("a model on hardware is timed in nanoseconds, with its memory")
{
    const Folder folder;
    const std::string command
        = "simulate --scheme 1f1b -D 8 -N 64 --model gpt3-96b --hardware a100-sxm-80 "
          "--tensor-parallel 4 --micro-batch-size 2";
    const nlohmann::json run = bscope(folder, command + " --json -o run.sqlite").json();
    CHECK(run["unit"] == "ns");
    CHECK(run["mfu"].get<double>() > 0.3);
    CHECK(run["mfu"].get<double>() < 0.75);
    CHECK(run["per_device"][0]["bytes_at_peak"]["stash"].get<double>()
          > run["per_device"][6]["bytes_at_peak"]["stash"].get<double>());
    CHECK(run["per_device"][0]["peak_stash"] == 8.0);
    nlohmann::json analyzed = bscope(folder, "analyze run.sqlite --json").json();
    CHECK(analyzed["per_device"] == run["per_device"]);
    CHECK_THAT(bscope(folder, "simulate --model gpt3-96b").err,
               Catch::Contains("a model and --hardware need each other"));
    CHECK_THAT(bscope(folder, "simulate --model x --hardware h100-sxm").err,
               Catch::Contains("unknown model 'x'"));
}

TEST_CASE("a trainable model also has costs")
{
    const Folder folder;
    for (const std::string model : {"tiny", "gpt2-124m", "llama-65b", "bert-64"})
        CHECK(bscope(folder, "simulate --model " + model + " --hardware h100-sxm").status == 0);
}

TEST_CASE("a schedule file with its transfers is simulated as the scheme is")
{
    const Folder folder;
    bscope(folder, "schedule --scheme 1f1b -D 2 -N 2 --with p2p,opt -o lowered.csv");
    nlohmann::json file
        = bscope(folder, "simulate --schedule lowered.csv --p2p 0.25 --json").json();
    nlohmann::json scheme
        = bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 --p2p 0.25 --json").json();
    CHECK(file["iteration"] == 9.5);
    CHECK(file["per_device"] == scheme["per_device"]);
    CHECK(file["p2p_messages"] == 4);
}

TEST_CASE("a large schedule restarts the program with the same arguments")
{
    const Folder folder;
    const Printed large
        = bscope(folder, {"simulate", "--scheme", "1f1b", "-D", "2100", "-N", "2100", "--json"});
    CHECK(large.status == 0);
    CHECK(large.json()["iteration"] == 3 * 2100 + 3 * 2099);
}

TEST_CASE("simulate and estimate have one memory model")
{
    const Folder folder;
    const std::string model = " --model gpt3-96b --hardware a100-sxm-80 --tensor-parallel 4 "
                              "--attention recompute --micro-batch-size 2 --json";
    const nlohmann::json row = bscope(folder, "estimate bpipe" + model).json()["rows"][0];
    for (const char* scheme : {"1f1b", "bpipe"}) {
        const nlohmann::json run
            = bscope(folder, std::string("simulate -D 8 -N 64 --scheme ") + scheme + model).json();
        const nlohmann::json device = run["per_device"][0];
        INFO(scheme << device.dump());
        const std::string key = scheme == std::string("1f1b") ? "one_f_one_b_bytes" : "bpipe_bytes";
        CHECK(device["peak_bytes"].get<double>() == Approx(row[key].get<double>()).epsilon(1e-6));
    }
}

TEST_CASE("estimate prints the rows of the re-evaluation of BPipe, and explains errors")
{
    const Folder folder;
    const nlohmann::json all = bscope(folder,
                                      "estimate bpipe --tensor-parallel 4 --attention recompute "
                                      "--stage-mfu 37.8,55.2 --micro-batch-size 1,2 --json")
                                   .json();
    REQUIRE(all["rows"].size() == 2);
    CHECK(all["rows"][1]["speed_up"].get<double>() == Approx(1.388).epsilon(1e-3));
    CHECK(all["rows"][1]["break_even"].get<double>() == Approx(1.0519).epsilon(1e-4));
    CHECK(all["rows"][1]["fits_without"] == false);
    CHECK(all["rows"][1]["fits_with"] == true);
    CHECK(all["rows"][1]["kernel_rule"] == "fused softmax");
    CHECK(contains(all["verdict"].get<std::string>(), "Yes: b = 2 with BPipe"));
    CHECK(all["mfu"].is_null());
    const Printed text
        = bscope(folder,
                 "estimate --model gpt-22b --devices 1 --tensor-parallel 8 --global-batch 4 "
                 "--micro-batch-size 4 --attention recompute --iteration-time 1.1");
    CHECK(contains(text.out, "MFU 41.6"));
    CHECK(contains(text.out, "HFU 43.8"));
    CHECK_THAT(bscope(folder, "estimate --stage-mfu 40").err, Catch::Contains("one for each"));
    CHECK_THAT(bscope(folder, "estimate --micro-batch-size 3").err,
               Catch::Contains("not divisible"));
    CHECK_THAT(bscope(folder, "estimate -D 81").err, Catch::Contains("80 layers"));
}

TEST_CASE("estimate compares the closed form with the iterations of recorded runs")
{
    const Folder folder;
    for (const std::string b : {"1", "2"})
        REQUIRE(bscope(folder,
                       "run --scheme 1f1b -D 2 -N " + std::string(b == "1" ? "8" : "4")
                           + " --micro-batch-size " + b + " --iterations 3 -o b" + b + ".sqlite")
                    .status
                == 0);
    const auto json = bscope(folder, "estimate --from-run b1.sqlite b2.sqlite --json").json();
    REQUIRE(json["runs"].size() == 2);
    for (const auto& row : json["runs"]) {
        const double n = row["micro_batches"];
        CHECK(row["mfu"].get<double>()
              == Approx(row["stage_mfu"].get<double>() * n / (n + 1)).epsilon(1e-9));
        CHECK(row["error"].get<double>()
              == Approx(row["measured_mfu"].get<double>() / row["mfu"].get<double>() - 1));
    }
    CHECK(json["runs"][1]["micro_batch_size"] == 2);
    REQUIRE(bscope(folder, "run --scheme zb-v -D 2 -N 4 --iterations 1 -o v.sqlite").status == 0);
    CHECK(contains(bscope(folder, "estimate --from-run v.sqlite").err, "v.sqlite: zb-v"));
}

TEST_CASE("simulate takes the layers, the network and the batch in place of those of a preset")
{
    const Folder folder;
    const std::string model = "simulate --scheme 1f1b -D 16 --model bert-64 --hardware a800-sxm-80";
    const auto numbers = [&](const std::string& options) {
        return bscope(folder, model + options + " --json").json();
    };
    const auto own = numbers(" -N 16"), layers = numbers(" -N 16 --layers 128"),
               slow = numbers(" -N 16 --network 0.8");
    CHECK(layers["model"] == "bert-64 with 128 layers");
    CHECK(layers["iteration"].get<double>() > 1.5 * own["iteration"].get<double>());
    CHECK(slow["iteration"].get<double>() > own["iteration"].get<double>());
    CHECK(numbers(" --micro-batch-size 2 --global-batch 64")["micro_batches"] == 32);
    CHECK(contains(bscope(folder, model + " --micro-batch-size 3 --global-batch 64").err,
                   "not divisible by W x b = 3; use 66"));
    for (const std::string option : {"--layers 4", "--network 1", "--global-batch 8"})
        CHECK(contains(bscope(folder, "simulate " + option).err, "needs --model and --hardware"));
}

TEST_CASE("the stash of a model on hardware is what the engine plans for it in bf16")
{
    const Folder folder;
    for (const std::string options :
         {"--model tiny --attention standard", "--model tiny --attention flash",
          "--model tiny-vit --attention flash"}) {
        CAPTURE(options);
        const std::string file = "run.sqlite";
        REQUIRE(bscope(folder,
                       "run --scheme 1f1b -D 2 -N 4 --iterations 1 --warmup 0 --precision bf16 "
                           + options + " --force -o " + file)
                    .status
                == 0);
        const nlohmann::json planned
            = bscope(folder, "analyze " + file + " --json").json()["per_device"];
        const nlohmann::json formula
            = bscope(folder,
                     "simulate --scheme 1f1b -D 2 -N 4 --hardware a100-sxm-80 "
                     "--micro-batch-size 2 --json "
                         + options)
                  .json()["per_device"];
        // The formula leaves out the statistics of norms, and the head is on the last device.
        CHECK(formula[0]["peak_stash_bytes"].get<double>()
              == Approx(planned[0]["peak_stash_bytes"].get<double>()).epsilon(0.01));
        CHECK(formula[1]["peak_stash_bytes"].get<double>()
              == Approx(planned[1]["peak_stash_bytes"].get<double>()).epsilon(0.05));
    }
}

TEST_CASE("layers per stage decide times and memory of a model on hardware")
{
    const Folder folder;
    const auto simulated = [&](const std::string& layout) {
        return bscope(folder,
                      "simulate --scheme 1f1b -D 4 -N 8 --model small --hardware "
                      "a100-sxm-80 --json "
                          + layout)
            .json();
    };
    const auto layers = [](int a, int b, int c, int d) {
        return fmt::format("--layout Et*{}|t*{}|t*{}|t*{}L", a, b, c, d);
    };
    constexpr int even = 3; // of the 12 of the model
    const auto equal = simulated(layers(even, even, even, even));
    CHECK(equal["iteration"] == simulated("")["iteration"]);
    const auto uneven = simulated(layers(even - 1, even - 1, even + 3, even - 1));
    CHECK(uneven["iteration"].get<double>() > equal["iteration"].get<double>());
    CHECK(uneven["per_device"][2]["compute"].get<double>()
          > equal["per_device"][2]["compute"].get<double>());
    CHECK(uneven["per_device"][0]["peak_bytes"].get<double>()
          < equal["per_device"][0]["peak_bytes"].get<double>());
    CHECK(uneven["mfu"].get<double>() < equal["mfu"].get<double>());
    CHECK(simulated(
              fmt::format("--layout E|t*{}|t*{}|L", 2 * even, 2 * even))["per_device"][0]["span"]
              .get<double>()
          > 0);
    CHECK(contains(bscope(folder, "simulate --layout EtL").err,
                   "--layout: needs --model and --hardware"));
}

TEST_CASE("layout prints the balanced layers, whose simulation takes as long as it says")
{
    const Folder folder;
    const std::string costs = " --hardware a100-sxm-80 --scheme 1f1b -D 8 -N 16 --json";
    const auto balanced = bscope(folder, "layout llama3-8b" + costs).json();
    CHECK(balanced["before"]["layout"] == "Et*4|(t*4|)*6t*4L");
    CHECK(balanced["change"].get<double>() < 0);
    const std::string layout = balanced["megatron"].get<std::string>();
    CHECK(balanced["after"]["layout"] == layout);
    CHECK(balanced["torchtitan"].size() == 8);
    CHECK(balanced["torchtitan"][0][0] == "tok_embeddings");
    CHECK(balanced["torchtitan"][7].back() == "output");
    const auto again
        = bscope(folder, "simulate --model llama3-8b --layout " + layout + costs).json();
    CHECK(again["iteration"] == balanced["after"]["iteration"]);
    const auto error
        = [&](const std::string& arguments) { return bscope(folder, "layout " + arguments).err; };
    CHECK(contains(error("small"), "a model and --hardware need each other"));
    CHECK(contains(error(""), "layers have no times: give a model and --hardware"));
    CHECK(contains(error("small --hardware a100-sxm-80 --memory 5"), "give bytes, as in 40GiB"));
}

TEST_CASE("activations are offloaded over the host link of the hardware, if it has one")
{
    const Folder folder;
    const std::string hardware
        = "teraflops = 312\nmemory_gib = 80\nmemory_gb_per_second = 2039\ndevices_per_node = 8\n";
    writeText(folder / "without.toml", hardware);
    writeText(folder / "with.toml", hardware + "[host]\ngb_per_second = 1000\n");
    const std::string command = "simulate --scheme 1f1b -D 4 -N 8 --model gpt3-96b "
                                "--tensor-parallel 8 --json --hardware ";
    const auto plain = bscope(folder, command + "without.toml").json();
    const auto offloaded = bscope(folder, command + "with.toml --offload 3").json();
    CHECK(plain["per_device"][0]["peak_stash"] == 4);
    CHECK(offloaded["per_device"][0]["peak_stash"] == 3);
    CHECK(offloaded["per_device"][0]["peak_bytes"] < plain["per_device"][0]["peak_bytes"]);
    CHECK(offloaded["iteration"] == plain["iteration"]);
    CHECK(contains(bscope(folder, command + "without.toml --offload 3").err,
                   "has no link to host memory; add the table [host]"));
    const auto smaller = bscope(folder, command + "without.toml --device-memory 40GiB").json();
    CHECK(smaller["iteration"] == plain["iteration"]);
    CHECK(smaller["fits"] == false);
}

// The link loads took the missing peer of an UNSHARD for a device.
TEST_CASE("a sharded schedule of PyTorch needs less memory than a whole one")
{
    const Folder folder;
    const auto peak = [&folder](const std::string& first, const std::string& last) {
        writeText(folder / "torch.csv",
                  first + "0F0,0F1,0B0,0B1,0REDUCE_GRAD" + last
                      + "\n1F0,1B0,1F1,1B1,1REDUCE_GRAD\n");
        const Printed printed
            = bscope(folder,
                     "simulate --schedule torch.csv --data-parallel 4 --model gpt3-96b "
                     "--layers 8 --hardware a100-sxm-80 --json");
        CAPTURE(printed.err);
        REQUIRE(printed.status == 0);
        return printed.json()["per_device"][0]["peak_bytes"].get<double>();
    };
    CHECK(peak("0UNSHARD,", ",0RESHARD") < peak("", ""));
}

// An option at its default was a difference between two simulated runs.
TEST_CASE("a simulation with its defaults given has no difference to one without")
{
    const Folder folder;
    const std::string units = "simulate --scheme 1f1b -D 4 -N 8",
                      model = units + " --model gpt3-96b --hardware a100-sxm-80";
    const std::pair<std::string, std::string> pairs[]{
        {units,
         " --p2p 0.0 --forward 1 --backward 2 --input-gradient 1.0 --evict none --jitter 0 "
         "--offload off --recompute none --sync eager --iterations 1 --receive eager"},
        {model,
         " --network 25 --layers 80 --device-memory 79.2GiB --reserve 5 --tensor-parallel 1 "
         "--mapping replicas-together --attention standard"}};
    for (const auto& [plain, defaults] : pairs) {
        bscope(folder, plain + " -o plain.sqlite --force");
        bscope(folder, plain + defaults + " -o given.sqlite --force");
        const auto both = bscope(folder, "compare plain.sqlite given.sqlite --json").json();
        CHECK(both["notes"].empty());
    }
    bscope(folder, model + " --network 12 -o other.sqlite");
    const auto both = bscope(folder, "compare given.sqlite other.sqlite --json").json();
    CHECK_FALSE(both["notes"].empty());
}

// `simulate` printed times and a memory for a schedule that `run` refuses.
TEST_CASE("sequence slices need causal attention and kept activations, in predictions as in runs")
{
    const Folder folder;
    const std::string sliced = " --scheme seq1f1b -D 4 -N 8 ",
                      hardware = sliced + "--hardware a100-sxm-80 --model ";
    const std::string bert = hardware + "bert-64", full = hardware + "gpt3-96b --recompute full";
    for (const auto& [options, reason] :
         {std::pair(bert, "bidirectional attention needs whole sequences"),
          std::pair(full, "that full recomputation frees"),
          std::pair(sliced + "--recompute full", "that full recomputation frees")})
        CHECK(contains(bscope(folder, "simulate" + options).err, reason));
    CHECK(contains(bscope(folder,
                          "search --orders 10 --start seq1f1b -D 4 -N 8 --hardware "
                          "a100-sxm-80 --model bert-64")
                       .err,
                   "simulate --scheme seq1f1b with the same options says why"));
    bscope(folder, "run --scheme 1f1b -D 2 -N 2 --model tiny-vit --iterations 1 -o vit.sqlite");
    CHECK(contains(bscope(folder, "whatif vit.sqlite --scheme seq1f1b").err, "bidirectional"));
}
