#include "tests/cli/bscope.h"

using namespace cli_test;

namespace {
// `file` without the row that begins with `row`.
void dropRow(const fs::path& from, const fs::path& to, const std::string& row)
{
    std::string text;
    for (const std::string& line : lines(readText(from)))
        if (!line.starts_with(row))
            text += line + "\n";
    writeText(to, text);
}
} // namespace

TEST_CASE("a schedule written as CSV is valid, and simulates as its scheme does")
{
    const Folder folder;
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe"}) {
        CAPTURE(scheme);
        CHECK(bscope(folder, "schedule --scheme " + scheme + " --force -o s.csv").status == 0);
        CHECK(bscope(folder, "validate s.csv").status == 0);
        const auto scheme1 = bscope(folder, "simulate --json --scheme " + scheme).json();
        const auto file = bscope(folder, "simulate --json --schedule s.csv").json();
        CHECK(file["scheme"] == "file");
        CHECK(file["iteration"] == scheme1["iteration"]);
        CHECK(file["per_device"] == scheme1["per_device"]);
    }
}

TEST_CASE("a schedule is the golden one, row for row")
{
    const Folder folder;
    const Printed csv = bscope(folder, "schedule -N 4");
    CHECK(lines(csv.out)[0]
          == "device,index,op,stage,chunk,microbatch,replica,slice,joint,version");
    CHECK(lines(csv.out).size() == 65);
    CHECK(lines(csv.out)[3] == "0,2,F,3,0,2,1,,0,");
    CHECK(
        lines(bscope(folder, "schedule -N 4 --format text").out)[0]
        == "device 0   | 0F0 0F1 3F2u 4F2u 3F3u 4F3u 7F0 7B0 7F1 7B1 4B2u 3B2u 4B3u 3B3u 0B0 0B1");
    CHECK(bscope(folder, "schedule -N 4 --format json").json()["program"][0][2] == "3F2u");
}

TEST_CASE("a schedule that PyTorch's format cannot express is refused")
{
    const Folder folder;
    CHECK(lines(bscope(folder, "schedule --scheme 1f1b -D 2 -N 2 --format torch").out)
          == std::vector<std::string>{"0F0,0F1,,0B0,,0B1", ",1F0,1B0,1F1,1B1"});
    CHECK(lines(bscope(folder,
                       "schedule --scheme 1f1b -D 2 -N 1 --format torch --with "
                       "p2p,allreduce")
                    .out)
          == std::vector<std::string>{"0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD",
                                      "1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD"});
    const Printed alone = bscope(folder, "schedule --scheme 1f1b --format torch --with allreduce");
    CHECK(contains(alone.err, "remove allreduce from --with"));
    const Printed bitpipe = bscope(folder, "schedule --format torch");
    CHECK(bitpipe.status == 1);
    CHECK(contains(bitpipe.err, "one direction"));
}

TEST_CASE("the option --with adds what the passes add")
{
    const Folder folder;
    const std::string all = bscope(folder, "schedule -N 4 --with p2p,allreduce,opt").out;
    for (const char* op : {",SF,", ",RF,", ",SB,", ",RB,", ",AR,", ",OPT,"})
        CHECK(contains(all, op));
    CHECK_FALSE(contains(bscope(folder, "schedule -N 4 --with opt").out, ",SF,"));
}

