#include "tests/support/golden.h"
#include "tests/support/pipelines.h"

using namespace tests;

TEST_CASE("the schemes give the golden orders, op for op")
{
    const std::map<std::string, std::vector<std::string>> cases{
        {"gpipe/gpipe_d4_n4.csv", programOf(scheduleOf("gpipe", 4, 4))},
        {"gpipe/gpipe_d4_n8.csv", programOf(scheduleOf("gpipe", 4, 8))},
        {"gpipe_lifo/gpipe_lifo_d4_n4.csv",
         programOf(scheduleOf("gpipe", 4, 4, {{"backward", "lifo"}}))},
        {"gpipe_lifo/gpipe_lifo_d4_n8.csv",
         programOf(scheduleOf("gpipe", 4, 8, {{"backward", "lifo"}}))},
        {"1f1b/1f1b_d4_n4.csv", programOf(scheduleOf("1f1b", 4, 4))},
        {"1f1b/1f1b_d4_n8.csv", programOf(scheduleOf("1f1b", 4, 8))},
        {"bitpipe/bitpipe_D4_N4.csv", programOf(scheduleOf("bitpipe", 4, 4))},
        {"bitpipe/bitpipe_D4_N8.csv", programOf(scheduleOf("bitpipe", 4, 8))},
        {"bitpipe/bitpipe_D8_N8.csv", programOf(scheduleOf("bitpipe", 8, 8))},
        {"bitpipe/figure_D4_N4.csv", programOf(scheduleOf("bitpipe", 4, 4))},
    };
    for (const auto& [file, program] : cases) {
        INFO(file);
        CHECK(program == goldenProgram(file));
    }
}
