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
        CHECK(bscope(folder, "schedule --scheme " + scheme + " -o s.csv").status == 0);
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

TEST_CASE("PyTorch's format is written where PyTorch can say it, else refused")
{
    const Folder folder;
    CHECK(lines(bscope(folder, "schedule --scheme 1f1b -D 2 -N 2 --format torch").out)
          == std::vector<std::string>{"0F0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"});
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
    CHECK(contains(bscope(folder, "simulate --schedule missing.csv").err, "0B1 is missing"));

    // B before its own F on both devices: each waits for the other.
    writeText(folder / "cycle.csv",
              "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n"
              "0,0,B,0,0,0,0,,,\n0,1,F,0,0,0,0,,,\n1,0,F,1,0,0,0,,,\n1,1,B,1,0,0,0,,,\n");
    const Printed cycle = bscope(folder, "validate cycle.csv");
    CHECK(cycle.status == 1);
    CHECK(contains(cycle.out, "device 0"));

    writeText(folder / "stray.csv", "device,index,op,stage,colour\n0,0,F,0,red\n");
    const Printed stray = bscope(folder, "validate stray.csv");
    CHECK(stray.status == 1);
    CHECK(contains(stray.err, "colour"));
}
