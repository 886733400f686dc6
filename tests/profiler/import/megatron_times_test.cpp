#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"
#include "tests/profiler/import/traces.h"

#include <map>

using namespace engine;
using namespace profiler;

namespace tests {
namespace {

// The files of Primus for a simulated run; a tick is 0.1 ms. The clock of rank 1 is late.
class PrimusFolder
{
public:
    explicit PrimusFolder(const Run& run, double late = 0)
        : m_run(run)
        , m_late(late)
    {
        const Shape& shape = run.schedule.shape;
        write(
            "config.json",
            fmt::format(R"({{"world_size": {0}, "pp_size": {0}, "vp_size": {1}, "num_mbs": {2}}})",
                        shape.devices, shape.chunks(), shape.microBatches));
        for (int d = 0; d < shape.devices; ++d)
            write(fmt::format("pp_rank_{}.json", d), rank(d));
    }

    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_folder.path() / name) << text;
    }
    // Replaces the first `from` in a file.
    void edit(const std::string& name, const std::string& from, const std::string& to) const
    {
        std::ifstream in(m_folder.path() / name);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        REQUIRE(text.find(from) != std::string::npos);
        write(name, text.replace(text.find(from), from.size(), to));
    }
    const std::filesystem::path& path() const { return m_folder.path(); }
    Result<ImportedRun> import() const { return importTraces({path()}, Rules::shipped()); }
    std::string error() const
    {
        const auto imported = import();
        return imported ? "" : imported.error().message;
    }

private:
    std::string rank(int d) const
    {
        const OpIndex index(m_run.schedule);
        std::string text;
        for (const Iteration& iteration : m_run.timeline.iterations) {
            std::map<std::string, std::string> lists;
            for (const Track& track : m_run.timeline.tracks)
                for (const Span& span : track.spans) {
                    const Op op = opAt(m_run.schedule, index, span.op);
                    const bool isForward = op.kind == OpKind::Forward;
                    if (track.device.value != d || (!isForward && op.kind != OpKind::Backward)
                        || static_cast<int>(span.iteration) != iteration.number)
                        continue;
                    const auto add = [&](const char* end, std::int64_t time) {
                        std::string& list = lists[(isForward ? "fwd_" : "bwd_") + std::string(end)];
                        list += fmt::format("{}{:.4f}", list.empty() ? "" : ", ",
                                            static_cast<double>(time - iteration.window.begin) / 10
                                                + (d == 1 ? m_late : 0));
                    };
                    add("start", span.begin);
                    add("end", span.end);
                }
            text += fmt::format(R"({}"{}": {{"total": {}, "memory": {})", text.empty() ? "" : ", ",
                                iteration.number + 1,
                                static_cast<double>(iteration.window.duration()) / 10, 2 + d);
            for (const auto& [key, list] : lists)
                text += fmt::format(R"(, "{}": [{}])", key, list);
            text += '}';
        }
        return '{' + text + '}';
    }

    TemporaryFolder m_folder;
    const Run& m_run;
    double m_late = 0;
};

TEST_CASE("files of Primus become 1F1B and interleaved 1F1B with their op times")
{
    for (const auto& [scheme, devices] :
         {std::pair("1f1b", 4), {"interleaved-1f1b", 4}, {"interleaved-1f1b", 8}}) {
        CAPTURE(scheme, devices);
        const Run run = simulatedRun(scheme, devices, 2 * devices, 3);
        const auto imported = PrimusFolder(run).import().value();
        const Run& read = imported.run;
        CHECK(read.info.scheme == scheme);
        CHECK(orderOf(read.schedule) == orderOf(run.schedule)); // stages and micro-batches
        CHECK(read.info.import->program == "Primus");
        CHECK(read.schedule.shape.stages == run.schedule.shape.stages);
        CHECK(read.info.import->lack.empty());
        REQUIRE(read.timeline.iterations.size() == 3);
        for (const Iteration& iteration : read.timeline.iterations)
            CHECK(iteration.window.duration()
                  == 100'000 * run.timeline.iterations.front().window.duration());
        CHECK(std::abs(read.info.import->replayError.value()) < 0.02);
    }
}

// The dumps of the PP timer for the first iteration of a simulated run, of one of `copies`.
void writeTimers(const std::filesystem::path& folder, const Run& run, int copy = 0)
{
    const OpIndex index(run.schedule);
    const Shape& shape = run.schedule.shape;
    std::vector<std::string> texts(static_cast<std::size_t>(shape.devices), R"({"other-time": 3)");
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans) {
            const Op op = opAt(run.schedule, index, span.op);
            const bool isForward = op.kind == OpKind::Forward;
            if (span.iteration != 0 || (!isForward && op.kind != OpKind::Backward))
                continue;
            const std::string key = fmt::format(
                "{}-{}{}", isForward ? "forward" : "backward",
                shape.chunks() > 1 ? fmt::format("{}-", op.stage.value / shape.devices) : "",
                op.microBatch.value);
            texts[track.device.value]
                += fmt::format(R"(, "{0}-start": {1}, "{0}-end": {2})", key, span.begin, span.end);
        }
    for (int d = 0; d < shape.devices; ++d)
        std::ofstream(
            folder
            / fmt::format("event_times_PP{}_VPP{}_TPxCPxDP_rank_{}_pp_rank_{}_rank_{}.json",
                          shape.devices, shape.chunks(), copy, d, 2 * d + copy))
            << texts[d] << '}';
}

