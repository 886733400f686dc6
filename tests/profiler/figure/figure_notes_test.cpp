#include "profiler/figure/layout.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

using namespace profiler;

namespace {

engine::Note note(std::int64_t begin, std::string text, int iteration = -1)
{
    engine::Note result;
    result.id = 1;
    result.window = {begin, begin + 10};
    result.iteration = iteration;
    result.text = std::move(text);
    return result;
}

std::vector<std::string> texts(const Scene& scene, std::string_view cls)
{
    std::vector<std::string> found;
    for (const Group& group : scene.groups)
        for (const SceneShape& shape : group.shapes)
            if (const auto* text = std::get_if<Text>(&shape); text != nullptr && text->cls == cls)
                found.push_back(text->text);
    return found;
}

} // namespace

TEST_CASE("notes of the drawn iteration stand above its rows, numbered by time")
{
    const auto run = sample::measured({"1f1b", 2, 2, 2});
    const engine::Run* runs[] = {run.get()};
    const engine::Window last = run->timeline.iterations[1].window;
    const std::int64_t third = last.duration() / 3;
    const std::vector<std::vector<engine::Note>> notes{
        {note(run->timeline.iterations[0].window.begin, "of the first iteration"),
         note(last.begin + 5, "fill"), note(last.begin + third, ""),
         note(last.begin + 2 * third, "the drain begins here and goes on for quite a while"),
         note(last.begin + third, "of another one", 0)}};
    FigureOptions options;
    const auto without = layoutFigure(runs, options, notes);
    REQUIRE(without);
    CHECK(texts(*without, "note-number").empty());
    options.notes = true;
    const auto with = layoutFigure(runs, options, notes);
    REQUIRE(with);
    CHECK(texts(*with, "note-number") == std::vector<std::string>{"1", "3"}); // 2 is a bookmark
    const auto words = texts(*with, "note-words");
    REQUIRE(words.size() == 2);
    CHECK(words[0] == "fill");
    CHECK(words[1].find("the drain") == 0);
    CHECK(words[1].ends_with("\xE2\x80\xA6")); // cut at the edge of the figure
    CHECK(with->height > without->height);
    CHECK(layoutFigure(runs, options)->height == without->height); // nobody made one
}

TEST_CASE("the line of a note is at its time and crosses all rows")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const engine::Window all = run->timeline.iterations[0].window;
    FigureOptions options;
    options.notes = true;
    const std::vector<std::vector<engine::Note>> notes{
        {note(all.begin, "a"), note(all.begin + all.duration() / 2, "b")}};
    const auto scene = layoutFigure(runs, options, notes);
    REQUIRE(scene);
    std::vector<Line> lines;
    for (const Group& group : scene->groups)
        if (group.id == "notes")
            for (const SceneShape& shape : group.shapes)
                if (const auto* line = std::get_if<Line>(&shape))
                    lines.push_back(*line);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].x1 == lines[0].x2);
    CHECK(lines[0].y2 - lines[0].y1 > 2 * options.fontSize); // both rows
    CHECK(lines[1].x1 > lines[0].x1);
    CHECK(lines[1].dashed);
}

// The time was quadratic in the length.
TEST_CASE("a long note is cut to the words that fit")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const std::int64_t begin = run->timeline.iterations[0].window.begin;
    FigureOptions options;
    options.notes = true;
    const std::vector<std::vector<engine::Note>> notes{{note(begin, std::string(1'000'000, 'l'))}};
    const auto scene = layoutFigure(runs, options, notes);
    REQUIRE(scene);
    const auto words = texts(*scene, "note-words");
    REQUIRE(words.size() == 1);
    CHECK(words[0].ends_with("\xE2\x80\xA6"));
    CHECK(words[0].size() < 1024);
}

TEST_CASE("words end before the next note, and are left out where hardly a letter fits")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const engine::Window all = run->timeline.iterations[0].window;
    FigureOptions options;
    options.notes = true;
    bool wereCut = false, wereLeftOut = false;
    for (int part = 1; part < 100; ++part) {
        CAPTURE(part);
        const std::vector<std::vector<engine::Note>> notes{
            {note(all.begin, "illlllllllllllllllllllllllllllllllllll"),
             note(all.begin + all.duration() * part / 200, ""), note(all.end, "behind the end")}};
        const auto scene = layoutFigure(runs, options, notes);
        REQUIRE(scene);
        const auto words = texts(*scene, "note-words");
        CHECK(words.size() <= 1);
        wereLeftOut = wereLeftOut || words.empty();
        if (words.empty() || !words[0].ends_with("\xE2\x80\xA6"))
            continue;
        wereCut = true;
        CHECK(words[0].size() >= 3 + 3); // letters, and the three bytes of the sign
    }
    CHECK(wereCut);
    CHECK(wereLeftOut);
}
