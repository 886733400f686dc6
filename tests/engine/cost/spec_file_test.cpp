#include "engine/cost/spec_file.h"
#include "tests/catch.h"

using namespace engine;

namespace {

std::string repeated(std::string_view part, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i)
        text += part;
    return text;
}

} // namespace

// toml++ builds a table per part and overflows the stack when it frees them. Separators in quoted
// parts reset the count of parts.
TEST_CASE("a key of TOML has at most 64 parts, however they are quoted")
{
    CHECK(parseToml(repeated("a.", 64) + "a = 1", "x.toml"));
    const std::string part = R"(",".)";
    for (const std::string& text : {
             repeated("a.", 65) + "a = 1",
             repeated(part, 65) + "a = 1",
             repeated("'='.", 65) + "a = 1",
             repeated(R"("\",[".)", 65) + "a = 1",
             "[" + repeated(part, 65) + "a]",
             "a = {" + repeated(part, 65) + "b = 1}",
             "a = [\"\"\"\n\"\"\"\"\", {" + repeated(part, 65) + "b = 1}]",
             "a = ['''\n' \\'''', {" + repeated(part, 65) + "b = 1}]",
             "a = '' # \"\n" + repeated(part, 65) + "b = 1",
         }) {
        CAPTURE(text);
        const auto read = parseToml(text, "x.toml");
        REQUIRE_FALSE(read);
        CHECK(read.error().message.find("64 parts per key") != std::string::npos);
    }
}

TEST_CASE("dots in the strings, numbers and comments of TOML are not parts of a key")
{
    const std::string dots = repeated(".", 70);
    const std::string text = "a = '" + dots + "'\nb = \"" + dots + "\" # " + dots + "\nc = ["
        + repeated("1.5, ", 70) + "]\nd = \"\"\"\n" + dots + "\"\"\"\n";
    const auto table = parseToml(text, "x.toml");
    REQUIRE(table);
    CHECK((*table)["b"].value_or(std::string()) == dots);
    CHECK((*table)["c"].as_array()->size() == 70);
}
