#include "tests/cli/bscope.h"

using namespace cli_test;

namespace {
struct Mistake
{
    std::string command;
    int status;
    std::string says; // part of the one line on standard error
};
} // namespace

TEST_CASE("every wrong usage ends with its exit status and one line that says what to do")
{
    const Folder folder;
    writeText(folder / "empty.txt", "");
    writeText(folder / "junk.toml", "scheme = [");
    writeText(folder / "moon.toml", "[fixed]\nmoon = 3\n[grid]\ndevices = [4, 8]\n");
    writeText(folder / "minus.toml", "[grid]\ndevices = [-4, 8]\n");
    const std::vector<Mistake> mistakes{
        {"run --transport peer", 2, "--transport needs GPUs: add --backend cuda"},
        {"run --backend cuda --mode emulate --transport nccl", 2,
         "--transport nccl needs a live run: add --mode live, or remove --transport"},
        {"run --graphs off", 2, "--graphs is only for runs on GPUs; leave it out"},
        {"run --mode live --link-bandwidth 1", 2,
         "--link-bandwidth is only for emulated runs; leave it out"},
        {"run --mode live --link-latency 1", 2,
         "--link-latency is only for emulated runs; leave it out"},
        {"run --schedule s.csv -D 4", 2, "--devices is given by the schedule file; leave it out"},
        {"run --trace most", 2, "most is not one of auto, off, ops, kernels, all"},
        {"simulat", 2, "unknown command simulat; did you mean 'simulate'?"},
        {"run --device 2", 2, "unknown argument --device; did you mean '--devices'?"},
        {"run --device-memory much", 2,
         "much is not an amount of memory with its unit, as in 16GiB"},
        {"run --device-memory 0", 2, "0 is not an amount of memory with its unit, as in 16GiB"},
        // It was GiB in `simulate` and bytes in `run`.
        {"run --device-memory 80", 2, "80 is not an amount of memory with its unit, as in 16GiB"},
        {"simulate --model gpt3-96b --hardware a100-sxm-80 --device-memory 80", 2,
         "80 is not an amount of memory with its unit, as in 16GiB"},
        // It printed an MFU of 45,957 %.
        {"estimate --tensor-parallel 4 --iteration-time 0.0341", 2, "HFU would be "},
        {"study moon.toml -o moon", 1, "moon.toml: unknown option --moon"},
        {"study minus.toml -o minus", 1, "minus.toml: --devices: -4 is not a whole number"},
        {"run --graphs on", 2, "--graphs on needs GPUs: add --backend cuda"},
        {"simulate --devices 3", 2, "even number of devices, not 3; the nearest is 4"},
        {"simulate --micro-batches 6", 2, "multiple of the devices (4), not 6; the nearest is 8"},
        {"simulate --devices 1", 2, "the nearest is 2"},
        {"simulate --micro-batches 0", 2, "--micro-batches: 0 is not a whole number from 1"},
        {"simulate --devices 0", 2, "--devices: 0 is not a whole number from 1 to 65534;"},
        {"simulate --scheme 1f1b --devices 65535", 2, "65535 is not a whole number from 1 to"},
        {"simulate --micro-batches 100000000000", 2, "100000000000"},
        {"simulate --scheme bitpip", 2, "did you mean 'bitpipe'?"},
        {"simulate --scheme 1F1B", 2, "did you mean '1f1b'?"},
        {"run --scheme bitpip -o x.sqlite", 2, "did you mean 'bitpipe'?"},
        {"run --seed -3 -o x.sqlite", 2, "--seed: -3 is not a whole number from 0"},
        {"run --seed x -o x.sqlite", 2, "--seed: x is not a whole number from 0"},
        {"simulate --jitter 5 --seed 1.5", 2, "--seed: 1.5 is not a whole number from 0"},
        {"simulate --set nothing", 2, "--set key=value"},
        {"simulate --set colour=red", 2, "no option 'colour'"},
        {"simulate --forward one", 2, "--forward one"},
        {"simulate --backward -1", 2, "--backward -1"},
        {"simulate --p2p nan", 2, "--p2p nan"},
        {"simulate --iterations 0", 2, "--iterations: 0"},
        {"simulate --sync sometimes", 2, "eager, late, eager-blocking"},
        {"simulate --scheme 1f1b --scheme gpipe -o x.sqlite", 2, "-o writes one run"},
        {"simulate --schedule s.csv --scheme 1f1b", 2, "--schedule"},
        {"simulate --jitter 500", 2, "a percentage from 0 to 100"},
        {"simulate --joint 0", 2, "--joint 0"},
        {"simulate --recompute-ahead 0 --recompute full", 2, "off, peak, or a number"},
        {"simulate --recompute-ahead peak", 2, "add --recompute full"},
        {"simulate --offload peak", 2, "off, or a number of activations above 0"},
        {"simulate --offload 0.5", 2, "or more"},
        {"simulate --scheme 1f1b --offload 2 --evict lazy", 2, "already has evicts"},
        {"simulate --recompute-keeps 1.5", 2, "a share between 0 and 1"},
        {"simulate --model gpt3-96b --hardware abacus", 2, "unknown hardware 'abacus'"},
        {"simulate --model gpt3-96b --hardware h100-sxm --recompute attention", 2,
         "flash attention stores no scores"}, // the default, which became standard attention
        {"run --attention flash --recompute attention -o x.sqlite", 2, "use --attention standard"},
        {"validate empty.txt --stash-limit nan", 2, "nan is not a number above 0"},
        {"validate empty.txt --stash-limit 0", 2, "0 is not a number above 0"},
        {"schedule --scheme gpipe --scheme 1f1b", 2, "--scheme can be given only once"},
        {"simulate --stage-cost 0=1:2 --stage-cost 0=3:4", 2, "0 is given twice"},
        {"simulate --set placement=v --set placement=looping", 2, "placement is given twice"},
        {"simulate --scheme 1f1b -D 60000 -N 60000 -o x.sqlite", 2, "GiB available"},
        {"run --attention fast", 2, "fast is not one of standard, recompute, flash"},
        {"run --precision fp16", 2, "fp16 is not one of fp32, bf16, tf32"},
        {"run --data-parallel 0", 2, "0 is not a whole number from 1"},
        {"run --scheme pipedream --data-parallel 2 -o x.sqlite", 2, "use data-parallel width 1"},
        {"run --mode simulate", 2, "--mode"},
        {"run --layers 4 -o x.sqlite", 2, "--layers 8"},
        {"run --width 65 -o x.sqlite", 2, "the nearest width is 64"},
        {"whatif empty.txt --link-speed 0", 2,
         "--link-speed: 0 is not a number from 0.001 to 1000;"},
        {"study best-scheme -o s --threads 0", 2, "--threads: 0 is not a number from 1 to 1024;"},
        {"study best-scheme", 2, "add -o FOLDER"},
        {"study best-scheme --print --json", 2, "--print excludes --json;"},
        {"study best-scheme -o empty.txt", 1, "empty.txt is a file: choose another name"},
        {"estimate gpipe", 2, "gpipe is not one of bpipe;"},
        {"import missing.json", 1, "missing.json does not exist: check the name"},
        {"run --model huge", 2, "huge"},
        {"run --text missing.txt -o x.sqlite", 1, "missing.txt"},
        {"run --text empty.txt -o x.sqlite", 2, "empty.txt"},
        {"run --devices 3 -o x.sqlite", 2, "even number"},
        {"experiment missing.toml", 1, "missing.toml"},
        {"experiment junk.toml", 1, "junk.toml"},
        {"schedule --format dot", 2, "csv, text, torch, json"},
        {"schedule --schedule missing.csv", 1, "missing.csv"},
        {"schedule -o /proc/nowhere/s.csv", 1, "/proc/nowhere/s.csv"},
        {"schedule -o /dev/full", 1, "not a file"},
        {"validate", 2, "required"},
        {"validate /tmp", 1, "is a folder"},
        {"compare one.sqlite", 2, "RUN.sqlite: at least 2 are needed, but 1 was given;"},
        {"analyze", 2, "RUN.sqlite is required"},
        {"reproduce gpipe", 2, "PAPER: gpipe is not one of bitpipe, bpipe;"},
        {"study foo -o s", 2, "unknown study 'foo'; use one of: "},
        {"study chunk -o s", 2, "unknown study 'chunk'; did you mean 'chunks'?"},
        {"study chunks -o -", 2, "-o -: this output is not text"}, // it made a folder "-"
        {"kit -o -", 2, "-o -: this output is not text"},
        {"estimate --hardware foo", 2, "unknown hardware 'foo'; use one of: "},
        {"export one.sqlite --format pdf", 2, "csv, chrome, json, tikz, html"},
        {"figure one.sqlite", 2, "bubblescope figure RUN.sqlite"},
        {"frobnicate", 2, "unknown command frobnicate"},
        {"--json", 2, "bscope schemes --json"},
    };
    for (const Mistake& mistake : mistakes) {
        const Printed printed = bscope(folder, mistake.command);
        CAPTURE(mistake.command, printed.err);
        CHECK(printed.status == mistake.status);
        CHECK(printed.out.empty());
        CHECK(printed.err.starts_with("bscope: "));
        CHECK(lines(printed.err).size() == 1);
        CHECK(contains(printed.err, mistake.says));
        CHECK_FALSE(fs::exists(folder / "x.sqlite"));
    }
}

