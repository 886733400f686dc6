#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

#include <map>
#include <regex>
#include <sstream>

using namespace engine;
using namespace tests;

namespace {

std::string torchError(const std::string& text)
{
    const auto schedule = readTorch(text);
    INFO(text);
    REQUIRE_FALSE(schedule);
    return schedule.error().message;
}

std::string writeError(const Schedule& schedule)
{
    const auto text = writeTorch(schedule);
    REQUIRE_FALSE(text);
    CHECK(text.error().code == Error::Code::Unsupported);
    return text.error().message;
}

} // namespace

TEST_CASE("PyTorch's file has a line per device and a cell per time step")
{
    CHECK(writeTorch(scheduleOf("1f1b", 2, 2)) == "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n");
    CHECK(writeTorch(scheduleOf("zb-h1", 2, 1)) == "0F0,,,0I0,0W0\n,1F0,1I0,1W0\n");
    CHECK(writeTorch(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 (1F1 1B0) 1B1"}))
          == "0F0,0F1,,0B0,0B1\n,1F0,(1F1;1B0)OVERLAP_F_B,1B1\n");
}

TEST_CASE("an op of PyTorch's file comes in a later step than its inputs on other devices")
{
    for (const std::string scheme : {"gpipe", "1f1b", "interleaved-1f1b", "hanayo", "zb-v"}) {
        INFO(scheme);
        std::map<std::string, std::size_t> step; // of F and of the backward of a cell
        const auto text = writeTorch(scheduleOf(scheme, 4, 8));
        REQUIRE(text);
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream cells(line);
            std::size_t t = 0;
            for (std::string cell; std::getline(cells, cell, ','); ++t)
                step[std::regex_replace(cell, std::regex("I"), "B")] = t;
        }
        for (const auto& [cell, t] : step) {
            std::smatch part;
            if (!std::regex_match(cell, part, std::regex("(\\d+)([FB])(\\d+)")))
                continue;
            const int maker = std::stoi(part[1]) + (part[2] == "F" ? -1 : 1);
            const auto made = step.find(std::to_string(maker) + part[2].str() + part[3].str());
            CHECK((made == step.end() || made->second < t));
        }
    }
}

TEST_CASE("a schedule that deadlocks is written without time steps")
{
    CHECK(writeTorch(scheduleFrom({"0B0 0F0", "1F0 1B0"})) == "0B0,0F0\n1F0,1B0\n");
}

TEST_CASE("a schedule in PyTorch's format is read back unchanged, with and without transfers")
{
    for (const std::string scheme : {"gpipe", "1f1b", "interleaved-1f1b", "looped-bfs", "hanayo",
                                     "zb-h1", "zb-h2", "interleaved-zb", "zb-v", "dualpipev"}) {
        INFO(scheme);
        const Schedule schedule = scheduleOf(scheme, 4, 8);
        const auto text = writeTorch(schedule);
        REQUIRE(text);
        const auto read = readScheduleText(*text, scheme);
        REQUIRE(read);
        CHECK(*read == schedule);
    }
    const Schedule withTransfers = addP2P(scheduleOf("interleaved-1f1b", 4, 8));
    const auto text = writeTorch(withTransfers);
    REQUIRE(text);
    CHECK(readTorch(*text, "interleaved-1f1b") == withTransfers);
}

TEST_CASE("schedules as PyTorch prints them are read: idle steps, sharding, reductions, CRLF")
{
    const auto schedule = readTorch("0UNSHARD,0F0,0F1,,,0B0,,0B1,0REDUCE_GRAD,0RESHARD\r\n"
                                    ",1F0,1B0, 1F1 ,1B1,,,,1REDUCE_GRAD\r\n");
    REQUIRE(schedule);
    CHECK(programOf(*schedule)
          == std::vector<std::string>{"0UNSHARD 0F0 0F1 0B0 0B1 0ALLREDUCE 0RESHARD",
                                      "1F0 1B0 1F1 1B1 1ALLREDUCE"});
    CHECK(validate(*schedule).empty());
    CHECK_THAT(writeError(*schedule), Catch::Contains("compute ops alone"));
    CHECK(writeTorch(addP2P(*schedule))
          == "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,"
             "0RESHARD\n"
             "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1,1REDUCE_GRAD\n");
}

