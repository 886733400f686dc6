#include "app/cli/commands/command.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"
#include "tests/cli/bscope.h"

#include <regex>

using namespace cli_test;

namespace {

// The options of all commands in packaging/man/bscope.1.
std::string optionsOfPage()
{
    const std::string page = readText(tests::sourcePath("packaging/man/bscope.1"));
    const auto title = page.find(".SH OPTIONS\n"), end = page.find(".SH DEVICES ON NODES\n");
    REQUIRE((title != std::string::npos && end != std::string::npos));
    const auto begin = page.find(".SS ", title);
    return page.substr(begin, end - begin);
}

std::string sectionOf(const std::string& page, const std::string& command)
{
    const auto begin = page.find(".SS " + command + "\n");
    REQUIRE(begin != std::string::npos);
    const std::string section = page.substr(begin, page.find(".SS ", begin + 1) - begin);
    std::string text = std::regex_replace(section, std::regex(R"(\\f[BIR])"), "");
    text = std::regex_replace(text, std::regex(R"(\\-)"), "-");
    std::smatch other;
    const std::string all = text;
    for (auto rest = all.cbegin();
         std::regex_search(rest, all.cend(), other, std::regex("As for ([a-z]+)\\."));
         rest = other.suffix().first)
        text += sectionOf(page, other[1]);
    return text;
}

} // namespace

TEST_CASE("the options in the manual page are those that bscope --manual prints")
{
    INFO("replace them by the output of bscope --manual");
    const Folder folder;
    CHECK(optionsOfPage() == bscope(folder, "--manual").out);
}

// "STAGE=F:B" was cut at its colon.
TEST_CASE("a placeholder with a colon is printed whole")
{
    const Folder folder;
    const std::string manual = bscope(folder, "--manual").out;
    std::vector<std::string> placeholders{"FROM:TO=COUNT", "STAGE=F:B"};
    const auto add = [&placeholders](const auto& fields) {
        for (const engine::FieldFacts& each : fields)
            placeholders.emplace_back(each.value);
    };
    add(engine::unitCostFields());
    add(engine::experimentFields());
    add(engine::requestFields());
    add(engine::modelFields());
    for (const std::string& placeholder : placeholders)
        if (contains(placeholder, ":")) {
            CAPTURE(placeholder);
            CHECK(contains(manual, "\\fI" + placeholder + "\\fR"));
        }
}

TEST_CASE("every option that the help of a command prints is in the manual page")
{
    const Folder folder;
    const std::string page = optionsOfPage();
    for (const cli::Command& command : cli::commands()) {
        const std::string section = sectionOf(page, std::string(command.name));
        int options = 0;
        for (const std::string& line :
             lines(bscope(folder, std::string(command.name) + " --help").out)) {
            std::smatch name;
            if (!std::regex_search(line, name, std::regex("^  (?:-[A-Za-z],)?(--?[A-Za-z-]+)"))
                || name[1] == "--help")
                continue;
            CAPTURE(command.name, line);
            CHECK(contains(section, name[1]));
            ++options;
        }
        CHECK((options > 0 || command.name == "help"));
    }
}