TEST_CASE("dumps of Megatron-LM's PP timer become 1F1B and interleaved 1F1B with their op times")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b"}) {
        CAPTURE(scheme);
        const Run run = simulatedRun(scheme, 4, 8, 1);
        const TemporaryFolder folder;
        for (const int copy : {0, 1})
            writeTimers(folder.path(), run, copy);
        const Run read = importTraces({folder.path()}, Rules::shipped()).value().run;
        CHECK(read.info.scheme == scheme);
        CHECK(read.info.import->program == "Megatron-LM");
        CHECK(read.schedule.shape.stages == run.schedule.shape.stages);
        CHECK(read.info.import->lack.empty());
        CHECK(read.timeline.iterations.front().window.duration()
              == 1'000'000 * run.timeline.iterations.front().window.duration());
        CHECK(std::abs(read.info.import->replayError.value()) < 0.02);
    }
}

TEST_CASE("an incomplete dump of the PP timer is refused with what is missing")
{
    const Run run = simulatedRun("1f1b", 2, 4, 1);
    const TemporaryFolder folder;
    writeTimers(folder.path(), run);
    const auto last = folder / "event_times_PP2_VPP1_TPxCPxDP_rank_0_pp_rank_1_rank_2.json";
    std::ifstream in(last);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto error
        = [&] { return importTraces({folder.path()}, Rules::shipped()).error().message; };
    std::ofstream(last) << text.replace(text.find("backward-3-end"), 14, "backward-3-eno");
    CHECK(error().find("the backward of micro-batch 3 of chunk 0 has no end") != std::string::npos);
    // The number of ops that it needs did not fit into memory.
    std::ofstream(last) << R"({"forward-99999-start": 1, "forward-99999-end": 2})";
    CHECK(error().find("100000 micro-batches of 1 chunks have 200000") != std::string::npos);
    std::filesystem::remove(last);
    CHECK(error().find("only 1 of 2 pipeline ranks are there") != std::string::npos);
}

TEST_CASE("the clock of a rank of Primus is aligned by its messages")
{
    const Run run = simulatedRun("1f1b", 2, 4, 2);
    const auto duration = [](const Result<ImportedRun>& imported) {
        return imported.value().run.timeline.iterations.front().window.duration();
    };
    const auto late = PrimusFolder(run, 0.3).import();
    CHECK(duration(late) == duration(PrimusFolder(run).import()));
    CHECK(late->run.info.import->warnings.front().find("at most 300.0 µs") != std::string::npos);
}

// The exposed communication was 0.0 ms and the number of messages 0.
TEST_CASE("files of Primus have no messages, so exposed communication is unknown")
{
    const Run run = simulatedRun("1f1b", 4, 8, 3);
    const Run read = PrimusFolder(run).import().value().run;
    CHECK(lacksMessages(read));
    CHECK_FALSE(lacksMessages(run));
    const RunMetrics numbers = metrics(read).value();
    const Reading all = fields(runMeasures(), ReportedRun{read, numbers});
    int unknown = 0;
    for (const auto& [key, value] : std::get<Reading::Fields>(all.data))
        unknown += (key == "communication_exposed" || key == "p2p_messages") && !value.isKnown();
    CHECK(unknown == 2);
}

// Timers around a receive contain the wait for the message, which was counted as work.
TEST_CASE("a wait in an op of Primus is cut from it")
{
    const Run run = simulatedRun("1f1b", 2, 2, 1);
    const PrimusFolder folder(run);
    const auto work
        = [](const Run& read) { return metrics(read).value().devices[DeviceId{1}].compute; };
    const std::int64_t before = work(folder.import().value().run);
    std::ifstream in(folder.path() / "pp_rank_1.json");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t begin = text.find("fwd_start\": [") + 13;
    folder.edit("pp_rank_1.json", text.substr(begin, text.find(',', begin) - begin), "-2.0");
    const std::int64_t message = 100'000; // ns; when it arrived is unknown, so it stays in the op
    CHECK(work(folder.import().value().run) == before + message);
}

