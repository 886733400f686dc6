#include "app/cli/commands/command.h"
#include "engine/base/version.h"
#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("bscope without arguments suggests three commands, which work")
{
    const Folder folder;
    const Printed welcome = bscope(folder, "");
    CHECK(welcome.status == 0);
    CHECK(welcome.err.empty());
    int tried = 0;
    for (const std::string& line : lines(welcome.out)) {
        if (!line.starts_with("  bscope "))
            continue;
        const std::string command = line.substr(9, line.find("   ", 9) - 9);
        CAPTURE(command);
        const Printed printed = bscope(folder, command);
        CHECK(printed.status == 0);
        CHECK_FALSE(printed.out.empty());
        ++tried;
    }
    CHECK(tried == 3);
}

TEST_CASE("every command has help with examples, and the examples work in their order")
{
    const Folder folder;
    const std::string help = bscope(folder, "--help").out;
    for (const cli::Command& command : cli::commands()) {
        const std::string name(command.name);
        CAPTURE(name);
        CHECK(contains(help, "  " + name + " "));
        const Printed printed = bscope(folder, name + " --help");
        CHECK(printed.status == 0);
        const auto at = printed.out.find("Examples:\n");
        REQUIRE(at != std::string::npos);
        CHECK(contains(printed.out.substr(at), "\n  bscope " + name));
        for (const std::string& line : lines(printed.out.substr(at + 10))) {
            if (!line.starts_with("  bscope "))
                continue;
            CAPTURE(line);
            const Printed example = bscope(folder, line.substr(9));
            CAPTURE(example.err);
            CHECK(example.status == 0);
        }
    }
}

TEST_CASE("verify checks every fact of a scheme and prints a table or JSON")
{
    const Folder folder;
    const auto json = bscope(folder, "verify --scheme bitpipe --json").json();
    CHECK(json["passed"] == true);
    // Two proofs in two modes, losses, placement; three proofs of two copies and ten other models
    // in two modes; the time. Proofs, losses and placement with an odd number of devices.
    REQUIRE(json["checks"].size() == 6 + 6 + 20 + 1 + 6);
    for (const auto& check : json["checks"]) {
        CHECK(check["passed"] == true);
        if (check["fact"] == "time")
            continue;
        CHECK(check["scheme"].get<std::string>().starts_with("bitpipe"));
        const bool isOdd = check["scheme"] == "bitpipe concat=early";
        CHECK(check["devices"] == (isOdd ? 3 : 4));
        CHECK(check["micro_batches"] == (isOdd ? 5 : 8));
    }
    const Printed table = bscope(folder, "verify --scheme eager-1f1b --scheme seq1f1b");
    CHECK(table.status == 0);
    CHECK(contains(table.out, "all 13 checks passed"));
    CHECK(contains(table.out, "measured with 1f1b, D = 2, N = 4: an iteration takes "));
    const Printed versions = bscope(folder, "verify --scheme pipedream --json");
    CHECK(contains(versions.out, "bit for bit, with the same weight versions"));
    CHECK(bscope(folder, "verify --scheme nonsense").status == 2);
    const auto uneven = bscope(folder,
                               {"verify", "--scheme", "1f1b", "--scheme", "zb-v", "--json",
                                "--layout", "Et*3|t*5|t|t*2L"})
                            .json();
    CHECK(uneven["passed"] == true);
    CHECK(uneven["checks"].size() == 12); // of 1F1B on four devices and ZB-V on two
    CHECK(uneven["checks"][0]["devices"] == 4);
    CHECK(bscope(folder, {"verify", "--scheme", "1f1b", "--layout", "Et|t|L"}).status == 1);
    CHECK(contains(bscope(folder, {"verify", "--scheme", "zb-v", "--layout", "Et|t|tL"}).err,
                   "has 3 stages on 3 devices"));
}

TEST_CASE("the flags --version --json tell the build, which the window compares with its own")
{
    const Folder folder;
    const auto json = bscope(folder, "--version --json").json();
    CHECK(json["version"] == std::string(engine::version()));
    CHECK(json["build"] == std::string(engine::buildId()));
    CHECK(json["sqlite"].get<std::string>().starts_with("3."));
    CHECK(contains(json["blas"].get<std::string>(), "BLAS"));
    CHECK(contains(bscope(folder, "--version").out, std::string(engine::version())));
}

TEST_CASE("schemes are listed with what they accept")
{
    const Folder folder;
    const auto json = bscope(folder, "schemes --json").json();
    REQUIRE(json.size() >= 3);
    CHECK(json[0]["name"] == "gpipe");
    for (const auto& scheme : json)
        for (const char* key :
             {"name", "title", "citation", "accepts", "options", "default_chunks"})
            CHECK(scheme.contains(key));
    CHECK(contains(bscope(folder, "schemes").out, "bitpipe"));
}

TEST_CASE("schemes NAME shows one with its paper, its picture and its closed forms")
{
    const Folder folder;
    const std::string one = bscope(folder, "schemes bpipe").out;
    for (const char* part : {"Kim et al., BPipe, ICML 2023", "policy=lazy,steady", "(D-1)/(N+D-1)",
                             "  device 0 | F0", "ceil((D+2)/2)"})
        CHECK(contains(one, part));
    CHECK(bscope(folder, "schemes bpipe --json").json()["name"] == "bpipe");
    CHECK(bscope(folder, "schemes bpip").status == 2);
}

TEST_CASE("devices names the CPU and says why there is no other")
{
    const Folder folder;
    const auto json = bscope(folder, "devices --json").json();
    CHECK(json["devices"][0]["kind"] == "cpu");
    CHECK(json["devices"][0]["cores"] >= 1);
    CHECK(json["unavailable"][0]["kind"] == "cuda");
    CHECK_FALSE(json["unavailable"][0]["reason"].get<std::string>().empty());
    CHECK(contains(bscope(folder, "devices").out, "gpu   "));
}
