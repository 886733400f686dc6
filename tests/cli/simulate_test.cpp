#include "tests/cli/bscope.h"

using namespace cli_test;
using nlohmann::json;

TEST_CASE("simulate --json is the example of the contract")
{
    const Folder folder;
    const json run = bscope(folder, "simulate --devices 4 --micro-batches 4 --json").json();
    const json expected = json::parse(R"({"scheme":"bitpipe","mode":"simulate","devices":4,
        "micro_batches":4,"chunks":2,"data_parallel":1,"outcome":"finished","iteration":14.0,
        "span":14.0,"unit":"forward","p2p_messages":48,"local_copies":8,"tokens_per_second":null,
        "mfu":null})");
    for (const auto& [key, value] : expected.items()) {
        CAPTURE(key);
        CHECK(run[key] == value);
    }
    CHECK(run["bubble_ratio"].get<double>() == Approx(1.0 / 7).epsilon(1e-9));
    const json first = run["per_device"][0];
    CHECK(first["device"] == 0);
    CHECK(first["span"] == 14.0);
    CHECK(first["compute"] == 12.0);
    CHECK(first["communication_exposed"] == 0.0);
    CHECK(first["bubble"] == 2.0);
    CHECK(first["weights"] == 2.0);
    CHECK(first["peak_bytes"].is_null());
    std::vector<double> peaks, spans;
    int messages = 0, copies = 0;
    for (const json& device : run["per_device"]) {
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
    json run = bscope(folder, "simulate --json").json();
    json spelled = bscope(folder,
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
    const json all = bscope(folder, command + " --json").json();
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
    const json run = bscope(folder, "simulate -N 4 --iterations 3 --json").json();
    REQUIRE(run["iterations"].size() == 3);
    CHECK(run["iterations"][2]["index"] == 2);
    CHECK(run["iterations"][2]["duration"] == 14.0);
}

TEST_CASE("a simulated run is recorded, and analyzed the same")
{
    const Folder folder;
    const json simulated = bscope(folder, "simulate -N 4 -o run.sqlite --json").json();
    json analyzed = bscope(folder, "analyze run.sqlite --json").json();
    CHECK(analyzed["bubbles"].size() > 0);
    CHECK(analyzed["critical_path"].size() > 0);
    analyzed.erase("bubbles");
    analyzed.erase("critical_path");
    CHECK(analyzed == simulated);
    CHECK(analyzed["command"] == "bscope simulate --micro-batches 4");
    CHECK(bscope(folder, "simulate -N 4 -o run.sqlite").status == 1);
    CHECK(bscope(folder, "simulate -N 4 -o run.sqlite --force").status == 0);
}
