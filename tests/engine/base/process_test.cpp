#include "engine/base/process.h"
#include "tests/catch.h"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>

using namespace engine;

TEST_CASE("a limit of the system has a message of its own")
{
    const std::system_error noThread(
        std::make_error_code(std::errc::resource_unavailable_try_again));
    CHECK_THAT(limitReached(noThread).value(), Catch::Contains("ulimit -u"));
    CHECK_THAT(limitReached(std::bad_alloc()).value(), Catch::StartsWith("out of memory"));
    CHECK_FALSE(limitReached(std::runtime_error("unexpected")));
    CHECK(messageOf(std::runtime_error("unexpected")) == "unexpected");
}

// Runs went to ./.local of whatever folder the program was started in.
TEST_CASE("without HOME, runs are in the home folder of the user")
{
    REQUIRE(unsetenv("XDG_DATA_HOME") == 0);
    REQUIRE(unsetenv("HOME") == 0);
    CHECK(dataFolder().is_absolute());
    REQUIRE(setenv("HOME", "/home/of", 1) == 0);
    CHECK(dataFolder() == "/home/of/.local/share/bubblescope");
}
