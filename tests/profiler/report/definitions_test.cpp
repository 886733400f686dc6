#include "profiler/report/definitions.h"
#include "tests/catch.h"

#include <set>
#include <string>

using namespace profiler;

TEST_CASE("every number has a term, a formula, a meaning and a source, and no label twice")
{
    std::set<std::string> labels;
    for (const Definition& one : definitions()) {
        INFO(one.term);
        CHECK_FALSE(one.term.empty());
        CHECK_FALSE(one.formula.empty());
        CHECK(one.meaning.ends_with('.'));
        CHECK_FALSE(one.source.empty());
        std::string rest(one.labels);
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('|'), rest.size());
            CHECK(labels.insert(rest.substr(0, end)).second);
            rest.erase(0, end + 1);
        }
    }
}

TEST_CASE("a definition is found by the title of a column, with or without its unit")
{
    const auto term = [](std::string_view label) {
        const Definition* found = findDefinition(label);
        return found == nullptr ? "" : std::string(found->term);
    };
    CHECK(term("Bubble") == "Bubble");
    CHECK(term("Bubble, ms") == "Bubble");
    CHECK(term("Bubble, %") == "Bubble ratio");
    CHECK(term("Bubble %") == "Bubble ratio");
    CHECK(term("Peak stash, M_a") == "Peak stash");
    CHECK(term("Stash, M\u2090") == "Peak stash");
    CHECK(term("Exposed comm.") == "Exposed communication");
    CHECK(term("95 % interval") == "95 % interval");
    CHECK(term("Device").empty());
    CHECK(term("").empty());
}

TEST_CASE("the definitions fit into 100 columns of a terminal")
{
    const std::string text = definitionsText();
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
        INFO(text.substr(begin, end - begin));
        CHECK(end - begin <= 100);
        begin = end + 1;
    }
    CHECK(text.find("MFU = model FLOPs / (iteration x W x D x peak FLOP/s)") != std::string::npos);
}
