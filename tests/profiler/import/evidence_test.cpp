#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/import/import.h"
#include "profiler/store/trace_store.h"
#include "tests/profiler/import/nsight_traces.h"
#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

// Traces that lack something, or have something wrong. They were imported as if they were whole,
// and the program printed plausible numbers that were wrong.

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

TorchTraceOptions onGpu()
{
    TorchTraceOptions options;
    options.onGpu = true;
    return options;
}

std::vector<std::string> torchTraces(const Run& run, const TorchTraceOptions& options = onGpu())
{
    std::vector<std::string> texts;
    for (int rank = 0; rank < run.schedule.shape.devices; ++rank)
        texts.push_back(TorchTrace(run, rank, options).text());
    return texts;
}

ImportedRun importedTexts(const std::vector<std::string>& texts,
                          const std::vector<std::string>& names = {"0.json", "1.json"})
{
    const TemporaryFolder folder;
    for (std::size_t i = 0; i < texts.size(); ++i)
        writeText(folder / names[i], texts[i]);
    return imported(folder);
}

// Gives the kernel event that begins at `at` other times.
std::string withTimes(std::string text, std::size_t at, const std::string& times)
{
    const std::size_t begin = text.find("\"ts\":", at), end = text.find(",\"pid\"", begin);
    return text.replace(begin, end - begin, times);
}

std::string withoutEvents(const std::string& text, const std::string& category)
{
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        kept += line.find("\"cat\":\"" + category + "\"") == std::string::npos ? line : "";
        at = end;
    }
    return kept;
}

std::string withoutKernels(const std::string& text)
{
    return withoutEvents(text, "kernel");
}

std::string eventsOf(const std::string& text)
{
    const std::size_t begin = text.find("\"traceEvents\":[") + 15;
    return text.substr(begin, text.rfind("]}") - begin);
}

// The trace with other times.
std::string scaled(std::string text, double factor,
                   std::initializer_list<const char*> keys = {"\"ts\":", "\"dur\":"})
{
    for (const char* key : keys)
        for (std::size_t at = text.find(key); at != std::string::npos;
             at = text.find(key, at + 5)) {
            const std::size_t begin = at + std::string_view(key).size();
            const std::size_t end = text.find_first_of(",}", begin);
            text.replace(begin, end - begin,
                         fmt::format("{:.3f}", std::stod(text.substr(begin)) * factor));
        }
    return text;
}

Reading reading(const ImportedRun& imported, std::string_view key)
{
    const auto numbers = metrics(imported.run);
    for (const auto& measure : runMeasures())
        if (measure.key == key)
            return measure({imported.run, *numbers});
    return {};
}

double bubbleOf(const ImportedRun& imported)
{
    return metrics(imported.run)->bubbleRatio;
}

std::int64_t iterationOf(const ImportedRun& imported)
{
    return metrics(imported.run)->duration;
}

const std::string& lackOf(const ImportedRun& imported)
{
    return imported.run.info.import->lack;
}

bool warns(const ImportedRun& imported, const std::string& part)
{
    return std::ranges::any_of(imported.run.info.import->warnings, [&](const auto& warning) {
        return warning.find(part) != std::string::npos;
    });
}

std::int64_t leftOut(const ImportedRun& imported, const std::string& what)
{
    const auto& all = imported.run.info.import->leftOut;
    const auto found = std::ranges::find(all, what, &ImportReport::LeftOut::what);
    return found == all.end() ? 0 : found->count;
}

const Run kPipeline = simulatedRun("1f1b", 2, 8, 3);

} // namespace

TEST_CASE("a kernel without a time costs one op, and not its iteration")
{
    const std::string text = torchTraces(kPipeline)[0];
    const std::size_t last = text.rfind(R"("cat":"kernel","name":"gemm")");
    for (const char* times :
         {R"("ts":0.000,"dur":0.000)", R"("ts":-1790857026000000.000,"dur":0)"}) {
        const ImportedRun result
            = importedTexts({withTimes(text, last, times), torchTraces(kPipeline)[1]});
        CHECK(result.run.timeline.iterations.size() == 3);
        CHECK(leftOut(result, "Events that cannot be read") == 1);
        CHECK(leftOut(result, "Ops whose kernels are missing") == 1);
        CHECK(
            result.run.timeline.iterations[0].window.duration()
            == importedTexts(torchTraces(kPipeline)).run.timeline.iterations[0].window.duration());
        CHECK(warns(result, "Rank 0: 1 of"));
    }
}

// One of few kernels made the bubbles of all iterations unknown.
TEST_CASE("a lost kernel of a short trace costs its iteration, and the other one has its bubble")
{
    const std::vector<std::string> texts = torchTraces(simulatedRun("1f1b", 2, 2, 2));
    const std::size_t last = texts[0].rfind(R"("cat":"kernel","name":"gemm")");
    const ImportedRun result
        = importedTexts({withTimes(texts[0], last, R"("ts":0.000,"dur":0.000)"), texts[1]});
    CHECK(lackOf(result).empty());
    CHECK(warns(result, "1 of 2 iterations have damaged events"));
    CHECK(metrics(result.run)->bubbleRatio
          == Approx(metrics(importedTexts(texts).run)->bubbleRatio));
}

TEST_CASE("a kernel whose duration contradicts its stream ends at the next one")
{
    std::string text = torchTraces(kPipeline)[0];
    const std::size_t kernel = text.find(R"("cat":"kernel","name":"gemm")");
    const std::size_t duration = text.find("\"dur\":", kernel);
    text.replace(duration, text.find(",\"pid\"", duration) - duration, "\"dur\":1600000.000");
    const ImportedRun result = importedTexts({text, torchTraces(kPipeline)[1]});
    CHECK(result.run.timeline.iterations[0].window.duration()
          == importedTexts(torchTraces(kPipeline)).run.timeline.iterations[0].window.duration());
    CHECK(warns(result, "last until after the end of later work"));
    CHECK(result.run.timeline.iterations[0].kind == Iteration::Kind::Warmup);
    CHECK(evidence(result.run).isComplete == false);
    const auto numbers = metrics(result.run);
    for (const auto& measure : runMeasures())
        if (measure.key == "bubble_ratio")
            CHECK(measure({result.run, *numbers}).note.find("1 durations of the trace")
                  != std::string::npos);
}

// The iteration lasted until the kernel: 996 ms.
TEST_CASE("a kernel a second after its step costs one op, and its iteration is not reported")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const std::string kernel = R"("cat":"kernel","name":"gemm")";
    const std::size_t third
        = texts[0].find(kernel, texts[0].find(kernel, texts[0].find(kernel) + 1) + 1);
    const std::int64_t whole = iterationOf(importedTexts(texts));
    for (const std::size_t at : {third, texts[0].rfind(kernel)}) {
        const ImportedRun result
            = importedTexts({withTimes(texts[0], at, R"("ts":1100000.000,"dur":4.000)"), texts[1]});
        CHECK(iterationOf(result) == whole);
        CHECK(leftOut(result, "Events that cannot be read") == 1);
        CHECK(warns(result, "1 of 3 iterations have damaged events"));
        const auto& iterations = result.run.timeline.iterations;
        CHECK(iterations.size() == 3);
        CHECK(std::ranges::count(iterations, Iteration::Kind::Warmup, &Iteration::kind) == 1);
    }
}

