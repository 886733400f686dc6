#include "engine/base/process.h"
#include "tests/catch.h"

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
