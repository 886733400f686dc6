#include "engine/schedule/csv.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

TEST_CASE("a schedule written and read again is the same, and so is its text")
{
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe"})
        for (const Schedule& schedule :
             {scheduleOf(scheme, 4, 8), lower(scheduleOf(scheme, 4, 8))}) {
            const std::string text = writeCsv(schedule);
            const auto read = readCsv(text, scheme);
            REQUIRE(read);
            CHECK(*read == schedule);
            CHECK(writeCsv(*read) == text);
        }
}
