#include "tests/cli/bscope.h"

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
    refused("--vary layers", "changes the order and the placement only");
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
