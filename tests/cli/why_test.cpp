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
