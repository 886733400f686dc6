#include "profiler/import/readers/readers.h"
#include "tests/catch.h"

#include <algorithm>
#include <clocale>
#include <map>

using namespace engine;
using namespace profiler;

namespace {

struct ReadTrace
{
    std::map<std::string, std::string> members;
    std::vector<std::string> events;
    std::string warning, error;
};

// Gives the reader `step` bytes at a time.
ReadTrace readTrace(const std::string& text, std::size_t step = 1 << 20)
{
    ReadTrace trace;
    std::size_t at = 0;
    const auto bytes = [&](std::span<char> buffer) -> Result<std::size_t> {
        const std::size_t count = std::min({step, buffer.size(), text.size() - at});
        std::copy_n(text.data() + at, count, buffer.data());
        at += count;
        return count;
    };
    const auto warning = readJsonEvents("trace.json", bytes,
                                        {[&](std::string_view key, std::string_view value) {
                                             trace.members[std::string(key)] = value;
                                         },
                                         [&](std::string_view event) {
                                             const bool isObject = event.ends_with('}');
                                             if (isObject)
                                                 trace.events.emplace_back(event);
                                             return isObject;
                                         }});
    trace.warning = warning.value_or("");
    trace.error = warning ? "" : warning.error().message;
    return trace;
}

} // namespace

TEST_CASE("events and members are found, however the bytes arrive")
{
    const std::string text = R"( {"a": {"b": [1, "]}"]}, "traceEvents": [ {"n":"x\"}\\"} ,
        {"n":2},], "z": 1.5e3 } )";
    for (const std::size_t step : {1, 2, 7, 1000}) {
        CAPTURE(step);
        ReadTrace trace = readTrace(text, step);
        CHECK(trace.events == std::vector<std::string>{R"({"n":"x\"}\\"})", R"({"n":2})"});
        CHECK(trace.members["a"] == R"({"b": [1, "]}"]})");
        CHECK(trace.members["z"] == "1.5e3");
        CHECK(trace.warning == "");
        CHECK(trace.error == "");
    }
    CHECK(readTrace("[]").error == "");
    CHECK(readTrace("\xEF\xBB\xBF[{}]").events.size() == 1);
    CHECK(readTrace("[{\"n\":1}]").events.size() == 1);
}

TEST_CASE("events before damage are kept, and the warning has its position")
{
    const ReadTrace cut = readTrace(R"({"traceEvents":[{"n":1},{"n":)");
    CHECK(cut.events.size() == 1);
    CHECK(cut.warning.find("truncated or damaged; the events before") != std::string::npos);
    CHECK(readTrace(R"([{"n":1}] {"x":2})").warning.find("more than one JSON document")
          != std::string::npos);
    CHECK(readTrace(R"({"traceEvents":[{"n":1}],"traceEvents":[{"n":2}]})")
              .warning.find("more than once")
          != std::string::npos);
    CHECK(readTrace(R"({"traceEvents":[{"ph":"X","na)").error.find("truncated")
          != std::string::npos);
    CHECK(readTrace("").error.find("is not a trace") != std::string::npos);
    CHECK(readTrace(std::string(100000, '[')).error.find("is not a trace") != std::string::npos);
}

TEST_CASE("times are read to the nanosecond, as numbers or texts")
{
    CHECK(nanosecondsFrom("4495962102977.989") == 4495962102977989);
    CHECK(nanosecondsFrom("\"12.5\"") == 12500);
    CHECK(nanosecondsFrom("-1.25") == -1250);
    CHECK(nanosecondsFrom("7") == 7000);
    CHECK(nanosecondsFrom("1e3") == 1000000);
    CHECK(nanosecondsFrom("1712195495519695.7501") == 1712195495519695750);
    for (const char* text : {"", "NaN", "null", "1e300", "99999999999999999999", "12x", "\"\""})
        CHECK(nanosecondsFrom(text) == std::nullopt);
    CHECK(integerFrom("9007199254740993") == 9007199254740993);
    CHECK(integerFrom("\"5\"") == 5);
    CHECK(integerFrom("1.5") == std::nullopt);
}

// QCoreApplication sets the locale of the user. In a German session, all times with an exponent
// were dropped.
TEST_CASE("times with an exponent are read in every locale")
{
    for (const char* locale : {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_NUMERIC, locale) == nullptr)
            continue; // not installed
        CHECK(nanosecondsFrom("5.5e-02") == 55);
        CHECK(nanosecondsFrom("5,5e-02") == std::nullopt);
    }
    std::setlocale(LC_NUMERIC, "C");
}

TEST_CASE("an event with an unescaped quote costs only itself")
{
    const std::string good = R"({"ph":"X","name":"a","args":{"b":{"c":"d"}}})";
    for (const char* bad : {R"x({"ph":"X","name":"<eval "x>(12)","args":{"e":1}})x",
                            R"({"ph":"X","name":"say "x" twice"})", R"({"ph":"X"}})"}) {
        CAPTURE(bad);
        for (const std::size_t step : {7, 1 << 20}) {
            const ReadTrace trace = readTrace("{\"traceEvents\":[" + good + ",\n" + bad + ",\n"
                                                  + good + ",\n" + good + "\n],\"z\":1}",
                                              step);
            CHECK(std::ranges::count(trace.events, good) == 3);
            CHECK(trace.members.contains("z"));
            CHECK(trace.warning == "");
            const ReadTrace last = readTrace(
                "{\"traceEvents\":[" + good + ",\n" + bad + "\n],\"y\":[1],\"z\":1}\n", step);
            CHECK(std::ranges::count(last.events, good) == 1);
            CHECK(last.members.contains("z"));
            CHECK(last.warning == "");
        }
    }
}

TEST_CASE("a trace can have one event per line")
{
    const ReadTrace trace = readTrace("{\"ph\":\"X\"}\n{\"ph\":\"B\"},\n{\"ph\":\"E\"}\n");
    CHECK(trace.events.size() == 3);
    CHECK(trace.warning == "");
}

// Its damaged key made it a list of lines, of which the end of the list was never passed.
TEST_CASE("a trace whose key is damaged ends")
{
    CHECK(readTrace("{\"trace\": [{\"ph\":\"X\"}, {\"ph\":\"X\"}, nul]}x").events.size() < 3);
    CHECK(readTrace("{\"ph\": nul]}, {\"ph\":\"X\"}]}").events.size() < 3);
}