TEST_CASE("a schedule file with a missing op, a cycle or a stray column is refused by name")
{
    const Folder folder;
    bscope(folder, "schedule -N 4 -o good.csv");

    dropRow(folder / "good.csv", folder / "missing.csv", "0,15,");
    const Printed missing = bscope(folder, "validate missing.csv");
    CHECK(missing.status == 1);
    CHECK(contains(missing.out, "0B1 is missing"));
    CHECK(contains(bscope(folder, "validate missing.csv --json").out, "\"kind\": \"missing\""));
    CHECK(bscope(folder, "simulate --schedule missing.csv").err
          == "bscope: missing.csv: device 0: 0B1 is missing\n");
    dropRow(folder / "missing.csv", folder / "more.csv", "0,14,");
    CHECK_THAT(bscope(folder, "simulate --schedule more.csv").err,
               Catch::EndsWith("; bscope validate more.csv shows all 2\n"));

    // B before its own F on both devices: each waits for the other.
    writeText(folder / "cycle.csv",
              "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n"
              "0,0,B,0,0,0,0,,,\n0,1,F,0,0,0,0,,,\n1,0,F,1,0,0,0,,,\n1,1,B,1,0,0,0,,,\n");
    const Printed cycle = bscope(folder, "validate cycle.csv");
    CHECK(cycle.status == 1);
    CHECK(contains(cycle.out, "device 0"));

    writeText(folder / "binary.csv",
              std::string("\x7f"
                          "ELF\0\1\2",
                          7));
    const Printed binary = bscope(folder, "validate binary.csv");
    CHECK(binary.status == 1);
    CHECK(contains(binary.err, "starts with '?ELF"));

    writeText(folder / "stray.csv", "device,index,op,stage,colour\n0,0,F,0,red\n");
    const Printed stray = bscope(folder, "validate stray.csv");
    CHECK(stray.status == 1);
    CHECK(contains(stray.err, "colour"));
}

TEST_CASE("devices that have no ops are named, because a number may be missing in the file")
{
    const Folder folder;
    const std::string header
        = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n";
    const std::string stages = "0,0,F,0,0,0,0,,,\n0,1,B,0,0,0,0,,,\n";
    for (const auto& [device, text] :
         {std::pair("1", "no device waits forever\n"),
          {"2", "forever; device 1 has no ops\n"},
          {"12", "forever; 11 devices have no ops: 1, 2, 3, 4, 5, 6, 7, 8, ...\n"}}) {
        const std::string last = device;
        writeText(folder / "idle.csv",
                  header + stages + last + ",0,F,1,0,0,0,,,\n" + last + ",1,B,1,0,0,0,,,\n");
        INFO(device);
        CHECK(contains(bscope(folder, "validate idle.csv").out, text));
        const auto idle = bscope(folder, "validate idle.csv --json").json()["devices_without_ops"];
        CHECK(idle.size() == std::stoul(last) - 1);
        CHECK(contains(bscope(folder, "simulate --schedule idle.csv").out, ", v = 1,"));
    }
}

TEST_CASE("PyTorch's and sail-sg's files are known by their content")
{
    const Folder folder;
    bscope(folder, "schedule --scheme interleaved-1f1b --format torch -o torch.csv");
    const auto torch = bscope(folder, "validate torch.csv --json").json();
    CHECK(torch["valid"] == true);
    CHECK(torch["format"] == "PyTorch's schedule CSV");
    CHECK(bscope(folder, "simulate --json --schedule torch.csv").json()["iteration"]
          == bscope(folder, "simulate --json --scheme interleaved-1f1b").json()["iteration"]);
    writeText(folder / "sail.txt", "f0 f1 b0 w0 b1 w1\nf0 b0 f1 b1 w0 w1\n");
    const Printed sail = bscope(folder, "validate sail.txt --json");
    CHECK(sail.status == 0);
    CHECK(sail.json()["format"] == "sail-sg's schedule text");
}

TEST_CASE("how the messages may be carried is printed with a schedule and with a valid file")
{
    const Folder folder;
    const Printed text = bscope(folder, "schedule --scheme 1f1b -D 2 -N 2 --format text");
    CHECK(contains(text.out,
                   "blocking send and receive" + std::string(29, ' ')
                       + "no    device 0, index 3: 0SEND_F1 waits"));
    CHECK(contains(text.out, "fused exchange" + std::string(40, ' ') + "yes\n"));
    bscope(folder, "schedule --scheme zb-v -D 4 -N 8 -o zb-v.csv");
    CHECK(contains(bscope(folder, "validate zb-v.csv").out,
                   "separate communicators for activations and gradients  yes"));
    const auto json = bscope(folder, "validate zb-v.csv --json").json()["communication"];
    CHECK(json["messages"] == 96);
    REQUIRE(json["transports"].size() == 6);
    CHECK(json["transports"][2]["name"] == "one-communicator");
    CHECK(json["transports"][2]["safe"] == false);
    CHECK(json["transports"][2]["op"].is_string());
    CHECK(json["transports"][3]["safe"] == true);
    CHECK(json["transports"][3]["reason"].is_null());
    CHECK(bscope(folder, "schedule --scheme gpipe --format json")
              .json()["communication"]["transports"][0]["safe"]
          == true);
}