// --json had no effect.
TEST_CASE("analyze --definitions prints text, or with --json a list")
{
    const Folder folder;
    CHECK(contains(bscope(folder, "analyze --definitions").out, "Bubble, % = sum of bubbles"));
    const auto all = bscope(folder, "analyze --definitions --json").json();
    REQUIRE(all.size() > 10);
    CHECK(all[0]["term"] == "Iteration");
    CHECK(all[0]["formula"] == "end of the last OPT - start of the first F");
    for (const char* key : {"meaning", "source"})
        CHECK_FALSE(all[0][key].get<std::string>().empty());
}

TEST_CASE("1F1B on one device is the sequential baseline")
{
    const Folder folder;
    const auto run = bscope(folder, "simulate --scheme 1f1b --devices 1 --json").json();
    CHECK(run["bubble_ratio"] == 0.0);
    CHECK(run["iteration"] == 24.0);
    CHECK(run["p2p_messages"] == 0);
}

TEST_CASE("the lines of every help text fit in 80 columns, without inner names of CLI11")
{
    const Folder folder;
    for (const char* command :
         {"", "schemes", "schedule", "validate", "simulate", "run", "experiment", "analyze",
          "compare", "export", "estimate", "devices", "verify"}) {
        const Printed printed = bscope(folder, std::string(command) + " --help");
        CHECK(printed.status == 0);
        for (const std::string& line : lines(printed.out)) {
            CAPTURE(command, line);
            CHECK((line.size() <= 80 || line.starts_with("  bscope "))); // an example is one line
            CHECK_FALSE(contains(line, ":SIZE"));
            CHECK_FALSE(contains(line, "UINT:"));
            CHECK_FALSE(contains(line, "kb(="));
        }
    }
}

