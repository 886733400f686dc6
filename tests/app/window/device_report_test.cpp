#include "app/window/device_dialog.h"
#include "tests/catch.h"

using namespace app;

TEST_CASE(
    "a device check lists the CPU, every GPU and the libraries with the reason for a missing one")
{
    const DeviceReport report = deviceReport(R"({
      "devices": [
        {"kind": "cpu", "name": "EPYC", "cores": 16, "memory_bytes": 68719476736, "blas": "OpenBLAS 0.3",
         "modes": ["simulate", "emulate", "live"]},
        {"kind": "cuda", "name": "NVIDIA H200", "memory_bytes": 151397597184, "modes": ["emulate"]}],
      "unavailable": [],
      "cuda": {"driver": "13.0", "runtime": "13.0",
        "libraries": [{"name": "cuBLASLt", "version": "13.1.0", "file": "/usr/lib/a.so", "reason": null},
                      {"name": "NCCL", "version": null, "file": null, "reason": "libnccl.so.2 was not found"}],
        "devices": [{"name": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": 132,
                     "smallest_partition": 8, "memory_bytes": 151397597184, "fallback": null}]}})");
    REQUIRE(report.devices.size() == 2);
    CHECK(report.devices[0].facts.at(0) == QStringLiteral("16 cores, 64.0 GiB of memory free"));
    CHECK(report.devices[1].title == QStringLiteral("NVIDIA H200"));
    CHECK(report.devices[1].facts.at(0)
          == QStringLiteral("141.0 GiB of memory, compute capability 9.0, 132 SMs"));
    REQUIRE(report.libraries.size() == 2);
    CHECK(
        report.libraries[0]
        == DeviceEntry{true, QStringLiteral("cuBLASLt 13.1.0"), {QStringLiteral("/usr/lib/a.so")}});
    CHECK_FALSE(report.libraries[1].isUsable);
    CHECK(report.text().contains(QStringLiteral("NCCL\n    libnccl.so.2 was not found")));
}

TEST_CASE("a machine without a GPU differs from an answer that is not understood")
{
    const DeviceReport none = deviceReport(
        R"({"devices": [{"kind": "cpu", "name": "CPU", "cores": 1, "modes": ["simulate"]}],
            "unavailable": [{"kind": "cuda", "reason": "no NVIDIA driver"}], "cuda": {}})");
    REQUIRE(none.devices.size() == 2);
    CHECK(none.devices[1]
          == DeviceEntry{
              false, QStringLiteral("No NVIDIA GPU"), {QStringLiteral("No NVIDIA driver")}});
    CHECK(none.problem.isEmpty());
    for (const char* json : {"", "{}", "[]", "cpu   EPYC, 2 cores"})
        CHECK_FALSE(deviceReport(json).problem.isEmpty());
}
