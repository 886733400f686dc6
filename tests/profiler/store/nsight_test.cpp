#include "engine/schedule/notation.h"
#include "engine/timeline/run.h"
#include "profiler/store/gpu_tables.h"
#include "tests/profiler/store/script.h"

#include <unistd.h>

#include <regex>
#include <set>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

class Written
{
public:
    explicit Written(const Run& run) { REQUIRE(writeRun(m_folder / "run.sqlite", run)); }
    Script script() const { return Script(path()); }
    std::filesystem::path path() const { return m_folder / "run.sqlite"; }

private:
    TemporaryFolder m_folder;
};

std::vector<std::string> columnsOf(const Script& script, const std::string& table)
{
    std::vector<std::string> names;
    for (const auto& row : script("SELECT name FROM pragma_table_info('" + table + "')"))
        names.push_back(row[0]);
    return names;
}

std::size_t spansBeforeReplay(const Run& run)
{
    std::size_t count = 0;
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans)
            count += run.timeline.iterations[span.iteration].kind != Iteration::Kind::Replay;
    return count;
}

} // namespace

TEST_CASE("the tables have Nsight Systems' columns, in its order")
{
    const Written file(fullRun());
    const Script script = file.script();
    using Names = std::vector<std::string>;
    CHECK(columnsOf(script, "StringIds") == Names{"id", "value"});
    CHECK(columnsOf(script, "ThreadNames") == Names{"nameId", "priority", "globalTid"});
    CHECK(columnsOf(script, "PROCESSES") == Names{"globalPid", "pid", "name"});
    CHECK(columnsOf(script, "META_DATA_CAPTURE") == Names{"name", "value"});
    CHECK(columnsOf(script, "META_DATA_EXPORT") == Names{"name", "value"});
    CHECK(columnsOf(script, "ANALYSIS_DETAILS")
          == Names{"globalVid", "duration", "startTime", "stopTime"});
    CHECK(columnsOf(script, "TARGET_INFO_SESSION_START_TIME")
          == Names{"utcEpochNs", "utcTime", "localTime", "systemClockNs"});
    CHECK(columnsOf(script, "ENUM_NSYS_EVENT_TYPE") == Names{"id", "name", "label"});
    CHECK(columnsOf(script, "NVTX_EVENTS")
          == Names{"start",      "end",         "eventType",  "rangeId",      "category",
                   "color",      "text",        "globalTid",  "endGlobalTid", "textId",
                   "domainId",   "uint64Value", "int64Value", "doubleValue",  "uint32Value",
                   "int32Value", "floatValue",  "jsonTextId", "jsonText",     "binaryData",
                   "eventId"});
}

TEST_CASE("a run on the CPU has no CUPTI tables")
{
    const Written file(fullRun());
    CHECK(file.script()("SELECT name FROM sqlite_schema WHERE name LIKE '%CUPTI%'").empty());
}

TEST_CASE("the documented recipe names every range in PyTorch's grammar")
{
    const Run run = fullRun();
    const Written file(run);
    const Rows names = file.script()(
        "SELECT COALESCE(n.text, s.value) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON "
        "s.id=n.textId JOIN ENUM_NSYS_EVENT_TYPE t ON t.id = n.eventType "
        "WHERE t.name IN ('NvtxPushPopRange', 'NvtxStartEndRange')");
    CHECK(names.size() == spansBeforeReplay(run));
    const std::regex grammar("PP:\\d+(F|I|B|W|SEND_F|RECV_F|SEND_B|RECV_B|ALLREDUCE|OPT)\\d*u?");
    for (const auto& name : names)
        CHECK(std::regex_match(name[0], grammar));
}

TEST_CASE("thread and process come out of globalTid as documented")
{
    const Written file(fullRun());
    const Script script = file.script();
    const std::string process = std::to_string(getpid() % 0x1000000);
    CHECK(script("SELECT DISTINCT globalTid / 0x1000000 % 0x1000000 FROM NVTX_EVENTS WHERE "
                 "globalTid IS NOT NULL")
          == Rows{{process}});
    CHECK(script("SELECT DISTINCT globalTid % 0x1000000 - 0x700000 FROM NVTX_EVENTS WHERE "
                 "category IN (1, 2, 3, 4, 7, 11) AND globalTid IS NOT NULL ORDER BY 1")
          == Rows{{"0"}, {"1"}, {"2"}, {"3"}});
    CHECK(script("SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId JOIN "
                 "PROCESSES p ON p.globalPid = t.globalTid / 0x1000000 * 0x1000000 WHERE p.pid = "
                 + process + " ORDER BY t.globalTid LIMIT 4")
          == Rows{{"device 0"}, {"device 1"}, {"device 2"}, {"device 3"}});
    CHECK(script("SELECT count(*) FROM BS_device d JOIN ThreadNames t USING (globalTid)")
          == Rows{{"4"}});
}

