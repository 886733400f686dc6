#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

// A schedule as sail-sg prints it.
std::string printedBySail(const Schedule& schedule)
{
    std::string text;
    for (const engine::DeviceId d : schedule.program.ids()) {
        std::string line;
        for (const Op& op : schedule.program[d]) {
            std::string word(
                kindShortName(op.kind == OpKind::BackwardInput ? OpKind::Backward : op.kind));
            if (op.stage.value < schedule.shape.devices)
                for (char& c : word)
                    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            line += (line.empty() ? "" : " ") + word + std::to_string(op.microBatch.value);
        }
        text += line + "\n";
    }
    return text;
}

std::string sailError(const std::string& text)
{
    const auto schedule = readSail(text);
    INFO(text);
    REQUIRE_FALSE(schedule);
    return schedule.error().message;
}

} // namespace

TEST_CASE("sail-sg's text of one chunk, of a V and of looping chunks gives the schedule back")
{
    for (const std::string scheme :
         {"1f1b", "zb-h1", "zb-v", "interleaved-1f1b", "grouped-interleaved", "interleaved-zb"}) {
        INFO(scheme);
        const Schedule schedule = scheduleOf(scheme, 4, 8);
        const auto read = readScheduleText(printedBySail(schedule), scheme);
        REQUIRE(read);
        CHECK(*read == schedule);
    }
    const Schedule withTransfers = addP2P(scheduleOf("zb-v", 4, 8));
    CHECK(readSail(printedBySail(withTransfers), "zb-v") == withTransfers);
}

TEST_CASE("a B of sail-sg is I where a W follows, and the whole backward where none does")
{
    const auto schedule = readSail("f0 f1 b0 w0 b1\n");
    REQUIRE(schedule);
    CHECK(programOf(*schedule) == std::vector<std::string>{"0F0 0F1 0I0 0W0 0B1"});
    CHECK(validate(*schedule).empty());
    CHECK(programOf(*readSail("F0 F1 BW0 BW1\n")) == std::vector<std::string>{"0F0 0F1 0B0 0B1"});
}

TEST_CASE("checks of the gradient norm are no part of sail-sg's order")
{
    CHECK(programOf(*readSail("f0 sf0 rb0 b0 w0 spv0 pv0\nrf0 f0 b0 sb0 w0 rpv0 pv0\n"))
          == std::vector<std::string>{"0F0 0SEND_F0 0RECV_B0 0I0 0W0",
                                      "1RECV_F0 1F0 1I0 1SEND_B0 1W0"});
}

TEST_CASE("errors of sail-sg's text name line and word")
{
    CHECK_THAT(sailError("f0 x1\n"), Catch::StartsWith("line 1: 'x1' is not a word"));
    CHECK_THAT(sailError("f0\nf0 sF1\n"), Catch::StartsWith("line 2: 'sF1' is not a word"));
    CHECK_THAT(sailError("f0 f-1\n"), Catch::StartsWith("line 1: 'f-1' is not a word"));
    CHECK_THAT(sailError("f0 f99999999999\n"), Catch::Contains("is not a word"));
    CHECK_THAT(sailError("f0 if0\n"), Catch::StartsWith("line 1: 'if0' is not a word"));
    CHECK(sailError("\n \n") == "the file has no ops");
}