TEST_CASE("a kernel without a duration is counted, and its iteration is not reported")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const std::size_t at = texts[0].find(R"("cat":"kernel","name":"gemm")");
    const std::size_t begin = texts[0].find("\"ts\":", at) + 5;
    const std::string time = texts[0].substr(begin, texts[0].find(',', begin) - begin);
    for (const char* rest : {"", ",\"dur\":null", ",\"dur\":\"long\""}) {
        const ImportedRun result
            = importedTexts({withTimes(texts[0], at, "\"ts\":" + time + rest), texts[1]});
        CHECK(leftOut(result, "Events that cannot be read") == 1);
        CHECK(result.run.timeline.iterations[0].kind == Iteration::Kind::Warmup);
        CHECK(iterationOf(result) == iterationOf(importedTexts(texts)));
    }
}

// Host times were compute, with a bubble of 99.6 %.
TEST_CASE("without kernels and calls, a trace that names a GPU has no bubble and no compute")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    for (std::string& text : texts)
        text = withoutEvents(withoutKernels(text), "cuda_runtime");
    const ImportedRun result = importedTexts(texts);
    CHECK(lackOf(result).find("rank 0 used a GPU (NVIDIA H100) but has no kernels") == 0);
    CHECK(std::isnan(bubbleOf(result)));
    const auto numbers = metrics(result.run);
    for (const auto& measure : deviceMeasures())
        if (measure.key == "compute")
            CHECK_FALSE(measure({result.run, *numbers, numbers->devices[DeviceId{0}]}).isKnown());
}

TEST_CASE("one kernel with the number of another GPU costs one op")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    std::string text = texts[0];
    const std::size_t at = text.find("\"device\":0", text.find(R"("cat":"kernel","name":"gemm")"));
    text.replace(at, 10, "\"device\":5");
    const ImportedRun result = importedTexts({text, texts[1]});
    CHECK(orderOf(result.run.schedule) == orderOf(kPipeline.schedule));
    CHECK(leftOut(result, "Kernels on another GPU of their process") == 1);
    CHECK(iterationOf(result) == iterationOf(importedTexts(texts)));
}

// The whole import was refused.
TEST_CASE("one range with a damaged number costs one op")
{
    for (const char* name : {"PP:1000F1000", "PP:0F99999"}) {
        std::vector<std::string> texts = torchTraces(kPipeline);
        const std::size_t at = texts[0].find("PP:0F3");
        texts[0].replace(at, 6, name);
        const ImportedRun result = importedTexts(texts);
        CHECK(orderOf(result.run.schedule) == orderOf(kPipeline.schedule));
        CHECK(result.run.schedule.shape.microBatches == 8);
        CHECK(iterationOf(result) == iterationOf(importedTexts(torchTraces(kPipeline))));
    }
}

TEST_CASE("without ops, the error says what the traces have and what they lack")
{
    const TemporaryFolder folder;
    const auto errorFor = [&](const std::string& text) {
        writeText(folder / "0.json", text);
        const auto result = importTraces({folder.path()}, Rules::shipped());
        REQUIRE(!result);
        return result.error().message;
    };
    const std::string whole = torchTraces(kPipeline)[0];
    std::string text = whole;
    for (const char* part : {"user_annotation", "cpu_op"})
        text = withoutEvents(text, part);
    CHECK_THAT(errorFor(replaced(text, "\"gemm\"", "\"ncclDevKernel_AllReduce\"")),
               Catch::Contains("found: 96 kernels, 96 of them of NCCL")
                   && Catch::Contains("record with annotations"));
    CHECK_THAT(errorFor(replaced(whole, "\"correlation\"", "\"flow\"")),
               Catch::Contains("no kernel says which call launched it")
                   && !Catch::Contains("record with annotations"));
}

TEST_CASE("a rule of a file that matches nothing is listed with 0")
{
    const auto rules = Rules::parse("[[rule]]\nname = \"mine\"\ntitle = \"Mine\"\n"
                                    "range = '^nothing$'\nkind = \"F\"\nconfidence = \"high\"\n",
                                    "mine.toml");
    REQUIRE(rules);
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), kPipeline);
    const auto result = importTraces({folder.path()}, *rules);
    REQUIRE(result);
    const auto& listed = result->run.info.import->rules;
    const auto mine = std::ranges::find(listed, "mine", &ImportReport::Rule::name);
    REQUIRE(mine != listed.end());
    CHECK(mine->matches == 0);
}

TEST_CASE("times before the start of the recording are read")
{
    TorchTraceOptions options;
    std::vector<std::string> texts = torchTraces(kPipeline, options);
    const double whole = bubbleOf(importedTexts(texts));
    for (std::string& text : texts) // 20 ms earlier; the base makes all times positive
        for (std::size_t at = text.find("\"ts\":"); at != std::string::npos;
             at = text.find("\"ts\":", at + 5)) {
            const std::size_t end = text.find(',', at);
            const double time = std::stod(text.substr(at + 5, end - at - 5)) - 20'000;
            text.replace(at, end - at, fmt::format("\"ts\":{:.3f}", time));
        }
    const ImportedRun result = importedTexts(texts);
    CHECK(result.run.timeline.iterations.size() == 3);
    CHECK(leftOut(result, "Events that cannot be read") == 0);
    CHECK(bubbleOf(result) == Approx(whole));
}

TEST_CASE("asynchronous events and lines of JSON are read as ranges")
{
    std::string async, lines;
    for (int i = 0; i < 4; ++i) {
        const std::string name = i < 2 ? fmt::format("0F{}", i) : fmt::format("0B{}", i - 2);
        for (const auto& [phase, time] : {std::pair("b", 10 * i), std::pair("e", 10 * i + 8)})
            async += fmt::format(
                R"({}{{"ph":"{}","cat":"pp","name":"{}","id":"{}","pid":0,"tid":0,"ts":{}}})",
                async.empty() ? "" : ",", phase, name, i, time);
        lines += fmt::format(R"({{"ph":"X","name":"{}","pid":0,"tid":0,"ts":{},"dur":8}})"
                             "\n",
                             name, 10 * i);
    }
    for (const std::string& text : {"{\"traceEvents\":[" + async + "]}", lines}) {
        const ImportedRun result = importedTexts({text});
        CHECK(orderOf(result.run.schedule)
              == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0B0", "0B1"}});
        CHECK(result.run.timeline.iterations[0].window.duration() == 38'000);
    }
}

TEST_CASE("escapes in names and hosts are read as the characters that they stand for")
{
    const auto rules = Rules::parse(R"([[rule]]
        name = "zh"
        title = "zh"
        range = '^(?P<kind>正向|反向) 😀(?P<microbatch>\d+)$'
        kinds = { "正向" = "F", "反向" = "B" }
        confidence = "high")",
                                    "rules.toml");
    REQUIRE(rules);
    const TemporaryFolder folder;
    writeText(folder / "a.json", R"({"host_name":"knoten-\u00e4","traceEvents":[
        {"ph":"X","name":"\u6b63\u5411 \ud83d\ude000","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"\u53cd\u5411 \ud83d\ude000","pid":1,"tid":1,"ts":4,"dur":2}]})");
    const auto result = importTraces({folder.path()}, *rules);
    REQUIRE(result);
    CHECK(result->run.info.import->ranks[0].host == "knoten-ä");
}

TEST_CASE("ranks that a program merged into one file are devices of their own")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const auto labelled = [&](const std::string& before, int rank) {
        const std::string label = fmt::format("{}{}", before, rank);
        std::string text = replaced(eventsOf(texts[static_cast<std::size_t>(rank)]), "\"pid\":7",
                                    fmt::format(R"("pid":"{}] 100{}")", label, rank));
        return replaced(text, "\"pid\":0", fmt::format(R"("pid":"{}] 0")", label));
    };
    const ImportedRun result
        = importedTexts({R"({"schemaVersion":1,"traceEvents":[)" + labelled("[PP0", 0) + ","
                         + labelled("[PP0", 1) + "]}"});
    CHECK(orderOf(result.run.schedule) == orderOf(kPipeline.schedule));
    CHECK(bubbleOf(result) == Approx(bubbleOf(importedTexts(texts))));

    // Their correlations are equal, and nothing else tells them apart.
    const TemporaryFolder folder;
    writeText(folder / "merged.json",
              R"({"schemaVersion":1,"traceEvents":[)" + eventsOf(texts[0]) + ","
                  + replaced(eventsOf(texts[1]), "\"pid\":7", "\"pid\":8") + "]}");
    const auto refused = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(!refused);
    CHECK(refused.error().message.find("import the trace of every rank as its own file")
          != std::string::npos);
}

