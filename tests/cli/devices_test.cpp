#include "app/cli/commands/devices.h"
#include "engine/cost/hardware.h"
#include "tests/cli/bscope.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace cli_test;

namespace {

std::string reasonWith(std::vector<std::pair<const char*, std::string>> values)
{
    values.emplace_back("LD_LIBRARY_PATH", tests::buildPath("plugins/fake_driver"));
    const Environment environment(std::move(values));
    const Folder folder;
    const Printed printed = bscope(folder, "devices --json");
    CAPTURE(printed.err);
    REQUIRE(printed.status == 0);
    const auto json = printed.json();
    CHECK(json["cuda"]["driver"] == "12.4");
    CHECK(json["cuda"]["devices"].empty());
    CHECK(json["devices"].size() == 1);
    return json["unavailable"][0]["reason"];
}

} // namespace

TEST_CASE("a driver that finds no device is named, with what hides devices")
{
    CHECK(reasonWith({{"FAKE_CUDA_STATUS", "100"}})
          == "the NVIDIA driver finds no device; runs use the CPU");
    CHECK(reasonWith({{"FAKE_CUDA_DEVICES", "0"}, {"CUDA_VISIBLE_DEVICES", "7"}})
          == "the NVIDIA driver finds no device (CUDA_VISIBLE_DEVICES is set to '7'); runs use the "
             "CPU");
}

TEST_CASE("the message for a driver that does not start says what to do")
{
    CHECK(contains(reasonWith({{"FAKE_CUDA_STATUS", "803"}}), "reboot, or reload the module"));
    CHECK(contains(reasonWith({{"FAKE_CUDA_STATUS", "999"}}), "(CUDA error 999): see nvidia-smi"));
}

TEST_CASE("a driver that reports a device it does not have causes no crash")
{
    const std::string reason = reasonWith({{"FAKE_CUDA_DEVICES", "1"}});
    CAPTURE(reason);
    CHECK((contains(reason, "the CUDA runtime") || contains(reason, "no CUDA plug-in")));
}

TEST_CASE("no library is loaded from a relative folder of the PATH or from the current folder")
{
    const Folder folder;
    fs::create_directories(folder / "bin");
    writeText(folder / "bin/python3", "");
    for (const char* place :
         {".", "bin", "lib64", "lib", "lib/python3.11/site-packages/nvidia/x/lib"}) {
        fs::create_directories(folder / place);
        for (const char* name : {"libcuda.so.1", "libcupti.so.13", "libnccl.so.2",
                                 "libnvidia-ml.so.1", "libopenblas.so.0"})
            writeText(folder / place / name, "not a library");
    }
    const std::string usual = std::getenv("PATH");
    for (const std::string path : {"bin", ":.:"})
        for (const char* command :
             {"devices",
              "run --backend cuda --trace kernels --iterations 1 --layers 8 --width 32 "
              "--heads 2 --sequence 16 --force -o run.sqlite"}) {
            setenv("PATH", (path + ":" + usual).c_str(), 1);
            const Environment environment(
                {{"CUDA_HOME", "."},
                 {"BUBBLESCOPE_PLUGINS", tests::buildPath("plugins/emulated_gpus")},
                 {"LD_DEBUG", "files"}}); // prints file=NAME for every library that is opened
            const Printed printed = bscope(folder, command);
            CHECK(contains(printed.err, "file=libcuda.so.1"));
            for (const std::string& word : words(printed.err))
                if (word.starts_with("file=")) {
                    CAPTURE(path, command, word);
                    CHECK((word[5] == '/' || !contains(word, "/")));
                }
        }
    setenv("PATH", usual.c_str(), 1);
}

TEST_CASE("a run on a missing GPU fails with the reason and starts nothing")
{
    const Environment environment({{"LD_LIBRARY_PATH", tests::buildPath("plugins/fake_driver")},
                                   {"FAKE_CUDA_STATUS", "100"}});
    const Folder folder;
    for (const char* mode : {"", "--mode live ", "--mode emulate "}) {
        const Printed printed
            = bscope(folder, fmt::format("run --backend cuda {}-o never.sqlite", mode));
        CHECK(printed.status == 1);
        CHECK(contains(printed.err, "the NVIDIA driver finds no device"));
        CHECK(contains(printed.err, "; use --backend cpu to run without a GPU\n"));
    }
    CHECK_FALSE(std::filesystem::exists(folder / "never.sqlite"));
    const Printed proof = bscope(folder, "verify --backend cuda");
    CHECK(proof.status == 1);
    CHECK(contains(proof.err, "the NVIDIA driver finds no device"));
}

