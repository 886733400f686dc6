#include "tests/cli/bscope.h"

#include <sqlite3.h>

#include <cmath>

using namespace cli_test;

namespace {
void sql(const fs::path& file, const std::string& statements)
{
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

void checkRefused(const Folder& folder, const std::string& file)
{
    for (const std::string command : {"analyze ", "export --format csv "}) {
        const Printed printed = bscope(folder, command + file);
        CAPTURE(command, file, printed.err);
        CHECK(printed.status == 1);
        CHECK(printed.out.empty());
        CHECK(lines(printed.err).size() == 1);
        CHECK(printed.err.starts_with("bscope: "));
        CHECK(contains(printed.err, file));
    }
}
} // namespace

TEST_CASE("a file that is not a run is refused in one line that says what it is")
{
    const Folder folder;
    bscope(folder, "simulate -N 4 -o run.sqlite");
    writeText(folder / "empty.sqlite", "");
    writeText(folder / "text.sqlite", "not a database, but long enough to be looked at twice");
    const std::string whole = readText(folder / "run.sqlite");
    writeText(folder / "truncated.sqlite", whole.substr(0, whole.size() / 2));
    sql(folder / "foreign.sqlite", "CREATE TABLE songs(title TEXT)");
    for (const char* file :
         {"missing.sqlite", "empty.sqlite", "text.sqlite", "truncated.sqlite", "foreign.sqlite"})
        checkRefused(folder, file);
    CHECK(contains(bscope(folder, "compare run.sqlite missing.sqlite").err, "missing.sqlite"));
}

TEST_CASE("a run of another format is refused with what to do")
{
    const Folder folder;
    bscope(folder, "simulate -N 4 -o run.sqlite");
    sql(folder / "run.sqlite", "PRAGMA user_version = 2");
    checkRefused(folder, "run.sqlite");
    CHECK(contains(bscope(folder, "analyze run.sqlite").err, "record the run again"));
}

TEST_CASE("a run is exported as CSV and as a Chrome trace")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o run.sqlite");
    const Printed csv = bscope(folder, "export run.sqlite --format csv");
    CHECK(csv.status == 0);
    CHECK(lines(csv.out).size() > 8);
    CHECK(bscope(folder, "export run.sqlite --format chrome -o trace.json").status == 0);
    CHECK(nlohmann::json::parse(readText(folder / "trace.json")).contains("traceEvents"));
}

TEST_CASE("a run and a comparison are reported as one HTML page each")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o a.sqlite");
    bscope(folder, "simulate --scheme gpipe -D 2 -N 2 -o b.sqlite");
    const Printed page = bscope(folder, "export a.sqlite --format html");
    CHECK(page.status == 0);
    CHECK(contains(page.out, "<h1>1F1B</h1>"));
    const Printed table = bscope(folder, "compare a.sqlite b.sqlite --html c.html --baseline 1");
    CHECK(table.status == 0);
    CHECK(contains(table.out, "bubble %"));
    CHECK(contains(readText(folder / "c.html"), "Baseline: GPipe."));
    const Printed again = bscope(folder, "compare a.sqlite b.sqlite --html c.html");
    CHECK(again.status == 1);
    CHECK(contains(again.err, "exists already"));
    CHECK(bscope(folder, "compare a.sqlite b.sqlite --html c.html --force").status == 0);
    CHECK(bscope(folder, "compare a.sqlite b.sqlite --html a.sqlite --force").status != 0);
}

TEST_CASE("a run is exported whole as JSON, and as a figure for LaTeX")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -D 2 -N 2 -o run.sqlite");
    const auto run = nlohmann::json::parse(bscope(folder, "export run.sqlite --format json").out);
    CHECK(run["devices"] == 2);
    CHECK(run["spans"].size() > 8);
    const Printed tikz = bscope(folder, "export run.sqlite --format tikz");
    CHECK(tikz.status == 0);
    CHECK(contains(tikz.out, "\\begin{tikzpicture}"));
    CHECK(contains(tikz.out, "0B1")); // every box says whose it is
}

TEST_CASE("a comparison names both runs and what lies between them")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -N 4 -o a.sqlite");
    bscope(folder, "simulate --scheme bitpipe -N 4 -o b.sqlite");
    const Printed text = bscope(folder, "compare a.sqlite b.sqlite");
    CHECK(contains(text.out,
                   "BitPipe is 33.3 % shorter than 1F1B (−7.0 units, exact): 7.0 units "
                   "less bubble."));
    CHECK(contains(text.out, "difference from 1F1B  BitPipe"));
    const auto json = bscope(folder, "compare a.sqlite b.sqlite --baseline 1 --json").json();
    CHECK(json["baseline"] == 1);
    CHECK(json["runs"][0]["iteration"] == 21.0);
    CHECK(json["runs"][1]["summary"] == "BitPipe is the baseline");
    CHECK(json["runs"][0]["difference"]["iteration"]["by"] == 7.0);
    CHECK(json["runs"][0]["difference"]["iteration"]["spread"] == "exact");
    CHECK(json["runs"][0]["rank"] == 2);
    CHECK(bscope(folder, "compare a.sqlite b.sqlite --baseline 2").status == 2);
}