namespace {

// The trace of a process that executes the work of two ranks on two GPUs.
std::string ofTwoGpus(const std::string& first, const std::string& other, const std::string& job)
{
    std::string second = replaced(eventsOf(other), "\"correlation\":", "\"correlation\":90000");
    second = replaced(second, "\"device\":0", "\"device\":1");
    second = replaced(second, "\"pid\":0", "\"pid\":1");
    second = replaced(replaced(second, R"("pid":7,"tid":7)", R"("pid":7,"tid":17)"),
                      R"("pid":7,"tid":8)", R"("pid":7,"tid":18)");
    return R"({"schemaVersion":1,"host_name":"a",)" + job + R"("traceEvents":[)" + eventsOf(first)
        + "," + second + "]}";
}

} // namespace

TEST_CASE("every GPU of one process is a device")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const ImportedRun result = importedTexts({ofTwoGpus(texts[0], texts[1], "")});
    CHECK(orderOf(result.run.schedule) == orderOf(kPipeline.schedule));
    CHECK(bubbleOf(result) == Approx(bubbleOf(importedTexts(texts))));
}

// They were refused.
TEST_CASE("every GPU of several processes is a device, if they use equally many")
{
    const Run four = simulatedRun("1f1b", 4, 8, 3);
    const std::vector<std::string> texts = torchTraces(four);
    const std::string job = R"("distributedInfo":{{"rank":{},"world_size":2}},)";
    for (const bool isNumbered : {true, false}) {
        const ImportedRun result = importedTexts(
            {ofTwoGpus(texts[0], texts[1], isNumbered ? fmt::format(fmt::runtime(job), 0) : ""),
             ofTwoGpus(texts[2], texts[3], isNumbered ? fmt::format(fmt::runtime(job), 1) : "")});
        CHECK(orderOf(result.run.schedule) == orderOf(four.schedule));
        CHECK(result.run.info.import->missingRanks.empty());
        CHECK(bubbleOf(result)
              == Approx(bubbleOf(importedTexts(texts, {"0.json", "1.json", "2.json", "3.json"}))));
    }
    const ImportedRun half
        = importedTexts({ofTwoGpus(texts[0], texts[1], fmt::format(fmt::runtime(job), 0))});
    CHECK(half.run.info.import->missingRanks == std::vector<int>{2, 3});
    CHECK(std::isnan(bubbleOf(half)));

    const TemporaryFolder folder;
    writeText(folder / "a.json", ofTwoGpus(texts[0], texts[1], ""));
    writeText(folder / "b.json", texts[2]);
    const auto refused = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(!refused);
    CHECK(refused.error().message.find("record with one GPU per process") != std::string::npos);
}

TEST_CASE("the ops of a rank without kernels are left out, and the bubble is unknown")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const ImportedRun one = importedTexts({texts[0], withoutKernels(texts[1])});
    CHECK(one.run.schedule.program[DeviceId{1}].empty());
    CHECK(std::isnan(bubbleOf(one)));
    CHECK(lackOf(one).find("rank 1 has") == 0);
    CHECK(warns(one, "Rank 1 has no kernels"));

    const ImportedRun none = importedTexts({withoutKernels(texts[0]), withoutKernels(texts[1])});
    CHECK(std::isnan(bubbleOf(none)));
    CHECK(lackOf(none).find("rank 0 has") == 0);
}

// 1F1B of four ranks became one of three with a bubble of 3 %.
TEST_CASE("without the last rank, the run has its device and no bubble")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun("1f1b", 4, 8);
    writeTorchTraces(folder.path(), run, {}, 3);
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.devices == 4);
    CHECK(lackOf(result) == "stage 3 has no trace");
    CHECK(std::isnan(bubbleOf(result)));
    CHECK_FALSE(result.run.info.import->replayError);
    const auto costs = calibratedCosts(result.run, result.run.schedule);
    REQUIRE(!costs);
    CHECK(costs.error().message.find("stage 3 has no trace") != std::string::npos);
    const auto numbers = metrics(result.run);
    for (const auto& measure : runMeasures())
        if (measure.key == "bubble_ratio")
            CHECK(measure({result.run, *numbers}).note == "stage 3 has no trace");
}

TEST_CASE("without a world size, a message shows that a stage has no trace")
{
    const ImportedRun result = importedTexts(
        {replaced(torchTraces(kPipeline, {})[0], "\"world_size\":2", "\"world_size\":1")});
    CHECK(lackOf(result) == "stage 1 has no trace");
    CHECK(reading(result, "peak_stash").note == lackOf(result));
}

// 1F1B with D = 4 without its last file was a pipeline of D = 3 with a bubble.
TEST_CASE("without a world size and messages, a wait shows that a later stage has no trace")
{
    TorchTraceOptions options;
    options.name = [](const Op& op) { return isTransfer(op.kind) ? "" : "PP:" + toString(op); };
    const auto lack = [&](const char* scheme, std::size_t without) {
        std::vector<std::string> texts = torchTraces(simulatedRun(scheme, 4, 8), options);
        texts.resize(texts.size() - without);
        for (std::string& text : texts)
            text = replaced(text, ",\"world_size\":4", "");
        return importedTexts(texts, {"0.json", "1.json", "2.json", "3.json"}).run.info.import->lack;
    };
    for (const char* scheme : {"1f1b", "gpipe", "interleaved-1f1b", "zb-h1", "zb-v", "dualpipev"}) {
        CAPTURE(scheme);
        CHECK(lack(scheme, 0) == "");
    }
    for (const char* scheme : {"1f1b", "gpipe", "zb-h1"}) {
        CAPTURE(scheme);
        CHECK(lack(scheme, 1).starts_with("the last stage waits "));
    }
}

// Its messages had a stage that the schedule lacks.
TEST_CASE("a rank that recorded only messages has no ops")
{
    std::string text = torchTraces(kPipeline)[1];
    for (const char* name : {"PP:1F", "PP:1B"})
        text = replaced(text, name, "x");
    const ImportedRun result = importedTexts({torchTraces(kPipeline)[0], text});
    CHECK(lackOf(result) == "stage 1 has no trace");
    CHECK(std::isnan(bubbleOf(result)));
}

