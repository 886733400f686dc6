#include "app/cli/text/run_text.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
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
    CHECK(notes[0]["iteration"].is_null());
    CHECK(notes[1]["iteration"] == 0);
    CHECK(notes[1]["begin"] == 2.0);
    CHECK(notes[1]["end"] == 4.0);
    CHECK(notes[1]["created"] == "2026-11-21T22:00:00Z");
    CHECK_FALSE(bscope(folder, "analyze run.sqlite --json").json().contains("notes"));
}

TEST_CASE("a note is listed with its iteration, time and duration")
{
    using engine::Iteration;
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o run.sqlite").status == 0);
    auto run = profiler::readRun(folder / "run.sqlite");
    REQUIRE(run);
    REQUIRE(run->info.ticksPerUnit == 2);
    run->timeline.iterations.clear();
    for (const auto kind :
         {Iteration::Kind::Warmup, Iteration::Kind::Measured, Iteration::Kind::Replay}) {
        Iteration iteration;
        iteration.kind = kind;
        iteration.number = static_cast<int>(kind) + 5;
        const auto begin = static_cast<std::int64_t>(100 * run->timeline.iterations.size());
        iteration.window = {begin, begin + 100};
        run->timeline.iterations.push_back(iteration);
    }
    std::vector<engine::Note> notes(4);
    for (int i = 0; i < 4; ++i) {
        auto& note = notes[static_cast<std::size_t>(i)];
        note.window = {100 * i + 20, 100 * i + 26};
        note.iteration = i < 3 ? i : -1;
        note.device = engine::DeviceId{i - 2};
        note.text = "word";
    }
    profiler::Sheet sheet;
    cli::addNotes(*run, notes, sheet);
    CHECK(sheet.text()
          == "note  subject      iteration    start units  length units  text\n"
             "   1  all devices  warm-up 5           10.0           3.0  word\n"
             "   2  all devices  6                   10.0           3.0  word\n"
             "   3  device 0     typical ops         10.0           3.0  word\n"
             "   4  device 1     -                  160.0           3.0  word\n");
}