TEST_CASE("a nightly job learns whether an iteration became longer, or that it is unclear")
{
    const Folder folder;
    bscope(folder, "simulate --scheme 1f1b -o old.sqlite");
    bscope(folder, "simulate --scheme 1f1b --forward 1.1 -o new.sqlite");
    const Printed failed = bscope(folder, "compare old.sqlite new.sqlite --fail-above 3%");
    CHECK(failed.status == 1);
    CHECK(contains(failed.out,
                   "1F1B, --forward 1.1 against 1F1B: the iteration changes by +3.3 %: "
                   "longer by more than 3 %\n"));
    const Printed passed = bscope(folder, "compare old.sqlite new.sqlite --fail-above 4 --json");
    CHECK(passed.status == 0);
    CHECK(passed.json()["gates"][0]["result"] == "passed");
    CHECK(bscope(folder, "compare new.sqlite old.sqlite --fail-above 0").status == 0);

    bscope(folder, "run --layers 8 --iterations 2 -o two.sqlite");
    bscope(folder, "run --layers 8 --iterations 2 --seed 2 -o seed.sqlite");
    const Printed few = bscope(folder, "compare two.sqlite seed.sqlite --fail-above 3%");
    CHECK(few.status == 3);
    CHECK(contains(few.out, "fewer than three iterations were measured"));
    CHECK(bscope(folder, "compare old.sqlite two.sqlite --fail-above 3%").status == 3);
    CHECK(bscope(folder, "compare old.sqlite new.sqlite --fail-above much").status == 2);
    // Half of the micro-batches passed as a shorter iteration.
    bscope(folder, "simulate --scheme 1f1b --micro-batches 4 -o half.sqlite");
    const Printed half = bscope(folder, "compare old.sqlite half.sqlite --fail-above 3%");
    CHECK(half.status == 3);
    CHECK(contains(half.out, "their iterations have different numbers of micro-batches"));
    // 1 meant that the iteration had become longer.
    const Printed missing = bscope(folder, "compare old.sqlite none.sqlite --fail-above 3%");
    CHECK(missing.status == 3);
    CHECK(contains(missing.err, "none.sqlite does not exist"));
}

// Runs of one program were "longer beyond doubt" than others, minutes apart on a shared machine.
TEST_CASE("the drift of earlier runs is part of the doubt of a nightly job")
{
    const Folder folder;
    std::filesystem::create_directory(folder / "nights");
    bscope(folder, "simulate --scheme 1f1b -o old.sqlite");
    bscope(folder, "simulate --scheme 1f1b --forward 1.1 --backward 2 -o new.sqlite");
    const std::string gate = "compare old.sqlite new.sqlite --fail-above 3% --earlier ";
    const Printed none = bscope(folder, gate + "none");
    CHECK(none.status == 3);
    CHECK(contains(none.err, "--earlier none: no such folder"));
    for (const char* jitter : {"1", "2"})
        bscope(folder,
               std::string("simulate --scheme 1f1b --jitter 10 --seed ") + jitter + " -o nights/"
                   + jitter + ".sqlite");
    const Printed other = bscope(folder, gate + "nights"); // with jitter, which is an option
    CHECK(other.status == 3);
    CHECK(contains(other.err, "0 of its runs have the conditions of the baseline"));
    const std::string run = "run --layers 8 --width 32 --iterations 4 -o ";
    bscope(folder, run + "base.sqlite");
    for (const char* name : {"1", "2", "3"})
        bscope(folder, run + "nights/run" + name + ".sqlite");
    const Printed known = bscope(
        folder, "compare base.sqlite nights/run3.sqlite --fail-above 1000 --json --earlier nights");
    CHECK(known.status == 0);
    CHECK(known.json()["drift"]["runs"] == 3); // not the run that is compared
    CHECK(known.json()["drift"]["share"] > 0);
}

TEST_CASE("with the same op times only the schedules differ")
{
    const Folder folder;
    const std::string simulate = "simulate --model bert-64 --hardware ";
    bscope(folder, simulate + "a100-sxm-80 --scheme 1f1b -o a.sqlite");
    bscope(folder, simulate + "h100-sxm --scheme bitpipe -o b.sqlite");
    const auto forward = [&](const std::string& options) {
        const auto json = bscope(folder, "compare a.sqlite b.sqlite --json" + options).json();
        return json["runs"][1]["difference"]["time_by_op.forward"]["by"].get<double>();
    };
    CHECK(forward("") < -1e6);
    CHECK(std::abs(forward(" --same-op-times")) < 1000); // ns; op times are whole ns
    CHECK(contains(bscope(folder, "compare a.sqlite b.sqlite --same-op-times").out,
                   "Simulated with the op times of 1F1B: only the schedules differ."));
}

TEST_CASE("a run without ops is refused instead of showing one bubble")
{
    const Folder folder;
    const Printed off = bscope(folder, "run --layers 8 --iterations 1 --trace off -o off.sqlite");
    CHECK(off.status == 0);
    checkRefused(folder, "off.sqlite");
    CHECK(contains(bscope(folder, "analyze off.sqlite").err, "--trace off"));
}

// "repeat it with: " was followed by nothing.
TEST_CASE("an imported run is not repeated, and the error says what to do instead")
{
    const Folder folder;
    bscope(folder, "simulate -N 4 -o run.sqlite");
    sql(folder / "run.sqlite",
        "UPDATE BS_run SET mode = 'imported'; UPDATE BS_experiment SET command = ''");
    const Printed refused = bscope(folder, "experiment run.sqlite");
    CHECK(refused.status == 1);
    CHECK(contains(refused.err,
                   "run.sqlite has no experiment to repeat: it was imported; import its traces "
                   "again, or give --scheme and --model to bscope run"));
}

TEST_CASE("a run on the CPU with --trace kernels continues with a note")
{
    const Folder folder;
    const Printed run
        = bscope(folder, "run --layers 8 --iterations 1 --trace kernels -o run.sqlite");
    CHECK(run.status == 0);
    CHECK(contains(run.err, "note: --trace kernels records GPU activity"));
    CHECK(bscope(folder, "analyze run.sqlite").status == 0);
    CHECK(bscope(folder, "run --trace most").status == 2);
}