TEST_CASE("clocks are compared by the messages of the ranks if no host proves them equal")
{
    TorchTraceOptions options = onGpu(), other = onGpu();
    other.base += 5'000'000;
    const double whole = bubbleOf(importedTexts(torchTraces(kPipeline, options)));
    struct Case
    {
        const char *host, *otherHost, *name, *otherName;
    };
    for (const Case& each : {Case{"a", "b", "0.json", "1.json"},
                             {"", "", "a_11.17.pt.trace.json", "b_22.17.pt.trace.json"},
                             {"", "", "0.json", "1.json"},
                             {"same", "same", "0.json", "1.json"}}) {
        CAPTURE(each.host, each.name);
        options.host = each.host;
        other.host = each.otherHost;
        const ImportedRun result
            = importedTexts({torchTraces(kPipeline, options)[0], torchTraces(kPipeline, other)[1]},
                            {each.name, each.otherName});
        REQUIRE(result.run.info.import->clocks.size() == 1);
        CHECK(result.run.info.import->clocks[0].offset == Approx(5'000'000).epsilon(0.01));
        CHECK(bubbleOf(result) == Approx(whole).epsilon(0.01));
    }
    // A common clock is not moved.
    options.host = "";
    CHECK(importedTexts(torchTraces(kPipeline, options)).run.info.import->clocks.empty());
}

// Clocks of two runs were aligned to +-9 ms, and the bubble was 37 %.
TEST_CASE("ranks of runs with other op times have no common clock")
{
    const auto stretched = [](int times) {
        Run run = kPipeline;
        const auto stretch = [times](auto& of) {
            of.begin *= times;
            of.end *= times;
        };
        for (Iteration& iteration : run.timeline.iterations)
            stretch(iteration.window);
        for (Track& track : run.timeline.tracks)
            std::ranges::for_each(track.spans, stretch);
        return run;
    };
    const Run run = stretched(100), slower = stretched(140);
    TorchTraceOptions other = onGpu();
    other.host = "host b";
    CHECK(lackOf(importedTexts({torchTraces(run)[0], torchTraces(run, other)[1]})).empty());
    CHECK(lackOf(importedTexts({torchTraces(run)[0], torchTraces(slower, other)[1]}))
          == "ops begin before their inputs, as if the traces were of several jobs");
}

TEST_CASE("without messages, clocks are equal only if the order of the ops shows it")
{
    TorchTraceOptions options = onGpu();
    options.host = "";
    options.name = [](const Op& op) { return isTransfer(op.kind) ? "" : "PP:" + toString(op); };
    TorchTraceOptions other = options;
    CHECK(lackOf(importedTexts(torchTraces(kPipeline, options))) == "");
    other.base += 5'000'000;
    const ImportedRun result
        = importedTexts({torchTraces(kPipeline, options)[0], torchTraces(kPipeline, other)[1]});
    CHECK(lackOf(result) == "the clocks of the traces cannot be compared");
    CHECK_FALSE(result.run.info.import->clocksKnown);
    CHECK(std::isnan(bubbleOf(result)));
}

// A range enclosed a third of the launches of its op, and what-if predicted a third of the time.
TEST_CASE("kernels between the ops of an iteration that are in no op make op times unknown")
{
    for (const int launch : {120, 160}) { // inside and after the range of the forward
        std::string text = R"({"schemaVersion":1,"traceEvents":[
            {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":7,"tid":7,"ts":100,"dur":50},
            {"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":7,"tid":7,"ts":200,"dur":50})";
        int number = 0;
        for (const auto& [called, begin] : {std::pair(101, 1000), {launch, 1010}, {201, 1020}})
            text += fmt::format(
                R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,)"
                R"("ts":{},"dur":1,"args":{{"correlation":{}}}}},)"
                R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":10,)"
                R"("args":{{"device":0,"context":1,"stream":7,"correlation":{}}}}})",
                called, ++number, begin, number);
        const TemporaryFolder folder;
        writeText(folder / "a.json", text + "]}");
        const bool isOutside
            = lackOf(imported(folder)).find("belong to no op") != std::string::npos;
        CHECK(isOutside == (launch == 160));
    }
}