TEST_CASE("a process number beyond 24 bits does not reach into the next field")
{
    CHECK(globalPid(0x1000005) == globalPid(5));
    CHECK(globalTid(0x1000005, DeviceId{3}) == globalPid(5) + 0x700003);
}

TEST_CASE("every range is push/pop, and those of transfers are on threads named after them")
{
    const Run run = fullRun();
    const Written file(run);
    const Script script = file.script();
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60") == Rows{{"0"}});
    CHECK(script("SELECT DISTINCT s.value FROM NVTX_EVENTS n JOIN ThreadNames t USING (globalTid) "
                 "JOIN StringIds s ON s.id = t.nameId WHERE n.eventType = 59 AND n.text GLOB "
                 "'PP:?SEND_*' ORDER BY 1")
          == Rows{{"device 0 SEND"}, {"device 1 SEND"}, {"device 2 SEND"}, {"device 3 SEND"}});
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS n LEFT JOIN ThreadNames t USING (globalTid) "
                 "WHERE n.eventType = 59 AND t.nameId IS NULL")
          == Rows{{"0"}});
    CHECK(script("SELECT count(*) - count(DISTINCT globalTid) FROM ThreadNames") == Rows{{"0"}});
}

TEST_CASE("messages over two links at once are on two threads of one name")
{
    Run run = fullRun();
    std::vector<Span>* sends = nullptr;
    for (Track& track : run.timeline.tracks)
        if (track.kind == Track::Kind::Send && track.spans.size() > 1)
            sends = &track.spans;
    REQUIRE(sends != nullptr);
    (*sends)[0].end = (*sends)[0].begin + 2;
    (*sends)[1].begin = (*sends)[0].begin + 1;
    (*sends)[1].end = (*sends)[0].begin + 3;
    const Written file(run);
    CHECK(file.script()("SELECT t.nameId FROM ThreadNames t GROUP BY 1 HAVING count(*) = 2").size()
          == 1);
    CHECK(
        file.script()("SELECT a.text, b.text FROM NVTX_EVENTS a JOIN NVTX_EVENTS b ON a.globalTid "
                      "= b.globalTid AND a.eventType = 59 AND b.eventType = 59 AND a.start < "
                      "b.start AND b.start < a.\"end\" AND a.\"end\" < b.\"end\"")
            .empty());
}

TEST_CASE("the range names of sail-sg are those that its loader expects")
{
    Run run = fullRun();
    run.info.nvtxGrammar = "sail-sg";
    const Written file(run);
    const Script script = file.script();
    // The query of load_nsys_events.py, which then reads <micro-batch>.<chunk>.<slice>.
    const Rows names = script(
        "SELECT text FROM NVTX_EVENTS WHERE eventType = (SELECT id FROM ENUM_NSYS_EVENT_TYPE WHERE "
        "name = 'NvtxPushPopRange') AND length(text) < 10 AND (text GLOB 'F[0-9]*' OR text GLOB "
        "'B[0-9]*' OR text GLOB 'W[0-9]*' OR text = 'Optimizer')");
    const std::regex grammar("[FBW]\\d+\\.[0-3]\\.0|Optimizer");
    std::set<std::string> distinct;
    for (const auto& name : names) {
        CHECK(std::regex_match(name[0], grammar));
        distinct.insert(name[0]);
    }
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59 AND category IN (1, 2, 3, "
                 "4, 7)")
          == Rows{{std::to_string(names.size())}});
    // BitPipe: two chunks in each of two directions, so four models of a device.
    for (const char* name : {"F0.0.0", "F0.1.0", "F2.2.0", "B3.3.0"})
        CHECK(distinct.contains(name));
    CHECK(script("SELECT count(*) > 0 FROM NVTX_EVENTS WHERE text GLOB 'SEND_FORWARD.0.*.0'")
          == Rows{{"1"}});
    const auto read = readRun(file.path());
    REQUIRE(read);
    CHECK(read->info.nvtxGrammar == "sail-sg");
}

TEST_CASE("recipes find the name of the host, where it is known")
{
    Run run = fullRun();
    const Written file(run);
    CHECK(file.script()("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'")
          == Rows{{"node17"}});
    run.info.hostName.clear();
    const Written unknown(run);
    CHECK(unknown.script()("SELECT * FROM TARGET_INFO_SYSTEM_ENV").empty());
}

TEST_CASE("push/pop ranges of one thread nest, so that a stack can sweep them")
{
    const Written file(fullRun());
    CHECK(
        file.script()("SELECT a.text, b.text FROM NVTX_EVENTS a JOIN NVTX_EVENTS b ON a.globalTid "
                      "= b.globalTid AND a.eventType = 59 AND b.eventType = 59 AND a.start < "
                      "b.start AND b.start < a.\"end\" AND a.\"end\" < b.\"end\"")
            .empty());
}

