#include "engine/base/new_file.h"
#include "engine/cost/hardware.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

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

// An empty file was an A100: the program had a default for every number.
TEST_CASE("a hardware or model file states the numbers on which every result rests")
{
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "mine.toml").string();
    REQUIRE(saveFile(file, "devices_per_node = 4\n", IfExists::Replace));
    CHECK(loadHardware(file).error().message
          == file + " lacks teraflops, memory_gib, memory_gb_per_second");
    REQUIRE(saveFile(file, "layers = 4\nheads = 2\n", IfExists::Replace));
    CHECK(loadTransformer(file).error().message == file + " lacks width, sequence, vocabulary");
}
