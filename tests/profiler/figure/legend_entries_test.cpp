#include "profiler/figure/legend_entries.h"
#include "tests/catch.h"

using engine::OpKind;
using profiler::LegendContent;

namespace {

std::string legendTexts(const LegendContent& content)
{
    const auto palette = profiler::loadPalette("default", profiler::ThemeMode::Light);
    std::string all;
    for (const auto& entry : profiler::legendEntries(content, *palette))
        all += (all.empty() ? "" : "; ") + entry.text;
    return all;
}

} // namespace

TEST_CASE("a legend names what occurs, in one order and in the same words everywhere")
{
    LegendContent content;
    content.chunks = {{OpKind::Forward, {0, 1}},        {OpKind::BackwardInput, {0, 1}},
                      {OpKind::BackwardWeight, {0, 1}}, {OpKind::SendActivation, {0}},
                      {OpKind::AllReduce, {0}},         {OpKind::OptimizerStep, {0}}};
    content.isUp = content.hasBubble = content.hasExposed = true;
    CHECK(legendTexts(content)
          == "forward, chunk 0 and 1; input gradient; weight gradient; message, all-reduce; "
             "optimizer; exposed communication; direction up; bubble");
    content.chunks = {{OpKind::Forward, {0, 1, 2, 3}}};
    CHECK(
        legendTexts(content).starts_with("forward, chunk 0, 1, 2 ...;")); // chunk 3 has 0's colour
}

// Both have one colour, so two entries looked alike.
TEST_CASE("a legend names backward and input gradient in one entry")
{
    LegendContent content;
    content.chunks = {{OpKind::Forward, {0, 1}},
                      {OpKind::Backward, {0}},
                      {OpKind::BackwardInput, {0, 1}},
                      {OpKind::BackwardWeight, {0, 1}}};
    CHECK(legendTexts(content)
          == "forward, chunk 0 and 1; backward, input gradient; weight gradient");
    const auto palette = profiler::loadPalette("default", profiler::ThemeMode::Light);
    CHECK(profiler::legendEntries(content, *palette)[1].fills.size() == 2);
}

TEST_CASE("entries of a legend fill lines from left to right")
{
    const double widths[] = {40, 40, 90, 10};
    const auto places = profiler::legendPositions(widths, 10, 100);
    CHECK(places[1].x == 50);
    CHECK(places[1].line == 0);
    CHECK(places[2].line == 1);
    CHECK(places[3].line == 2); // 90 + 10 + 10 is more than 100
}