TEST_CASE("an empty line is an idle device, except at the end")
{
    const auto schedule = readTorch("0F0,0B0\n\n1F0,1B0\n\n\n");
    REQUIRE(schedule);
    CHECK(schedule->shape.devices == 3);
    CHECK(schedule->device(0, StageId{1}) == DeviceId{2});
    CHECK(validate(*schedule).empty());
}

TEST_CASE("a schedule that PyTorch cannot express is refused with the op and the reason")
{
    CHECK_THAT(writeError(scheduleOf("bitpipe", 4, 4)),
               Catch::Contains("3F2u") && Catch::Contains("one direction"));
    CHECK_THAT(writeError(scheduleOf("seq1f1b", 4, 4)), Catch::Contains("sequence slices"));
    CHECK_THAT(writeError(scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0"})),
               Catch::Contains("0EVICT0") && Catch::Contains("another device"));
    CHECK_THAT(writeError(scheduleFrom({"0F0 0RECOMPUTE0 0B0"})),
               Catch::Contains("stages recompute"));
    CHECK_THAT(writeError(scheduleOf("pipedream", 4, 4)), Catch::Contains("asynchronous"));
    CHECK_THAT(writeError(addOptimizer(scheduleOf("1f1b", 2, 2))),
               Catch::Contains("0OPT") && Catch::Contains("training loop"));
    CHECK_THAT(writeError(scheduleFrom({"(0F0 0F1) 0B0 0B1"})), Catch::Contains("can join only"));
    // PyTorch would use the loss of micro-batch 1 for 1B0 and report no error.
    CHECK_THAT(writeError(scheduleFrom({"0F0 0F1 0B0 0B1", "1F1 1F0 1B0 1B1"})),
               Catch::Contains("1F0: it needs the last stage in micro-batch order"));
    Schedule halves = scheduleFrom({"0F0 0B0.0 0B0.1"});
    halves.program[{0}][1].flags = halves.program[{0}][2].flags = OpFlag::Half;
    CHECK_THAT(writeError(halves), Catch::Contains("not halves"));
}

TEST_CASE("transfers that would meet in the wrong order are not written for PyTorch")
{
    CHECK(writeTorch(scheduleOf("zb-v", 4, 8)));
    CHECK_THAT(writeError(addP2P(scheduleOf("zb-v", 4, 8))),
               Catch::Contains("by order") && Catch::Contains("remove p2p"));
}

TEST_CASE("errors of PyTorch's file name line and action")
{
    CHECK_THAT(torchError("0F0,0X0\n"), Catch::StartsWith("line 1: '0X0' is not a PyTorch action"));
    CHECK_THAT(torchError("0F0\n1F0,F1\n"),
               Catch::StartsWith("line 2: 'F1' is not a PyTorch action"));
    CHECK_THAT(torchError("0F0,3OPT\n"),
               Catch::StartsWith("line 1: '3OPT' is not a PyTorch action"));
    CHECK_THAT(torchError("0F0u\n"), Catch::StartsWith("line 1: '0F0u' is not a PyTorch action"));
    CHECK_THAT(torchError("(0F0;0B0\n"), Catch::Contains("parentheses"));
    CHECK_THAT(torchError("(0F0;0F1)OVERLAP_F_B\n"),
               Catch::Contains("one forward and one backward"));
    CHECK_THAT(torchError("0F0,99999999999F0\n"), Catch::Contains("is not a PyTorch action"));
    CHECK_THAT(torchError("0F0,9999999F0\n"), Catch::Contains("correct the indices"));
    CHECK_THAT(torchError("9999999REDUCE_GRAD\n"), Catch::Contains("correct the indices"));
    CHECK(torchError("\n\n") == "the file has no actions");
}

// LibreOffice and Python's csv.QUOTE_ALL quote every cell.
TEST_CASE("quoted cells are read as PyTorch reads them")
{
    const auto quoted = [](const std::string& text) {
        std::string all = "\"";
        for (const char c : text.substr(0, text.size() - 1))
            all += c == ',' ? "\",\"" : c == '\n' ? "\"\r\n\"" : std::string(1, c);
        return all + "\"\r\n";
    };
    const Schedule schedule = scheduleOf("1f1b", 2, 2);
    const std::string torch = *writeTorch(schedule), own = writeCsv(schedule);
    for (const std::string& text : {torch, quoted(torch), "\xEF\xBB\xBF" + quoted(own)})
        CHECK(readScheduleText(text, "1f1b") == schedule);
    CHECK(scheduleFormat(quoted(torch)) == ScheduleFormat::Torch);
}
