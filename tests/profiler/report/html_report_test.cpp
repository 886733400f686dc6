#include "profiler/report/run_sheet.h"
#include "tests/profiler/figure/figure_runs.h"

#include <algorithm>
#include <regex>

using namespace engine;
using namespace profiler;

namespace {

std::string reportOf(const std::vector<Run>& runs)
{
    std::vector<const Run*> pointers;
    for (const Run& run : runs)
        pointers.push_back(&run);
    auto page = htmlReport(pointers);
    if (!page)
        FAIL(page.error().message);
    return *std::move(page);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// Elements that are opened and not closed, or the other way round.
std::string unbalanced(const std::string& page)
{
    std::vector<std::string> open;
    const std::regex tag("<(/?)([a-z0-9]+)([^>]*)>");
    for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it) {
        const std::string name = (*it)[2], rest = (*it)[3];
        if (name == "meta" || rest.ends_with("/"))
            continue;
        if ((*it)[1].length() == 0) {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != name)
            return name;
        open.pop_back();
    }
    return open.empty() ? "" : open.back();
}

} // namespace

// The report failed, and its error named an option that bscope export does not have.
TEST_CASE("the report on a run with too many ops for a page has no figure and says why")
{
    const std::string page = reportOf({tests::unitRun("gpipe", 2, 50'001)});
    CHECK(unbalanced(page).empty());
    CHECK_FALSE(has(page, "<figure>"));
    CHECK(has(page, "<p>No figure: GPipe, D 2, N 50001 has 200004 ops in one iteration"));
    CHECK(has(page, "bubblescope figure --rows"));
}

TEST_CASE("a report on one run has the findings of its caller, with what to do")
{
    const Run run = tests::unitRun("1f1b", 4, 8);
    const Run* const runs[] = {&run};
    const std::vector<Finding> findings{
        {"straggler", {}, "recorded", "Device 2 takes <10 % longer", "check its clocks"}};
    const std::string page = htmlReport(runs, findings).value();
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<h2>Findings</h2>"));
    CHECK(has(page, "Device 2 takes &lt;10 % longer"));
    CHECK(has(page, "check its clocks"));
    CHECK_FALSE(has(htmlReport(runs).value(), "Findings"));
}

TEST_CASE("a report has the results of the run: figure, devices, bubbles with causes, set-up")
{
    Run run = tests::unitRun("1f1b", 4, 4);
    run.info.command = "bscope simulate --scheme 1f1b";
    const std::string page = reportOf({run});
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<b>42.9 %</b><span>bubble</span>")); // (D-1)/(N+D-1)
    CHECK(has(page, "<b>21.0 units</b><span>iteration</span>"));
    CHECK(has(page, "<g id=\"device-3\">")); // the figure
    CHECK(has(page, "<tr><th>3</th><td>12.0</td><td>12.0</td><td>0.0</td><td>3.0</td>"));
    CHECK(has(page, "waits for "));
    CHECK(has(page, "<pre>bscope simulate --scheme 1f1b</pre>"));
    CHECK_FALSE(has(page, "<h2>Memory at the peak of each device</h2>")); // none was recorded
}

TEST_CASE("a browser loads nothing for a report, and texts of a run cannot add markup")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.info.label = "<script>alert(1)</script>";
    run.info.experiment = "</pre><img src=\"http://example.com/x.png\">";
    run.info.deviceName = "a & b\x01";
    const std::string page = reportOf({run});
    for (const char* loads : {"<script", "<img", "<link", "@import", "url(", " src=\"", " href=\""})
        CHECK_FALSE(has(page, loads));
    CHECK(has(page, "default-src 'none'"));
    CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    CHECK(has(page, "a &amp; b\\x01<"));
    CHECK(unbalanced(page).empty());
}

TEST_CASE("memory is in the figure and in a table if it was recorded")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.timeline.memory = {{0, 3 << 20, MemoryEvent::kNoOp, 0, MemoryCategory::Weights},
                           {0, 1 << 20, MemoryEvent::kNoOp, 1, MemoryCategory::Weights}};
    const std::string page = reportOf({run});
    CHECK(has(page, "<b>3.0 MiB</b><span>peak memory</span>"));
    CHECK(has(page, "<h2>Memory at the peak of each device</h2>"));
    CHECK(has(page, "<tr><th>1</th><td>1.0 MiB</td><td>1.0 MiB</td>"));
    CHECK(has(page, "class=\"memory"));
}

// The device had zeros, as if they were measured.
TEST_CASE("a device of an imported run without a trace has no numbers")
{
    Run run = tests::measuredRun("1f1b", 2, 4);
    run.info.mode = Mode::Imported;
    run.info.import.emplace();
    run.info.import->stagesKnown = run.info.import->microBatchesKnown = true;
    run.schedule.program[DeviceId{1}].clear();
    std::erase_if(run.timeline.tracks,
                  [](const Track& track) { return track.device == DeviceId{1}; });
    run.timeline.memory = {{0, 3 << 20, MemoryEvent::kNoOp, 0, MemoryCategory::Weights}};
    const std::string page = reportOf({run});
    const auto count = [&](const char* part) {
        const std::regex each(part);
        return std::distance(std::sregex_iterator(page.begin(), page.end(), each), {});
    };
    CHECK(count("<tr><th>1, no trace</th>(<td>-</td>)+</tr>") == 2); // times and memory
    CHECK(count("class=\"bubble-share\"") == 1);
    CHECK(has(page, "<tr><th>0</th><td>3.0 MiB</td>"));
}

TEST_CASE("a comparison has one figure, a row per run and the sentence about each")
{
    const std::string page
        = reportOf({tests::unitRun("1f1b", 4, 4), tests::unitRun("bitpipe", 4, 4)});
    CHECK(unbalanced(page).empty());
    CHECK(has(page, "<h1>Comparison</h1>"));
    CHECK(has(page, "BitPipe is 33.3 % shorter than 1F1B"));
    CHECK(std::regex_search(
        page,
        std::regex("<tr><th>BitPipe</th><td class=\"text\">simulated</td><td>4</td><td>4</td>"
                   "<td>2</td><td>14.0</td>")));
    CHECK(std::count(page.begin(), page.end(), '\n') > 100);
    const std::regex figure("<svg ");
    CHECK(std::distance(std::sregex_iterator(page.begin(), page.end(), figure), {}) == 1);
}

TEST_CASE("runs without a common unit are drawn one by one")
{
    const std::string page
        = reportOf({tests::unitRun("1f1b", 4, 4), tests::measuredRun("1f1b", 4, 4)});
    const std::regex figure("<svg ");
    CHECK(std::distance(std::sregex_iterator(page.begin(), page.end(), figure), {}) == 2);
}

TEST_CASE("a run without iterations has no report")
{
    Run run = tests::unitRun("1f1b", 2, 2);
    run.timeline = {};
    const Run* const runs[] = {&run};
    CHECK_FALSE(htmlReport(runs).has_value());
}
