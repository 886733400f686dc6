#include "tests/cli/bscope.h"

#include <fmt/format.h>

using namespace cli_test;

namespace {

const std::string kCosts = "--input-gradient 1.1 --weight-gradient 0.7 --p2p 0.1 ";

} // namespace

TEST_CASE("search writes a schedule that takes as long in simulate as it says")
{
    const Folder folder;
    const std::string shape = "-D 4 -N 8 --chunks 2 ";
    const auto found
        = bscope(folder,
                 "search " + shape + kCosts + "--memory 3 --orders 20000 -o found.csv --json")
              .json();
    const auto simulated
        = bscope(folder, "simulate --schedule found.csv " + kCosts + "--json").json();
    CHECK(found["iteration"] == simulated["iteration"]);
    CHECK(found["peak_stash"] == simulated["peak_stash"]);
    CHECK(found["unit"] == simulated["unit"]);
    CHECK(found["peak_stash"] <= 3);
    CHECK(found["bound"] <= found["iteration"]);
    CHECK(found["gap"].get<double>()
          == Approx(found["iteration"].get<double>() / found["bound"].get<double>() - 1));
    CHECK(found["schedule_file"] == "found.csv");
    const auto best = found["best_published"];
    const auto published = bscope(folder,
                                  "simulate --scheme " + best["scheme"].get<std::string>() + " "
                                      + shape + kCosts + "--json")
                               .json();
    CHECK(best["iteration"] == published["iteration"]);
    CHECK(found["iteration"] < best["iteration"]);
    CHECK(bscope(folder, "validate found.csv").status == 0);
}

TEST_CASE("search starts from the costs and the shape of a recorded run")
{
    const Folder folder;
    REQUIRE(bscope(folder, "run --scheme zb-h1 -D 2 -N 4 --iterations 2 --layers 4 -o run.sqlite")
                .status
            == 0);
    const auto found
        = bscope(folder, "search --calibrate run.sqlite --orders 2000 -o found.csv --json").json();
    CHECK(found["unit"] == "ns");
    const auto simulated
        = bscope(folder, "simulate --calibrate run.sqlite --schedule found.csv --json").json();
    CHECK(found["iteration"] == simulated["iteration"]);
}

TEST_CASE("a search that cannot be done says what to change")
{
    const Folder folder;
    const auto refused = [&folder](const std::string& options, const std::string& reason) {
        const auto result = bscope(folder, "search --orders 100 " + options);
        CAPTURE(options, result.err);
        CHECK(result.status != 0);
        CHECK(contains(result.err, reason));
        CHECK(result.out.empty());
    };
    refused("--memory 0.1", "needs the least memory needs");
    refused("--memory x", "write activations");
    refused("--memory 2,3", "2 values for 4 devices");
    refused("--memory 9GiB", "needs --model and --hardware");
    refused("--scheme pipedream", "pipedream is no start for this search");
    refused("--start nothing", "nothing is no start for this search");
    refused("--vary offload", "add --memory");
    refused("--vary offload --memory 3", "--transfer");
    refused("--offload 3", "the order of evicts and loads");
    refused("--vary layers", "layers have no times: give a model");
    refused("--vary layers --memory 3", "give --memory in bytes");
    refused("--seconds 1", "excludes");
    refused("--receive deferred", "--receive eager");
}

TEST_CASE("RECOMPUTE ops that were moved ahead shorten bitpipe, and keep the gradients bit for bit")
{
    const Folder folder;
    const std::string plain = "--scheme bitpipe -D 4 -N 8 --recompute full ";
    const std::string ahead = plain + "--recompute-ahead 2 ";
    const auto before = bscope(folder, "simulate --json " + plain).json();
    const auto moved = bscope(folder, "simulate --json " + ahead).json();
    CHECK(moved["iteration"] < before["iteration"]);
    CHECK(moved["per_device"][0]["peak_stash"] <= 2);
    REQUIRE(bscope(folder, "schedule -o ahead.csv " + ahead).status == 0);
    CHECK(bscope(folder, "validate ahead.csv").status == 0);
    CHECK(bscope(folder, "simulate --json --schedule ahead.csv").json()["iteration"]
          == moved["iteration"]);
    const auto verified = bscope(folder, "verify --schedule ahead.csv --json").json();
    CHECK(verified["passed"] == true);
    CHECK(verified["checks"].size() == 4);
    CHECK(bscope(folder, "run --schedule ahead.csv --recompute full --iterations 1 -o a.sqlite")
              .status
          == 0);
}

TEST_CASE("a found order has the gradients of sequential training, bit for bit")
{
    const Folder folder;
    REQUIRE(
        bscope(folder, "search --scheme zb-v -D 2 -N 4 --memory 1.5 --orders 5000 -o f.csv").status
        == 0);
    const auto verified = bscope(folder, "verify --schedule f.csv --json").json();
    CHECK(verified["passed"] == true);
    CHECK(verified["checks"].size() == 4);
    CHECK(verified["checks"][0]["scheme"] == "f.csv");
    CHECK(bscope(folder, "verify --schedule f.csv --scheme 1f1b").status == 2);
}

