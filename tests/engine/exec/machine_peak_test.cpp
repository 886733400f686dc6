#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/exec/measure_hardware.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <cstdlib>

using namespace engine;

// Every run measured its own peak once, 79 to 101 GFLOP/s on one machine, so that the run with more
// tokens per second had the smaller MFU.
TEST_CASE("the peak of a machine is measured once, and kept")
{
    const tests::TemporaryFolder folder;
    REQUIRE(setenv("XDG_DATA_HOME", folder.path().c_str(), 1) == 0);
    const std::filesystem::path file = dataFolder() / "peaks.toml";
    const auto cpu = openCpuDevice().value();
    const std::atomic<bool> cancel{false};
    const GemmPeak first = machinePeak(cpu, cancel).value();
    CHECK(first.flops > 1e8);
    CHECK_THAT(first.source, Catch::EndsWith("kept in " + file.string()));
    const GemmPeak again = machinePeak(cpu, cancel).value();
    CHECK(again.flops == first.flops);
    CHECK(again.source == first.source);

    REQUIRE(saveFile(file, "this is = not TOML = \n", IfExists::Replace));
    const GemmPeak own = machinePeak(cpu, cancel).value();
    CHECK(own.flops > 1e8);
    CHECK_THAT(own.source, Catch::Contains("measured in this run (" + file.string()));
    CHECK(readFile(file.string()).value() == "this is = not TOML = \n"); // nothing is lost
}