// A host range of 600 ms with 131 ms of kernels was "compute 595 ms".
TEST_CASE("kernels show when a device computes and communicates")
{
    std::string text = R"({"schemaVersion":1,"traceEvents":[
        {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":7,"tid":7,"ts":100,"dur":50},
        {"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":7,"tid":7,"ts":200,"dur":50})";
    int number = 0;
    const auto kernel = [&](int launch, const char* name, int begin, int end) {
        ++number;
        text += fmt::format(
            R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":{},)"
            R"("dur":1,"args":{{"correlation":{}}}}},)"
            R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},)"
            R"("args":{{"device":0,"context":1,"stream":{},"correlation":{}}}}})",
            launch, number, name, begin, end - begin, number % 2, number);
    };
    kernel(101, "gemm", 1000, 1010);
    kernel(103, "ncclDevKernel_AllGather(x)", 1005, 1020);
    kernel(105, "gemm", 1030, 1040);
    kernel(201, "gemm", 1050, 1070);
    kernel(203, "gemm", 1060, 1100);
    const TemporaryFolder folder;
    writeText(folder / "a.json", text + "]}");
    ImportedRun result = imported(folder);
    const auto numbers = metrics(result.run);
    REQUIRE(numbers);
    const DeviceMetrics& device = numbers->devices[DeviceId{0}];
    CHECK(numbers->duration == 100'000);
    CHECK(device.compute == 70'000);              // 1000-1010, 1030-1040, 1050-1100
    CHECK(device.exposedCommunication == 10'000); // 1010-1020
    CHECK(device.bubble == 20'000);
    CHECK(device.byKind[OpKind::Forward] == 20'000); // its window has 40
    CHECK(device.byKind[OpKind::Backward] == 50'000);
    for (const auto& measure : deviceMeasures())
        if (measure.key == "idle")
            CHECK(measure({result.run, *numbers, device}).number() == 20'000);

    const auto file = folder / "run.sqlite";
    REQUIRE(writeRun(NewFile::beside(file, IfExists::Refuse, {}).value(), result.run, result.gpu));
    CHECK(readRun(file)->timeline.kernels == result.run.timeline.kernels);
}

TEST_CASE("a run without a pipeline has idle time and no bubble")
{
    const ImportedRun result = importedTexts({R"x([
        {"ph":"X","name":"block(F)","pid":1,"tid":1,"ts":10,"dur":9},
        {"ph":"X","name":"block(B)","pid":1,"tid":1,"ts":30,"dur":9}])x"});
    CHECK(whyUnknown(result.run.info) == "the traces show no pipeline");
    CHECK(std::isnan(bubbleOf(result)));
    CHECK(reading(result, "iteration").note == "nothing in the traces shows an iteration");
}

// Waits for messages before the first op were subtracted from it, so that it was 0.
TEST_CASE("without the trace of another device, idle time is that between the ops of a device")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), onGpu(), 4);
    const auto all = metrics(imported(folder).run)->devices;
    std::filesystem::remove(folder / "rank1.json");
    const auto others = metrics(imported(folder).run)->devices;
    CHECK(all[DeviceId{2}].wait > 0);
    for (const DeviceId d : {DeviceId{0}, DeviceId{2}, DeviceId{3}})
        CHECK(others[d].bubble == all[d].wait);
}

namespace {

// Iterations of a device with one forward, one backward and one step of the optimizer.
std::vector<std::string> withSteps(int iterations, int cutBefore, double firstForward = 10)
{
    std::string text;
    const auto add = [&](const std::string& name, double begin, double duration) {
        text += fmt::format(R"({}{{"ph":"X","cat":"user_annotation","name":"{}","pid":1,)"
                            R"("tid":1,"ts":{:.3f},"dur":{:.3f}}})",
                            text.empty() ? "[" : ",", name, begin, duration);
    };
    for (int i = 0; i < iterations; ++i) {
        add(fmt::format("ProfilerStep#{}", i), 1000 * i, 900);
        add("PP:0F0", 1000 * i + 10, i == 0 ? firstForward : 10);
        add("PP:0B0", 1000 * i + 20, 20);
        if (i < cutBefore)
            add("Optimizer.step#AdamW.step", 1000 * i + 50, 100);
    }
    return {text + "]"};
}

} // namespace

// A device of which one micro-batch follows the other lacked a forward and its backward, and its
// iteration was that of the others and these of the next one.
TEST_CASE("a recording may begin with a later micro-batch")
{
    std::string text;
    for (int i = 1; i < 8; ++i)
        text += fmt::format(R"({}{{"ph":"X","name":"PP:0F{}","pid":1,"tid":1,"ts":{},"dur":10}},)"
                            R"({{"ph":"X","name":"PP:0B{}","pid":1,"tid":1,"ts":{},"dur":20}})",
                            text.empty() ? "[" : ",", i % 4, 100 * i + 50 * (i / 4), i % 4,
                            100 * i + 50 * (i / 4) + 10);
    const ImportedRun result = importedTexts({text + "]"});
    CHECK(result.run.timeline.iterations.size() == 1);
    CHECK(iterationOf(result) == 330'000);
}

// The recording ended before the step of the optimizer, and its last iteration was the median.
TEST_CASE("an iteration that was recorded without its optimizer step is left out")
{
    const ImportedRun result = importedTexts(withSteps(2, 1));
    CHECK(result.run.timeline.iterations.size() == 1);
    CHECK(iterationOf(result) == 140'000);
    // A program may step after several iterations.
    CHECK(importedTexts(withSteps(3, 1)).run.timeline.iterations.size() == 3);
}

// Its compute was 56 ms shorter than that of the others.
TEST_CASE("an iteration with an op of 0 ns is not reported")
{
    const ImportedRun result = importedTexts(withSteps(12, 12, 0));
    const auto& iterations = result.run.timeline.iterations;
    CHECK(iterations[0].kind == Iteration::Kind::Warmup);
    CHECK(std::ranges::count(iterations, Iteration::Kind::Measured, &Iteration::kind) == 11);
}

// The bubble of its iteration was 12.1 % instead of 11.4 %, and the iteration was reported.
TEST_CASE("a lost kernel of a message costs its iteration")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const std::size_t message = texts[1].find(R"("cat":"kernel","name":"nccl)");
    const ImportedRun result
        = importedTexts({texts[0], withTimes(texts[1], message, R"("ts":0.000,"dur":0.000)")});
    CHECK(leftOut(result, "Ops whose kernels are missing") == 1);
    CHECK(result.run.timeline.iterations[0].kind == Iteration::Kind::Warmup);
    CHECK(bubbleOf(result) == Approx(bubbleOf(importedTexts(texts))));
}

// A message without a kernel was the reason not to compare the stages.
TEST_CASE("an iteration that is cut while a message is sent is unknown")
{
    std::vector<std::string> texts = torchTraces(simulatedRun("1f1b", 2, 8, 1));
    for (std::string& text : texts)
        for (const char* op : {"PP:0B7", "PP:1B7"})
            text = replaced(text, op, "XX");
    const std::size_t message = texts[1].rfind(R"("cat":"kernel","name":"nccl)");
    texts[1] = withTimes(texts[1], message, R"("ts":0.000,"dur":0.000)");
    texts[0] = replaced(texts[0], "PP:0B6", "XX");
    const ImportedRun result = importedTexts(texts);
    CHECK(reading(result, "iteration").note == "stage 0 has 6 backwards and stage 1 has 7");
}

// A fifth of the kernels lasted 0 ns, and the bubble was 24.9 % instead of 11.4 %.
TEST_CASE("a kernel of 0 ns has no time if the trace has parts of a microsecond")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    const std::string kernel = R"("cat":"kernel","name":"gemm")";
    const std::size_t last = texts[0].find("\"dur\":", texts[0].rfind(kernel)) + 6;
    texts[0].replace(last, texts[0].find(',', last) - last, "0.000");
    CHECK(leftOut(importedTexts(texts), "Events that cannot be read") == 0);
    const std::size_t first = texts[0].find("\"dur\":", texts[0].find(kernel));
    texts[0].replace(texts[0].find('.', first), 4, ".001");
    CHECK(leftOut(importedTexts(texts), "Events that cannot be read") == 1);
}

TEST_CASE("a range in which nothing runs is a wait")
{
    const ImportedRun result = importedTexts({R"([
        {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":12,"dur":8},
        {"ph":"X","cat":"user_annotation","name":"PP:0I0","pid":1,"tid":1,"ts":20,"dur":100},
        {"ph":"X","cat":"user_annotation","name":"PP:0W0","pid":1,"tid":1,"ts":120,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":120,"dur":10}])"});
    CHECK(metrics(result.run)->devices[DeviceId{0}].compute == 18'000);
}

// Waits for the input of the B between the two were compute.
TEST_CASE("a joint range whose ops ran one after the other is two ops")
{
    const ImportedRun result = importedTexts({R"([
        {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"user_annotation","name":"PP:(0F1;0B0)OVERLAP_F_B","pid":1,"tid":1,"ts":20,"dur":100},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":20,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: MmBackward0","pid":1,"tid":1,"ts":100,"dur":20},
        {"ph":"X","cat":"user_annotation","name":"PP:0B1","pid":1,"tid":1,"ts":120,"dur":20},
        {"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: MmBackward0","pid":1,"tid":1,"ts":120,"dur":20}])"});
    CHECK(orderOf(result.run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0B0", "0B1"}});
    CHECK(metrics(result.run)->devices[DeviceId{0}].compute == 60'000);
}

TEST_CASE("tables of Nsight Systems are found with a version in their name")
{
    const TemporaryFolder folder;
    executeSql(folder / "a.sqlite",
               replaced(replaced(exportSql(), "ACTIVITY_KIND_KERNEL", "ACTIVITY_KIND_KERNEL_V3"),
                        "ACTIVITY_KIND_RUNTIME", "ACTIVITY_KIND_RUNTIME_V2"));
    CHECK(imported(folder).run.info.import->kernels == 2);
}

TEST_CASE("files of other kinds are refused with the command that converts them")
{
    const TemporaryFolder folder;
    const auto errorOf = [&](const std::string& name, const std::string& text) {
        writeText(folder / name, text);
        const auto result = importTraces({folder / name}, Rules::shipped());
        return result ? std::string() : result.error().message;
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(has(errorOf("a.nsys-rep", "PK\x03\x04"), "nsys export --type sqlite"));
    CHECK(has(errorOf("a.qdstrm", "x"), "nsys-ui"));
    CHECK(has(errorOf("NVTX_EVENTS.parquet", "PAR1"), "nsys export --type sqlite"));
    CHECK(has(errorOf("70_kernel_trace.csv", "\"Kind\""), "--output-format rocpd or json"));
    CHECK(has(errorOf("a.pftrace", "\x0A\x10"), "traceconv json"));
    CHECK(has(errorOf("b.bin", "\x0A\x10\x80"), "traceconv json"));
    CHECK(has(errorOf("a.json", R"({"traceEvents":[{"ph":"C","name":"x","ts":1}]})"), "phases C"));
    // A folder that has only such a file.
    std::filesystem::create_directory(folder / "reports");
    writeText(folder / "reports" / "r.nsys-rep", "x");
    const auto result = importTraces({folder / "reports"}, Rules::shipped());
    REQUIRE(!result);
    CHECK(has(result.error().message, "nsys export"));
}

TEST_CASE("a damaged gzip file is named in a note")
{
    const TemporaryFolder folder;
    const std::vector<std::string> texts = torchTraces(kPipeline);
    writeText(folder / "0.json", texts[0]);
    writeText(folder / "1.json", texts[1]);
    const std::string file = (folder / "1.json").string();
    const std::string command
        = "gzip " + file + " && truncate -s -4 " + file + ".gz && printf abcd >> " + file + ".gz";
    REQUIRE(std::system(command.c_str()) == 0); // NOLINT
    CHECK(warns(imported(folder), "its check sum or its length differs"));
}

// The bubble was 66 % instead of 32 %.
TEST_CASE("ranks whose times have different units have no bubble and no iteration")
{
    std::vector<std::string> texts = torchTraces(kPipeline, {});
    texts[1] = scaled(texts[1], 0.001);
    const ImportedRun result = importedTexts(texts);
    CHECK(lackOf(result).find("different units") != std::string::npos);
    for (const char* key : {"iteration", "compute"})
        CHECK(reading(result, key).note == lackOf(result));
}

// An import with all times in ns was 1000 times as long.
TEST_CASE("times in another unit than the format's are refused or named")
{
    const TemporaryFolder folder;
    for (const std::string& text : torchTraces(kPipeline)) {
        writeText(folder / "0.json", scaled(replaced(text, "\"dur\":0.", "\"dur\":2."), 1000.0));
        const auto result = importTraces({folder.path()}, Rules::shipped());
        REQUIRE(!result);
        CHECK(result.error().message.find("as if times were in ns") != std::string::npos);
    }
    const std::vector<std::string> onHost = torchTraces(kPipeline, {});
    const auto allScaled = [&](double factor) {
        return importedTexts({scaled(onHost[0], factor), scaled(onHost[1], factor)});
    };
    const double whole = static_cast<double>(iterationOf(allScaled(1)));
    CHECK_FALSE(warns(allScaled(1.0), "in ns"));
    CHECK(warns(allScaled(1e10 / whole), "in ns")); // ops of more than half a second
    CHECK(lackOf(allScaled(100 / whole)).find("resolution") != std::string::npos);
}

// A difference of 7 ms between ranks 1 and 2 was a bubble of 36 % instead of 33 %.
TEST_CASE("one pair of ranks out of order shows that a host has several clocks")
{
    const TemporaryFolder folder, moved;
    const Run run = simulatedRun("1f1b", 4, 8);
    writeTorchTraces(folder.path(), run, onGpu(), 4);
    writeTorchTraces(moved.path(), run, onGpu(), 4);
    TorchTraceOptions later = onGpu();
    later.base += 7'000'000;
    for (int rank = 2; rank < 4; ++rank)
        writeText(moved / fmt::format("rank{}.json", rank), TorchTrace(run, rank, later).text());
    const ImportedRun result = imported(moved);
    CHECK(warns(result, "every file has its own clock"));
    CHECK(bubbleOf(result) == Approx(bubbleOf(imported(folder))).epsilon(0.01));
}

// What-if and the bubble counted the ranks of a run with 6 micro-batches as idle.
TEST_CASE("ranks with different numbers of micro-batches have no bubble")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), {}, 4);
    const Run other = simulatedRun("1f1b", 4, 6);
    for (int rank = 0; rank < 2; ++rank)
        writeText(folder / fmt::format("rank{}.json", rank), TorchTrace(other, rank, {}).text());
    const ImportedRun result = imported(folder);
    CHECK(lackOf(result) == "stage 0 has 6 micro-batches and stage 3 has 8");
    for (const char* key : {"iteration", "compute"})
        CHECK(reading(result, key).note == lackOf(result));
}

// The iteration of the other ranks was shown as that of the job.
TEST_CASE("without stage 0, the iteration is unknown")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), onGpu(), 4);
    std::filesystem::remove(folder / "rank0.json");
    const ImportedRun result = imported(folder);
    // The mean of the other devices was that of the run.
    for (const char* key : {"iteration", "idle", "compute", "communication_exposed"})
        CHECK(reading(result, key).note == "stage 0 has no trace");
    CHECK(metrics(result.run)->devices[DeviceId{1}].compute > 0);
}

// A device without the kernels of its backwards had a stash of 8 M_a and was idle.
TEST_CASE("if kernels of a device are missing, its work is unknown")
{
    const std::vector<std::string> texts = torchTraces(kPipeline, onGpu());
    const TemporaryFolder folder;
    std::string text;
    bool isKept = true;
    for (std::size_t at = 0; at < texts[0].size();) { // every second kernel
        const std::size_t end = std::min(texts[0].find('\n', at), texts[0].size() - 1) + 1;
        const std::string line = texts[0].substr(at, end - at);
        const bool isKernel = line.find("\"cat\":\"kernel\"") != std::string::npos;
        isKept = isKernel ? !isKept : isKept;
        text += isKernel && !isKept ? "" : line;
        at = end;
    }
    const ImportedRun result = importedTexts({text, texts[1]});
    for (const char* key : {"compute", "communication_exposed", "idle", "peak_stash"})
        CHECK(reading(result, key).note == lackOf(result));
}

// Durations that were rounded up made the stash of a device one activation larger.
TEST_CASE("ops that overlap by a rounding error do not overlap")
{
    const ImportedRun result = importedTexts({R"([
        {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":1,"tid":1,"ts":20,"dur":10.001},
        {"ph":"X","cat":"user_annotation","name":"PP:0F1","pid":1,"tid":1,"ts":30,"dur":10},
        {"ph":"X","cat":"user_annotation","name":"PP:0B1","pid":1,"tid":1,"ts":40,"dur":10}])"});
    CHECK(reading(result, "peak_stash").number() == 1);
}

// An iteration of twice the time was reported.
TEST_CASE("a range of an iteration that has two steps is no iteration")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    for (std::string& text : texts) {
        const std::size_t second = text.find("ProfilerStep#1"), first = text.find("ProfilerStep#0");
        text.replace(second, 14, "SomethingElse0");
        const std::size_t at = text.find("\"dur\":", first) + 6;
        text.replace(at, text.find(',', at) - at,
                     fmt::format("{:.3f}", 2 * std::stod(text.substr(at))));
    }
    const ImportedRun result = importedTexts(texts);
    CHECK(lackOf(result).find("several times in an iteration") != std::string::npos);
    CHECK(reading(result, "iteration").note == lackOf(result));
}

TEST_CASE("a difference between sent and received messages is named")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    CHECK_FALSE(warns(importedTexts(texts), "messages are sent"));
    const std::size_t at = texts[1].find("PP:1RECV");
    REQUIRE(at != std::string::npos);
    texts[1].replace(at, 3, "XX-");
    CHECK(warns(importedTexts(texts), "48 messages are sent and 47 received"));
}

// N was 9.
TEST_CASE("micro-batches are numbered from 0, whatever their first number is")
{
    const auto renumbered = [](int first) {
        TorchTraceOptions options;
        options.name = [&](const Op& op) {
            Op other = op;
            if (op.kind != OpKind::OptimizerStep && op.kind != OpKind::AllReduce)
                other.microBatch.value += first;
            return "PP:" + toString(other);
        };
        return importedTexts(torchTraces(kPipeline, options));
    };
    for (const int first : {1, 5}) {
        CHECK(renumbered(first).run.schedule.shape.microBatches == 8);
        CHECK(orderOf(renumbered(first).run.schedule) == orderOf(renumbered(0).run.schedule));
    }
}

// The bubble of a device without one backward was larger by it, in every iteration. Without its
// first forward, the iteration was shorter.
TEST_CASE(
    "if every iteration lacks kernels, its work is unknown, and its length if it lacks an end")
{
    const Run run = simulatedRun("1f1b", 2, 32, 1);
    const std::vector<std::string> texts = torchTraces(run);
    const auto lacking = [&](std::size_t at) {
        return importedTexts({withTimes(texts[0], at, R"("ts":0.000,"dur":0.000)"), texts[1]});
    };
    const std::string kernel = R"("cat":"kernel","name":"gemm")";
    const ImportedRun inner = lacking(texts[0].find(kernel, texts[0].size() / 2));
    CHECK(lackOf(inner) == "every iteration has ops whose kernels are missing");
    for (const char* key : {"compute", "bubble_ratio", "peak_stash"})
        CHECK(reading(inner, key).note == lackOf(inner));
    CHECK(reading(inner, "iteration").number() > 0);
    for (const std::size_t at : {texts[0].find(kernel), texts[0].rfind(kernel)})
        CHECK(!reading(lacking(at), "iteration").isKnown());
}

// All forwards were ops of 0 ns, so the bubble was 50 % instead of 28 %.
TEST_CASE("an op whose kernels all last 0 ns has no kernels")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    const std::string kernel = R"("cat":"kernel","name":"gemm")";
    for (std::size_t at = texts[0].find(kernel), i = 0; at != std::string::npos;
         at = texts[0].find(kernel, at + 1), ++i) {
        const std::size_t begin = texts[0].find("\"dur\":", at) + 6;
        if (i % 2 == 0)
            texts[0].replace(begin, texts[0].find(',', begin) - begin, "0.000");
    }
    const ImportedRun result = importedTexts(texts);
    CHECK(leftOut(result, "Ops whose kernels are missing") > 0);
    for (const char* key : {"compute", "bubble_ratio", "peak_stash"})
        CHECK(reading(result, key).note == lackOf(result));
}

// The last kernel of a stream, of 4 s, made an iteration of 4 s.
TEST_CASE("a last kernel that lasts ten times as long as its trace cannot be read")
{
    const std::vector<std::string> texts = torchTraces(kPipeline);
    const std::size_t last = texts[0].rfind(R"("cat":"kernel","name":"gemm")");
    const std::size_t begin = texts[0].find("\"ts\":", last), end = texts[0].find(',', begin);
    const std::string time = texts[0].substr(begin, end - begin);
    const ImportedRun result
        = importedTexts({withTimes(texts[0], last, time + R"(,"dur":4294967.295)"), texts[1]});
    CHECK(leftOut(result, "Events that cannot be read") == 1);
    CHECK(iterationOf(result) == iterationOf(importedTexts(texts)));
}

namespace {

std::string withScaledKernels(const std::string& text, double factor,
                              std::initializer_list<const char*> keys = {"\"ts\":", "\"dur\":"})
{
    std::string kernels;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        const bool isKernel = line.find("\"cat\":\"kernel\"") != std::string::npos;
        kernels += isKernel ? scaled(line, factor, keys) : line;
        at = end;
    }
    return kernels;
}

} // namespace

