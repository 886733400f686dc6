#include "profiler/store/notes.h"
#include "tests/cli/bscope.h"

using namespace cli_test;

TEST_CASE("analyze lists the notes of a run, in words and for scripts")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o run.sqlite").status == 0);
    CHECK(bscope(folder, "analyze run.sqlite --notes").out.find("no notes") != std::string::npos);
    engine::Note ofOp;
    ofOp.id = 1;
    ofOp.window = {4, 8};
    ofOp.iteration = 0;
    ofOp.op = 0;
    ofOp.device = engine::DeviceId{0};
    ofOp.text = "the first forward";
    ofOp.created = "2026-11-21T22:00:00Z";
    engine::Note bookmark;
    bookmark.id = 2;
    bookmark.window = {0, 2};
    const fs::path file = folder / "run.sqlite";
    REQUIRE(profiler::putNote(file, ofOp));
    REQUIRE(profiler::putNote(file, bookmark));
    const std::string text = bscope(folder, "analyze run.sqlite --notes").out;
    CHECK(text.find("0F0 on device 0") != std::string::npos);
    CHECK(text.find("the first forward") != std::string::npos);
    CHECK(text.find("(bookmark)") != std::string::npos);
    CHECK(bscope(folder, "analyze run.sqlite").out.find("first forward") == std::string::npos);
    const auto notes = bscope(folder, "analyze run.sqlite --notes --json").json()["notes"];
    REQUIRE(notes.size() == 2);
    CHECK(notes[0]["op"].is_null());
    CHECK(notes[0]["device"].is_null());
    CHECK(notes[1]["op"] == "0F0");
    CHECK(notes[1]["text"] == "the first forward");
    CHECK(notes[1]["device"] == 0);
    CHECK_FALSE(bscope(folder, "analyze run.sqlite --json").json().contains("notes"));
}