TEST_CASE("a search chooses among recomputations, and its order has the time that it states")
{
    const Folder folder;
    const auto found = bscope(folder,
                              "search -D 4 -N 8 --vary recompute --memory 1.5 --orders 6000 "
                              "--seed 1 -o found.csv --json")
                           .json();
    const auto& choices = found["choices"];
    REQUIRE(choices.size() == 3);
    CHECK(choices[0]["iteration"] == found["iteration"]);
    int known = 0;
    for (const auto& choice : choices) {
        CHECK(choice["iteration"].is_null() == !choice["why"].is_null());
        known += choice["iteration"].is_null() ? 0 : 1;
        if (!choice["iteration"].is_null())
            CHECK(choice["iteration"] >= found["iteration"]);
    }
    CHECK(known >= 2);
    const std::string chosen = choices[0]["recompute"];
    CHECK(chosen != "none"); // no order without recomputation holds 1.5 activations or is shorter
    const auto simulated
        = bscope(folder, "simulate --schedule found.csv --json --recompute " + chosen).json();
    CHECK(simulated["iteration"] == found["iteration"]);
    // Without recomputation, nothing moves ahead.
    const auto ahead = bscope(folder,
                              "search -D 2 -N 2 --vary recompute --recompute-ahead peak --orders "
                              "300 --json")
                           .json()["choices"];
    const auto none
        = std::ranges::find(ahead, "none", [](const auto& one) { return one["recompute"]; });
    REQUIRE(none != ahead.end());
    CHECK((*none)["why"].is_null());
}

// It named only the memory that is needed without recomputation.
TEST_CASE("a search that finds nothing names what every choice needs")
{
    const Folder folder;
    const auto none = bscope(folder, "search -D 4 -N 8 --memory 0.1 --vary recompute --orders 99");
    CHECK(none.status == 1);
    for (const char* needs : {"Nothing added: no order fits 0.1 M_a",
                              ". --recompute attention: no order", ". --recompute full: no order"})
        CHECK(contains(none.err, needs));
}

TEST_CASE("a search balances the layers for the order that it found")
{
    const Folder folder;
    const auto found = bscope(folder,
                              "search -D 4 -N 8 --scheme 1f1b --model llama3-70b --hardware "
                              "a100-sxm-80 --tensor-parallel 8 --vary layers --orders 2000 --json")
                           .json();
    const auto& choices = found["choices"];
    REQUIRE(choices.size() == 2);
    CHECK(choices[0]["iteration"] < choices[1]["iteration"]); // the last stage has the output layer
    CHECK(choices[1]["layout"].is_null());
    const std::string layout = choices[0]["layout"];
    CHECK(contains(layout, "L"));
}

TEST_CASE("a search evicts stashes to host memory where that is shorter within the limit")
{
    const Folder folder;
    const std::string options = "search -D 4 -N 8 --memory 2 --transfer 0.2 --orders 9000 --json ";
    const auto kept = bscope(folder, options).json();
    const auto found = bscope(folder, options + "--vary order,offload -o found.csv").json();
    CHECK(found["iteration"] < kept["iteration"]);
    CHECK(found["bound"] <= found["iteration"]);
    CHECK(found["peak_stash"] <= 2);
    CHECK(found["choices"].size() == 3);
    CHECK(found["choices"][0]["offload_from"] > 1);
    const auto simulated
        = bscope(folder, "simulate --schedule found.csv --transfer 0.2 --json").json();
    CHECK(simulated["iteration"] == found["iteration"]);
    CHECK(simulated["copies_hidden"] > 0.5);
    CHECK(bscope(folder, "verify --schedule found.csv --json").json()["passed"] == true);
}

// What a search finds within a lower limit is what a search with that limit finds.
TEST_CASE("a search also finds schedules within lower limits")
{
    const Folder folder;
    const std::string options = "search -D 4 -N 8 --p2p 0.1 --json ";
    const auto found = bscope(folder, options + "--memory 4 --orders 8000 --lower-limits 4").json();
    const auto alone = bscope(folder, options + "--memory 4 --orders 8000").json();
    CHECK(found["iteration"] == alone["iteration"]);
    CHECK(found["orders"] == 8000);
    CHECK(alone["lower_limits"].empty());
    const auto& lower = found["lower_limits"];
    REQUIRE(lower.size() >= 2);
    double limit = 4, iteration = found["iteration"];
    for (const auto& one : lower) {
        CHECK(one["limit"] < limit);
        CHECK(one["peak_stash"] <= one["limit"]);
        CHECK(one["orders"] == 1000);
        CHECK(one["iteration"] >= iteration);
        CHECK(one["iteration"] <= one["published_iteration"]);
        limit = one["limit"];
        iteration = one["iteration"];
    }
    CHECK(lower.back()["peak_stash"] == 1); // GEMS
    const auto within = lower[0]["limit"].get<double>();
    const auto again
        = bscope(folder, options + fmt::format("--memory {} --orders 1000", within)).json();
    CHECK(again["iteration"] == lower[0]["iteration"]);
}

TEST_CASE("a complete search by time is repeated by the number of orders that it prints")
{
    const Folder folder;
    const std::string options = "search -D 4 -N 8 --memory 3 --seed 5 --vary recompute --json ";
    const auto timed = bscope(folder, options + "--seconds 1 -o timed.csv").json();
    if (timed["complete"] == false) // the machine became slower meanwhile
        return;
    const std::string orders = std::to_string(timed["orders"].get<std::int64_t>());
    const auto again = bscope(folder, options + "--orders " + orders + " -o again.csv").json();
    CHECK(again["complete"] == true);
    CHECK(again["orders"] == timed["orders"]);
    CHECK(readText(folder / "again.csv") == readText(folder / "timed.csv"));
}