// Half of the ranks of a run were a run of half of the devices.
TEST_CASE("without the last rank of Primus, no smaller pp_size is believed")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b"}) {
        const Run run = simulatedRun(scheme, 4, 8, 3);
        const PrimusFolder folder(run);
        CHECK(folder.error().empty());
        folder.edit("config.json", "\"pp_size\": 4", "\"pp_size\": 2");
        for (const char* rank : {"pp_rank_2.json", "pp_rank_3.json"})
            std::filesystem::remove(folder.path() / rank);
        const auto read = folder.import(); // the order of interleaved 1F1B is refused
        const std::string why = read ? read->run.info.import->lack : read.error().message;
        CHECK_FALSE(why.empty());
        if (read)
            CHECK(why.find("as if a later stage had no trace") != std::string::npos);
    }
}

// One wrong time of one iteration was an error.
TEST_CASE("an iteration of Primus with a wrong time is left out on every rank")
{
    const Run run = simulatedRun("1f1b", 2, 4, 3);
    const PrimusFolder folder(run);
    folder.edit("pp_rank_1.json", "fwd_start\": [", "fwd_start\": [9");
    const auto read = folder.import();
    REQUIRE(read);
    CHECK(read->run.timeline.iterations.size() == 2);
    const auto& warnings = read->run.info.import->warnings;
    CHECK(std::ranges::any_of(warnings, [](const std::string& warning) {
        return warning.starts_with("1 of 3 iterations are left out. ")
            && warning.ends_with("pp_rank_1.json: iteration 1: fwd_start[0] is later than "
                                 "fwd_end[0]; the times are not in the order of execution.");
    }));
}

TEST_CASE("damaged files of Primus are one error")
{
    const Run run = simulatedRun("1f1b", 2, 4, 2);
    const auto error = [&](const char* file, const char* from, const char* to) {
        const PrimusFolder folder(run);
        folder.edit(file, from, to);
        return folder.error();
    };
    CHECK(error("config.json", "\"pp_size\": 2", "\"pp_size\": 3")
              .ends_with("1 of the 3 files is missing, pp_rank_2.json; import the folder with all "
                         "of them"));
    CHECK(error("config.json", "\"pp_size\": 2", "\"pp_size\": 1")
              .ends_with("pp_size is 1 in config.json; import files of one run"));
    CHECK(error("config.json", "{", "{\"tp_size\": 8, ")
              .ends_with("tp_size is not an integer from 1 to 2"));
    CHECK(
        error("config.json", "{", "{\"dp_size\": 2, ")
            .ends_with("world_size 2 is not a multiple of pp_size x tp_size x dp_size = 4; import "
                       "files of one run"));
    CHECK(error("config.json", "\"num_mbs\": 4", "\"num_mbs\": 5")
              .ends_with("fwd_start has 4 times, but num_mbs x vp_size = 5 in config.json; import "
                         "files of one run"));
    CHECK(error("config.json", "\"num_mbs\": 4", "\"num_mbs\": \"x\"")
              .ends_with("num_mbs is not an integer from 1 to 100000"));
    CHECK(error("pp_rank_0.json", "fwd_start\": [0.0000", "fwd_start\": [\"a\"")
              .ends_with("iteration 1: fwd_start[0] is not a time in ms"));
    CHECK(error("pp_rank_0.json", "fwd_start\": [0.0000", "fwd_start\": [NaN")
              .find("is not a JSON object of iterations")
          != std::string::npos);
    CHECK(error("pp_rank_0.json", "fwd_start\": [0.0000, ", "fwd_start\": [")
              .ends_with("fwd_start has 3 times, but num_mbs x vp_size = 4 in config.json; import "
                         "files of one run"));
    CHECK(error("pp_rank_0.json", "\"total\": ", "\"total\": 1000")
              .find("as if their units differed; write all times in ms")
          != std::string::npos);
    CHECK(error("pp_rank_0.json", "\"total\": ", "\"total\": 0.001, \"t\": ")
              .find("as if their units differed; write all times in ms")
          != std::string::npos);
    CHECK(error("pp_rank_1.json", "\"2\": ", "\"3\": ").find("its iterations are not those of")
          != std::string::npos);
    const PrimusFolder folder(run);
    std::filesystem::remove(folder.path() / "config.json");
    CHECK(folder.error().ends_with("needs the config.json of its folder; import the folder"));
}

} // namespace
} // namespace tests