TEST_CASE("errors about NCCL and GPUs name what runs without them")
{
    const auto said = [](const char* status, const std::string& plugins) {
        const Environment environment({{"LD_LIBRARY_PATH", tests::buildPath("plugins/fake_driver")},
                                       {"FAKE_CUDA_STATUS", status},
                                       {"FAKE_CUDA_DEVICES", "2"},
                                       {"BUBBLESCOPE_PLUGINS", plugins}});
        const Folder folder;
        const Printed printed
            = bscope(folder, "run --backend cuda --transport nccl -o never.sqlite");
        CHECK(printed.status == 1);
        return printed.err;
    };
    const Folder plugins;
    writeText(plugins / "libbubblescope_cuda.so", "not a library");
    CHECK(contains(said("0", plugins.path().string()),
                   "; use --transport peer to copy between GPUs without NCCL\n"));
    CHECK(contains(said("100", tests::buildPath("plugins/emulated_gpus")), // which has NCCL
                   "finds no device; use --backend cpu to run without a GPU\n"));
}

TEST_CASE("a file that is not a plug-in is named")
{
    const Folder plugins;
    writeText(plugins / "libbubblescope_cuda.so", "not a library");
    const std::string reason = reasonWith(
        {{"FAKE_CUDA_DEVICES", "1"}, {"BUBBLESCOPE_PLUGINS", plugins.path().string()}});
    CHECK(contains(reason, "the CUDA plug-in cannot be loaded"));
    CHECK(contains(reason, plugins.path().string()));
}

TEST_CASE("every missing part of the toolkit is reported in one line")
{
    // A driver that pretends to have a device, so that the plug-in is asked.
    const Environment environment(
        {{"LD_LIBRARY_PATH", tests::buildPath("plugins/fake_driver")}, {"FAKE_CUDA_DEVICES", "1"}});
    const Folder folder;
    const auto json = bscope(folder, "devices --json").json();
    if (json["cuda"]["runtime"].is_null())
        return; // no plug-in was built here: the case above
    std::vector<std::string> names;
    for (const auto& library : json["cuda"]["libraries"]) {
        CAPTURE(library.dump());
        names.push_back(library["name"]);
        CHECK(library["version"].is_null() != library["reason"].is_null());
        if (library["name"] == "NCCL" && !library["version"].is_null())
            CHECK(library["version"].get<std::string>().starts_with("2."));
    }
    CHECK(names == std::vector<std::string>{"cuBLASLt", "NCCL", "CUPTI", "NVML"});
}

TEST_CASE("the slower code path of a GPU is reported below it")
{
    cli::Machine machine;
    engine::CudaDevice large, small;
    large.name = "large";
    small.name = "small";
    small.fallback = "flash attention without tensor cores: too little shared memory";
    large.partition = 8;
    machine.cores = 1;
    machine.cuda.devices = {large, small};
    const std::string text = cli::devicesText(machine);
    CAPTURE(text);
    const auto below = text.find("gpu   small, ");
    REQUIRE(below != std::string::npos);
    CHECK(text.find("flash", 0) > below);
    CHECK(
        contains(text, "\n      flash attention without tensor cores: too little shared memory\n"));
    CHECK(contains(text, ", 1 core, "));
    machine.cores = 2;
    CHECK(contains(cli::devicesText(machine), ", 2 cores, "));
    CHECK(contains(text, "gpu   large, sm_00, 0 SMs (partitions of 8 SMs or more), "));
    CHECK(contains(text, "gpu   small, sm_00, 0 SMs (no partitions), "));
    const auto json = nlohmann::json::parse(cli::devicesJson(machine))["cuda"]["devices"];
    CHECK(json[0]["fallback"].is_null());
    CHECK(json[1]["fallback"] == small.fallback);
}

TEST_CASE("devices --calibrate measures this machine as a file for --hardware")
{
    const Folder folder;
    const Printed measured = bscope(folder, "devices --calibrate -o here.toml");
    CAPTURE(measured.err);
    REQUIRE(measured.status == 0);
    CHECK(measured.out.empty());
    const auto run
        = bscope(folder, "simulate --model tiny --hardware here.toml --scheme 1f1b -D 8 --json")
              .json();
    CHECK(run["iteration"].get<double>() > 0);
    CHECK(run["peak_flops"].get<double>() > 1e8); // of one core
    CHECK(run["peak_flops"].get<double>() < 1e13);
    // Every device had the memory of the whole machine.
    const auto here = engine::loadHardware((folder / "here.toml").string()).value();
    const double machine
        = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    CHECK(here.memory * here.devicesPerNode < 1.001 * machine); // five digits
    CHECK(contains(bscope(folder, "devices --calibrate -o here.toml").err, "--force"));
    CHECK(bscope(folder, "devices -o other.toml").status == 2); // needs --calibrate
    const Printed json = bscope(folder, "devices --calibrate -o here.json");
    CHECK(json.status == 2);
    CHECK(contains(json.err, "-o here.json: --hardware reads only files that end in .toml"));
    CHECK(bscope(folder, "devices --force").status == 2);
    CHECK(contains(bscope(folder, "devices --calibrate --backend cuda").err, "--backend cpu"));
}