// GPUs were idle for 99.9 % of an iteration, and every number of it was stated.
TEST_CASE("durations of kernels in another unit than their begins make their work unknown")
{
    std::vector<std::string> texts = torchTraces(kPipeline);
    for (const double factor : {1e-3, 1e3}) {
        std::vector<std::string> wrong;
        for (const std::string& text : texts)
            wrong.push_back(withScaledKernels(scaled(text, 4e2), factor, {"\"dur\":"}));
        const ImportedRun result = importedTexts(wrong);
        CAPTURE(factor, lackOf(result));
        if (factor < 1) // longer ones end at the next one, and some then last 0 ns
            CHECK(lackOf(result).find("as if their durations were in") != std::string::npos);
        CHECK(std::isnan(bubbleOf(result)));
        for (const char* key : {"iteration", "compute", "bubble", "idle"})
            CHECK_FALSE(reading(result, key).isKnown());
    }
}

// Kernels in ms beside calls in µs gave an iteration of 35 µs instead of 35 ms.
TEST_CASE("times in ms or s are refused")
{
    const std::string text = torchTraces(kPipeline)[0];
    const TemporaryFolder folder;
    for (const std::string& wrong :
         {scaled(text, 1e-3), scaled(text, 1e-6), withScaledKernels(text, 1e-3),
          withScaledKernels(text, 1e-6, {"\"dur\":"})}) {
        writeText(folder / "0.json", wrong);
        const auto result = importTraces({folder.path()}, Rules::shipped());
        REQUIRE(!result);
        CHECK(result.error().message.find("as if times were in ms or s") != std::string::npos);
    }
}