TEST_CASE("a table leaves out and names the columns that do not fit into the terminal")
{
    const Folder folder;
    const Environment narrow(std::vector<std::pair<const char*, std::string>>{{"COLUMNS", "60"}});
    const auto printed = lines(bscope(folder, "simulate --scheme gpipe --scheme 1f1b").out);
    REQUIRE(printed.size() > 3);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(printed[i].size() <= 60);
    CHECK(printed[3].starts_with("Columns not shown: "));
    CHECK(contains(printed[3], "peak stash"));
    CHECK_FALSE(contains(printed[0], "peak stash"));
}

TEST_CASE("bash completes commands, options and the values of options")
{
    const Folder folder;
    const auto completed = [&](const std::string& words, int current) {
        writeText(folder / "complete.sh",
                  "PATH=" + tests::buildPath("bin") + ":$PATH\n"
                      + "source <(bscope completion bash)\nCOMP_WORDS=(bscope " + words
                      + ")\nCOMP_CWORD=" + std::to_string(current)
                      + "\n_bscope\necho \"${COMPREPLY[*]}\" > completed\n");
        const std::string command = "cd '" + folder.path().string() + "' && bash complete.sh";
        CHECK(std::system(command.c_str()) == 0);
        return readText(folder / "completed");
    };
    CHECK(completed("sim", 1) == "simulate\n");
    CHECK(completed("run --sync ea", 3) == "eager eager-blocking\n");
    CHECK(completed("simulate --scheme bit", 3) == "bitpipe bitpipe-async\n");
    CHECK(completed("analyze --stra", 2) == "--stragglers\n");
    CHECK(completed("study best", 2) == "best-scheme\n");
    CHECK(bscope(folder, "completion tcsh").status == 2);
}

TEST_CASE("models are listed with their sizes, and a model file without one is refused")
{
    const Folder folder;
    const auto all = bscope(folder, "models --json").json()["models"];
    const auto gpt2
        = std::ranges::find(all, "gpt2-124m", [](const auto& one) { return one["name"]; });
    REQUIRE(gpt2 != all.end());
    CHECK((*gpt2)["layers"] == 12);
    CHECK((*gpt2)["can_train"] == true);
    CHECK((*gpt2)["parameters"].get<double>() == Approx(124e6).epsilon(0.01));
    const std::string tiny = bscope(folder, "models tiny").out;
    CHECK(contains(tiny, "learning_rate = 1e-3"));
    writeText(folder / "tiny.toml", tiny); // it began with a table
    CHECK(bscope(folder, "models tiny.toml --json").json()["models"][0]["can_train"] == true);

    writeText(folder / "own.toml",
              "layers = 4\nwidth = 32\nheads = 2\nsequence = 16\nvocabulary = 256\n");
    CHECK(bscope(folder, "models own.toml --json").json()["models"][0]["can_train"] == true);
    writeText(folder / "own.toml", "layers = 4\nheads = 2\n");
    const Printed run = bscope(folder, "run --model own.toml -o own.sqlite");
    CHECK(run.status == 2);
    CHECK(run.err.starts_with("bscope: own.toml lacks width, sequence, vocabulary;"));
}

// --model '' simulated the default model.
TEST_CASE("an empty value is refused, and so is a run on standard output")
{
    const Folder folder;
    const Printed empty = bscope(folder, {"simulate", "--model", ""});
    CHECK(empty.status == 2);
    CHECK(empty.err == "bscope: --model has an empty value; give a value, or leave it out\n");
    const Printed piped = bscope(folder, "simulate -o -");
    CHECK(piped.status == 2);
    CHECK(contains(piped.err, "cannot go to standard output"));
    CHECK_FALSE(fs::exists(folder / "-"));
}
