#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("analyze --why prints the bound, the reasons with their effects and the next scheme")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 -o run.sqlite").status == 0);
    const std::string text = bscope(folder, "analyze run.sqlite --why").out;
    CHECK(text.find("At least 24.0 units with these costs (work of device 3") != std::string::npos);
    CHECK(text.find("device 3: work 24.0 units, drain 6.0 units, fill 3.0 units\n")
          != std::string::npos);
    CHECK(text.find("time along the path: F 11.0 units, B 22.0 units") != std::string::npos);
    CHECK(text.find("1. Device 3 waits 3.0 units for its first op 3F0 (fill)\n"
                    "     with 2 chunks: -4.5 units")
          != std::string::npos);
    CHECK(text.find("2. 3F1 waits for 3B0 on device 3: 2.0 units\n"
                    "     3F1 before 3B0: +1.0 units, worse")
          != std::string::npos);
    CHECK(text.find("3. Drain 6.0 units") != std::string::npos);
    CHECK(text.find("fastest scheme for these costs: ") != std::string::npos);
    CHECK(bscope(folder, "analyze run.sqlite").out.find("At least") == std::string::npos);
}

TEST_CASE("analyze --why --json has shares that add up to the iteration")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 -o run.sqlite").status == 0);
    const nlohmann::json why = bscope(folder, "analyze run.sqlite --why --json").json()["why"];
    double sum = 0;
    for (const nlohmann::json& share : why["shares"])
        sum += share.get<double>();
    CHECK(sum == 33.0);
    CHECK(why["iteration"] == 33.0);
    CHECK(why["breakdown"]["work"] == 24.0);
    CHECK(why["breakdown"]["steps"][0]["reason"] == "drain");
    CHECK(why["breakdown"]["steps"][1]["time"] == 3.0);
    CHECK(why["at_least"] == 24.0);
    CHECK(why["bound"] == "work");
    REQUIRE(why["reasons"].size() == 3);
    CHECK(why["reasons"][0]["reason"] == "fill");
    CHECK(why["reasons"][0]["op"] == "3F0");
    CHECK(why["reasons"][0]["change"]["difference"] == -4.5);
    CHECK(why["reasons"][0]["change"]["difference_low"] == -4.5); // simulated, so exact
    CHECK(why["reasons"][0]["change"]["distinguishable"] == true);
    CHECK(why["reasons"][1]["reason"] == "order");
    CHECK(why["reasons"][2]["reason"] == "drain");
    CHECK(why["path"].front()["begin"] == 0.0);
    CHECK(why["path"].back()["end"] == 33.0);
    CHECK(why["fault"].is_null());
    CHECK(why["next_scheme"]["difference"].get<double>() < 0);
    CHECK(why["faster_schemes"][0]["scheme"] == why["next_scheme"]["scheme"]);
}

TEST_CASE("analyze --why refuses an iteration that does not exist")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o run.sqlite").status == 0);
    const auto refused = bscope(folder, "analyze run.sqlite --why --iteration 7");
    CHECK(refused.status == 1);
    CHECK(refused.err.find("7") != std::string::npos);
}

TEST_CASE("analyze --stragglers names a device whose ops take 10 % longer, and only that one")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 --stage-cost 2=1.1:2.2 -o slow.sqlite")
                .status
            == 0);
    const std::string text = bscope(folder, "analyze slow.sqlite --stragglers").out;
    CHECK(contains(text, "Device 2 takes 10.0 % longer for its work than the other devices"));
    const auto found = bscope(folder, "analyze slow.sqlite --stragglers --json").json();
    REQUIRE(found["stragglers"]["devices"].size() == 4);
    const nlohmann::json& slow = found["stragglers"]["devices"][2];
    CHECK(slow["straggler"] == true);
    CHECK(slow["excess"].get<double>() == Approx(0.1));
    CHECK(slow["by_kind"]["B"].get<double>() == Approx(0.1));
    CHECK(slow["cost"] == 2.1); // of 35.1 units
    CHECK(found["stragglers"]["devices"][3]["straggler"] == false);
    CHECK(found["stragglers"]["unknown"].is_null());

    const std::string sample = tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite");
    CHECK(contains(bscope(folder, {"analyze", sample, "--stragglers"}).out,
                   "No device is a straggler"));
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 1 -N 2 -o one.sqlite").status == 0);
    CHECK(contains(bscope(folder, "analyze one.sqlite --stragglers").out,
                   "Which device is slow is unknown: the run has one device."));
    CHECK(bscope(folder, "analyze one.sqlite --stragglers --json").json()["stragglers"]["unknown"]
          == "the run has one device");
}

namespace {

void checkFindings(const nlohmann::json& findings, std::size_t count)
{
    REQUIRE(findings.size() == count);
    for (const nlohmann::json& finding : findings) {
        CHECK_FALSE(finding["sentence"].get<std::string>().empty());
        CHECK_FALSE(finding["evidence"].get<std::string>().empty());
        for (const char* key : {"kind", "ms", "interval", "todo"})
            CHECK(finding.contains(key));
    }
}

} // namespace

TEST_CASE("analyze, compare and whatif have findings in --json")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 --stage-cost 2=1.1:2.2 -o run.sqlite")
                .status
            == 0);
    const auto findings = bscope(folder, "analyze run.sqlite --why --json").json()["findings"];
    checkFindings(findings, findings.size());
    CHECK(findings.size() > 3);
    CHECK(findings[0]["kind"] == "straggler");
    CHECK(findings[0]["units"] == 2.1);
    CHECK(findings[0]["ms"].is_null());
    CHECK(findings[1]["kind"] == "fill");
    CHECK(findings.back()["kind"] == "faster_scheme");
    CHECK(findings.back()["units"].get<double>() < 0);
    checkFindings(bscope(folder, "analyze run.sqlite --json").json()["findings"],
                  findings.size() - 1); // without predictions of other schemes

    const std::string a = tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite"),
                      b = tests::sourcePath("sample_runs/bitpipe-d4-n8.sqlite");
    const auto compared = bscope(folder, {"compare", a, b, "--json"}).json()["findings"];
    checkFindings(compared, 1);
    CHECK(compared[0]["kind"] == "shorter");
    CHECK(compared[0]["ms"].get<double>() == Approx(-11.909).epsilon(0.01)); // 62.116 - 74.025
    CHECK(compared[0]["interval"][1].get<double>() < 0);
    CHECK(compared[0]["evidence"] == "estimated, from ops");

    const auto predicted
        = bscope(folder, {"whatif", a, "--scheme", "zb-h1", "--scheme", "gpipe", "--json"})
              .json()["findings"];
    checkFindings(predicted, 2);
    CHECK(predicted[0]["interval"][0].get<double>() <= predicted[0]["ms"].get<double>());
}