// The iteration was a tenth or ten times as long, and every number of it was stated.
TEST_CASE("times of kernels in another unit than their calls are refused")
{
    const std::string text = scaled(torchTraces(kPipeline)[0], 10.0);
    const std::size_t end = text.rfind("]}");
    const std::string waits = text.substr(0, end)
        + R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":7,"tid":7,)"
          R"("ts":100800,"dur":50,"args":{"correlation":99999}}]})";
    const TemporaryFolder folder;
    for (const auto& [wrong, reason] :
         {std::pair(withScaledKernels(text, 0.1), "the kernels last much shorter in all"),
          {withScaledKernels(text, 10), "most kernels begin long after"},
          {withScaledKernels(waits, 1.5), "end after the call that waits for them"},
          {withScaledKernels(text, 0.02, {"\"dur\":"}), "kernels last less than 300 ns"}}) {
        CAPTURE(reason);
        writeText(folder / "0.json", wrong);
        const auto result = importTraces({folder.path()}, Rules::shipped());
        REQUIRE(!result);
        CHECK(result.error().message.find(reason) != std::string::npos);
    }
    writeText(folder / "0.json", waits);
    CHECK(importTraces({folder.path()}, Rules::shipped()));
}

// Idle time was stated although a seventh of the kernels overlapped others of their stream.
TEST_CASE("if many kernels overlap others of their stream, the work of the rank is unknown")
{
    std::vector<std::string> wrong;
    for (const std::string& text : torchTraces(kPipeline))
        wrong.push_back(withScaledKernels(scaled(text, 1e2), 5, {"\"dur\":"}));
    const ImportedRun result = importedTexts(wrong);
    CHECK(lackOf(result).find("as if their durations were in another unit") != std::string::npos);
    CHECK_FALSE(reading(result, "compute").isKnown());
}

