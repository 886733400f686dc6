#include "engine/cost/layer_layout.h"
#include "tests/catch.h"

using namespace engine;

namespace {

std::string textOf(std::string_view text)
{
    return LayerLayout::parse(text).value().text();
}

std::string errorOf(std::string_view text)
{
    return LayerLayout::parse(text).error().message;
}

} // namespace

TEST_CASE("a layout has the layers of every stage, as in Megatron-LM")
{
    const auto layout = LayerLayout::parse("Et*3|(tt|)*29, t|L").value();
    const std::vector<int> layers = layout.counts(62, 32);
    CHECK(layers.front() == 3);
    CHECK(layers[1] == 2);
    CHECK(layers[30] == 1);
    CHECK(layers.back() == 0);
    CHECK(layout.first(62, 32, 2) == 5);
    CHECK(LayerLayout::parse("E|t|*3tL").value().counts(2, 5) == std::vector<int>{0, 1, 0, 0, 1});
}

TEST_CASE("by default, stage s of S has layers floor(sL/S) to floor((s+1)L/S) - 1")
{
    CHECK(LayerLayout().counts(10, 4) == std::vector<int>{2, 3, 2, 3});
    CHECK(LayerLayout().text().empty());
    CHECK(LayerLayout::parse("") == LayerLayout());
}

TEST_CASE("a layout and its text are inverses")
{
    CHECK(textOf("Ettt|tttt|t*4|tt L") == "Et*3|(t*4|)*2ttL");
    for (const char* text : {"EtL", "EL", "E|L", "Et*3|(t*4|)*2t*3L", "E|(tt|)*3|t*12L", "Et|t|L"})
        CHECK(textOf(text) == text);
}

TEST_CASE("a layout that is not one names what is wrong")
{
    CHECK(errorOf("Et|x|L").find("'x' is not E (embedding)") != std::string::npos);
    CHECK(errorOf("Et|m|L").find("no model has") != std::string::npos);
    CHECK(errorOf("tt|L").find("begin with the only E") != std::string::npos);
    CHECK(errorOf("Et|E|L").find("begin with the only E") != std::string::npos);
    CHECK(errorOf("Et|tL|t").find("end with the only L") != std::string::npos);
    CHECK(errorOf("E(tt|L").find("a ) is missing") != std::string::npos);
    CHECK(errorOf("E(tt|)L").find("(tt|) is not repeated") != std::string::npos);
    CHECK(errorOf("Et*|L").find("* needs a whole number") != std::string::npos);
    CHECK(errorOf("Et*99999999999|L").find("* needs a whole number") != std::string::npos);
    CHECK(errorOf("E(t*1048576)*1048576|L").find("more than 1048576") != std::string::npos);
    CHECK(errorOf(",").find("begin with the only E") != std::string::npos);
}

TEST_CASE("a layout of another model or schedule is refused")
{
    const auto layout = LayerLayout::parse("Ett|tttL").value();
    CHECK(layout.check("tiny", 5, 2));
    CHECK(layout.check("tiny", 6, 2).error().message
          == "--layout Ett|t*3L: has 5 layers, tiny has 6; use one t for each layer");
    CHECK(
        layout.check("tiny", 5, 4).error().message
        == "--layout Ett|t*3L: has 2 stages, the schedule 4; use one part for each stage (devices "
           "x chunks)");
}