TEST_CASE("a range is where its span is, one unit being one second, and finds it by its id")
{
    const Run run = fullRun();
    const Written file(run);
    const Script script = file.script();
    const std::string unit = std::to_string(run.info.ticksPerUnit);
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS n JOIN BS_span s ON s.id = n.eventId "
                 "JOIN BS_schedule o USING (op) WHERE n.text = 'PP:' || o.name "
                 "AND n.start = s.begin * 1000000000 / "
                 + unit + " AND n.\"end\" = s.\"end\" * 1000000000 / " + unit)
          == Rows{{std::to_string(spansBeforeReplay(run))}});
}

TEST_CASE("the replay lives in our own tables only")
{
    const Written file(fullRun());
    CHECK(file.script()("SELECT i.kind, count(n.eventId) > 0, count(s.id) > 0 FROM BS_iteration i "
                        "JOIN BS_span s USING (iteration) LEFT JOIN NVTX_EVENTS n ON n.eventId = "
                        "s.id GROUP BY i.iteration ORDER BY i.iteration")
          == Rows{{"warmup", "1", "1"},
                  {"measured", "1", "1"},
                  {"measured", "1", "1"},
                  {"replay", "0", "1"}});
}

TEST_CASE("categories, domain and payload tell kind, source, iteration and micro-batch")
{
    const Written file(fullRun());
    const Script script = file.script();
    CHECK(script("SELECT category, text FROM NVTX_EVENTS WHERE eventType = 33 AND domainId = 1 "
                 "AND category <= 8 ORDER BY category")
          == Rows{{"1", "F"},
                  {"2", "I"},
                  {"3", "W"},
                  {"4", "B"},
                  {"5", "SEND"},
                  {"6", "RECV"},
                  {"7", "OPT"},
                  {"8", "ALLREDUCE"}});
    CHECK(script("SELECT text FROM NVTX_EVENTS WHERE eventType = 75 AND domainId = 1")
          == Rows{{"bubblescope"}});
    CHECK(script("SELECT count(*) FROM NVTX_EVENTS n JOIN BS_span s ON s.id = n.eventId JOIN "
                 "BS_schedule o USING (op) WHERE o.microbatch IS NOT NULL AND (n.int64Value >> 32 "
                 "!= s.iteration OR (n.int64Value & 0xFFFFFFFF) != o.microbatch)")
          == Rows{{"0"}});
}

TEST_CASE("clock, versions and start are where scripts look for them")
{
    const Written file(fullRun());
    const Script script = file.script();
    CHECK(script("SELECT value FROM META_DATA_CAPTURE WHERE name = 'BS_CLOCK'")
          == Rows{{"virtual"}});
    CHECK(script("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'")
          == Rows{{"3.28.1"}});
    CHECK(script("SELECT utcEpochNs, utcTime FROM TARGET_INFO_SESSION_START_TIME")
          == Rows{{"1795231876000000000", "2026-11-21T03:31:16Z"}});
    CHECK(script("SELECT stopTime - startTime = duration AND duration = (SELECT max(\"end\") FROM "
                 "NVTX_EVENTS) FROM ANALYSIS_DETAILS")
          == Rows{{"1"}});
    Run overlapping = simulatedRun(1); // what begins first ends last
    Span& first = overlapping.timeline.tracks.front().spans.front();
    first.end = overlapping.timeline.iterations.front().window.end * 2;
    const Written longer(overlapping);
    CHECK(longer.script()("SELECT stopTime FROM ANALYSIS_DETAILS")
          == Rows{{std::to_string(nanosecondsOf(overlapping.info, first.end))}});
    for (const Mode mode : {Mode::Live, Mode::Imported}) {
        Run live = simulatedRun(1);
        live.info.mode = mode;
        const Written wall(live);
        CHECK(wall.script()("SELECT value FROM META_DATA_CAPTURE WHERE name = 'BS_CLOCK'")
              == Rows{{"wall"}});
    }
}

TEST_CASE("measured times are stored beside the placed ones")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Batch batch = batchOf(run.timeline, 0, 0);
    batch.measured = {{3, 0, 0, 1000, 1500, 480}, {1, 0, 1, 1500, 1800, 290}};
    writer->append(batch);
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(Script(folder / "run.sqlite")(
              "SELECT o.name, m.exec_order, m.wall_begin, m.wall_end, m.op_time FROM BS_op m JOIN "
              "BS_schedule o USING (op) JOIN BS_span s USING (iteration, op) ORDER BY m.exec_order")
          == Rows{{toString(run.schedule.program[{0}][3]), "0", "1000", "1500", "480"},
                  {toString(run.schedule.program[{0}][1]), "1", "1500", "1800", "290"}});
}