// The stash of the other devices was that of the run.
TEST_CASE("if a device has no ops, the largest stash and the messages of the run are unknown")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), onGpu(), 4);
    std::filesystem::remove(folder / "rank0.json");
    const ImportedRun result = imported(folder);
    for (const char* key : {"peak_stash", "p2p_messages"})
        CHECK(reading(result, key).note == lackOf(result));
}

// An end closed the latest range, whatever its name.
TEST_CASE("the end of a range may name a range that is not the latest one of its thread")
{
    std::string text;
    const auto add = [&](const char* phase, const std::string& name, int time) {
        text += fmt::format(R"({}{{"ph":"{}","name":"{}","pid":0,"tid":0,"ts":{}}})",
                            text.empty() ? "" : ",", phase, name, time);
    };
    for (int i = 0; i < 4; ++i)
        for (const auto& [phase, name, time] :
             {std::tuple("B", i < 2 ? fmt::format("0F{}", i) : fmt::format("0B{}", i - 2), 10 * i),
              {"B", std::string("copy"), 10 * i + 5},
              {"E", i < 2 ? fmt::format("0F{}", i) : fmt::format("0B{}", i - 2), 10 * i + 8},
              {"E", std::string("copy"), 10 * i + 9}})
            add(phase, name, time);
    const ImportedRun result = importedTexts({"{\"traceEvents\":[" + text + "]}"});
    CHECK(result.run.timeline.iterations[0].window.duration() == 38'000);
}

// They were two devices, with a warning or, if a copy states another rank, without one.
TEST_CASE("a trace that is given twice is refused")
{
    std::vector<std::string> names(24);
    for (std::size_t i = 0; i < names.size(); ++i) // ops of different durations
        names[i]
            = fmt::format(R"({{"ph":"X","cat":"user_annotation","name":"{}{}","pid":7,"tid":7,)"
                          R"("ts":{},"dur":{}}})",
                          i % 2 == 0 ? "Forward " : "Backward ", i / 2, 100 * i, 50 + i);
    const std::string ops = fmt::format("{}", fmt::join(names, ","));
    const std::string text = R"({"schemaVersion":1,"traceEvents":[)" + ops + "]}";
    const auto ranked = [&](int rank, const std::string& events) {
        return fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":2}},)"
                           R"("traceEvents":[{}]}})",
                           rank, events);
    };
    const std::string later = replaced(ops, "\"ts\":", "\"ts\":7"); // of another clock
    for (const auto& [first, second] : {std::pair(text, text),
                                        {ranked(0, ops), ranked(1, ops)},
                                        {ranked(0, ops), ranked(1, later)}}) {
        const TemporaryFolder folder;
        writeText(folder / "a.json", first);
        writeText(folder / "b.json", second);
        const auto result = importTraces({folder.path()}, Rules::shipped());
        REQUIRE(!result);
        const std::string& message = result.error().message;
        CHECK(message.find("b.json have the same events; import") != std::string::npos);
        CHECK(message.find("a.json and ") != std::string::npos);
    }
    const std::string half = fmt::format("{}", fmt::join(names.begin(), names.begin() + 12, ","));
    const TemporaryFolder folder;
    writeText(folder / "a.json", text);
    writeText(folder / "b.json", R"({"schemaVersion":1,"traceEvents":[)" + half + "]}");
    CHECK(!importTraces({folder.path()}, Rules::shipped()));
    // The times of a plan may be equal by chance.
    const std::string plan
        = R"({"schemaVersion":1,"traceEvents":[)" + eventsOf(torchTraces(kPipeline)[0]) + "]}";
    const ImportedRun result = importedTexts({plan, plan});
    CHECK(lackOf(result).find("have the same events, as if") != std::string::npos);
    CHECK_FALSE(reading(result, "iteration").isKnown());
}

// The bubble was stated, and the backwards of the stage were idle time.
TEST_CASE("without the backwards of a stage there is no bubble")
{
    std::string kept;
    std::istringstream lines(torchTraces(kPipeline, {})[1]);
    for (std::string line; std::getline(lines, line);)
        if (line.find("PP:1B") == std::string::npos)
            kept += line + "\n";
    const ImportedRun result = importedTexts({torchTraces(kPipeline, {})[0], kept});
    CHECK(std::isnan(bubbleOf(result)));
    CHECK(lackOf(result) == "stage 1 has 0 backwards and stage 0 has 8");
}

// The bubble was 18.2 % instead of 44.5 %: the waits in receives whose sends were lost were
// communication.
TEST_CASE("if many messages have only one end, there is no bubble")
{
    const auto without = [](const std::vector<std::string>& texts, const std::string& lost) {
        std::vector<std::string> all;
        for (const std::string& text : texts) {
            std::string& kept = all.emplace_back();
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);)
                if (line.find(lost) == std::string::npos)
                    kept += line + "\n";
        }
        return importedTexts(all);
    };
    const std::vector<std::string> texts = torchTraces(kPipeline, {});
    CHECK(lackOf(importedTexts(texts)).empty());
    CHECK(lackOf(without(texts, "PP:0SEND_F3")).find(" messages have only one end")
          != std::string::npos);
    // Of 8 micro-batches, 7 had a forward.
    CHECK(lackOf(without(texts, "F3\"")) == "stage 0 has 7 forwards and 8 backwards");
}

// Their exposed communication contained the wait for other stages, and the bubble was 2.7 %.
TEST_CASE("ranks of another copy without a trace do not change the bubble")
{
    std::vector<std::string> texts = torchTraces(kPipeline, {});
    const double bubble = bubbleOf(importedTexts(texts));
    for (std::string& text : texts)
        text = replaced(text, "\"world_size\":2", "\"world_size\":4");
    const ImportedRun result = importedTexts(texts);
    CHECK(result.run.info.import->missingRanks == std::vector<int>{2, 3});
    CHECK(bubbleOf(result) == Approx(bubble));
}

// Times of the host in ms gave an iteration of 520 µs.
TEST_CASE("ops of a framework in ms have no iteration and no bubble")
{
    std::vector<std::string> texts;
    for (const std::string& whole : torchTraces(kPipeline, {})) {
        std::istringstream lines(whole);
        std::string& text = texts.emplace_back();
        for (std::string line; std::getline(lines, line); text += line + "\n")
            if (line.find("\"cat\":\"cpu_op\"") != std::string::npos)
                for (int i = 0; i < 3; ++i) // ops of 4 ns in it
                    text += line.substr(0, line.find("\"dur\":") + 6) + "0.004"
                        + line.substr(line.find(",\"pid\"")) + "\n";
    }
    const ImportedRun result = importedTexts(texts);
    CAPTURE(lackOf(result));
    CHECK(lackOf(result).find("as if times were in ms or s") != std::string::npos);
    CHECK_FALSE(reading(result, "iteration").isKnown());
}

TEST_CASE("without the W of a stage there is no bubble")
{
    const Run split = simulatedRun("zb-h1", 2, 8, 2);
    std::vector<std::string> texts = torchTraces(split, {});
    CHECK_FALSE(std::isnan(bubbleOf(importedTexts(texts))));
    for (const char* lost : {"PP:1W", "PP:1I"}) {
        std::string kept;
        std::istringstream lines(texts[1]);
        for (std::string line; std::getline(lines, line);)
            if (line.find(lost) == std::string::npos)
                kept += line + "\n";
        CHECK(std::isnan(bubbleOf(importedTexts({texts[0], kept}))));
    }
}