TEST_CASE("every violation comes with the grid around it")
{
    const Folder folder;
    writeText(folder / "cycle.csv", "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n");
    const Printed cycle = bscope(folder, "validate cycle.csv");
    CHECK(cycle.status == 1);
    CHECK(contains(cycle.out, "device 1, index 1: 1F1 waits for"));
    CHECK(contains(cycle.out, "device 0 | 0F0 [0B0] 0F1"));
    const auto json = bscope(folder, "validate cycle.csv --json");
    CHECK(contains(json.out, "\"grid\": \"device 0 | 0F0 [0B0]"));
    CHECK(contains(json.out, "\"communication\": null"));
}

TEST_CASE("a limit on stashes is checked without times")
{
    const Folder folder;
    bscope(folder, "schedule --scheme 1f1b -D 4 -N 8 -o s.csv");
    CHECK(bscope(folder, "validate s.csv --stash-limit 4").status == 0);
    const Printed limited = bscope(folder, "validate s.csv --stash-limit 3");
    CHECK(limited.status == 1);
    CHECK(contains(limited.out,
                   "device 0, index 3: with 0F3 the device holds 4 activations of its own, more "
                   "than the limit of 3"));
}

TEST_CASE("asynchronous schemes say so and count their versions, simulated and trained")
{
    const Folder folder;
    const Printed pipedream = bscope(folder, "simulate --scheme pipedream");
    CHECK(contains(pipedream.out, "PipeDream, asynchronous, simulated"));
    const auto devices
        = bscope(folder, "simulate --scheme pipedream -D 4 -N 8 --json").json()["per_device"];
    for (int d = 0; d < 4; ++d)
        CHECK(devices[static_cast<std::size_t>(d)]["weights"] == 4 - d);
    const auto bw
        = bscope(folder, "simulate --scheme pipedream-2bw -D 4 -N 16 --json").json()["per_device"];
    for (const auto& device : bw)
        CHECK(device["weights"] == 2);
    CHECK(bscope(folder, "schedule --scheme pipedream --format json").json()["asynchronous"]
          == true);
    const auto both
        = bscope(folder, "simulate --scheme bitpipe-async -D 4 -N 8 --allreduce 1 --json").json();
    CHECK(both["iteration"] == 24); // the all-reduces overlap with compute
    CHECK(both["bubble_ratio"] == 0);
    for (const auto& device : both["per_device"])
        CHECK(device["weights"] == 4); // two versions in two directions
    for (const char* command : {"simulate", "run -o late.sqlite"})
        CHECK(contains(
            bscope(folder, std::string(command) + " --scheme bitpipe-async -D 4 -N 8 --sync late")
                .err,
            "--sync late: bitpipe-async has to all-reduce the gradients of a stage "
            "before its next backward; use eager or eager-blocking"));
    CHECK(bscope(folder, "run --scheme pipedream-2bw -N 6 --iterations 2 -o bw.sqlite").status
          == 0); // updates of 4 go across the windows
    const auto stream = bscope(folder, "simulate --scheme pipedream -D 4 -N 4 --json").json();
    CHECK(stream["bubble_ratio"] == 0);
    CHECK(stream["iteration"] == 12);
    CHECK(stream["micro_batches"] == 4);
    const Printed run = bscope(folder, "run --scheme pipedream -N 8 --iterations 2 -o p.sqlite");
    CHECK(run.status == 0);
    const auto trained = bscope(folder, "analyze p.sqlite --json").json();
    CHECK(trained["iterations"].size() >= 4);
    for (int d = 0; d < 4; ++d)
        CHECK(trained["per_device"][static_cast<std::size_t>(d)]["weights"] == 4 - d);
}
