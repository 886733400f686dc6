#include "profiler/analysis/run_measures.h"
#include "tests/profiler/analysis/hand_made.h"

#include <array>
#include <set>

using namespace analysis_test;
using namespace profiler;
using engine::DeviceId;
using engine::Run;

namespace {

const Reading* find(const Reading& fields, std::string_view key)
{
    for (const auto& [name, value] : std::get<Reading::Fields>(fields.data))
        if (name == key)
            return &value;
    return nullptr;
}

void checkKeys(const auto& measures)
{
    std::set<std::string_view> keys;
    for (const MeasureInfo& measure : measures) {
        INFO(measure.title << " " << measure.key);
        CHECK((measure.key.empty() || keys.insert(measure.key).second));
        CHECK_FALSE((measure.key.empty() && measure.title.empty()));
        CHECK(measure.title.empty() == (measure.shown == kData && measure.formula.empty()));
    }
}

} // namespace

TEST_CASE("a measure has a key or a title, and no key of a table occurs twice")
{
    checkKeys(runMeasures());
    checkKeys(deviceMeasures());
    checkKeys(bubbleMeasures());
    checkKeys(gpuMemoryMeasures());
}

TEST_CASE("every definition has a title, a formula, a meaning and a source, and no title twice")
{
    std::set<std::string> titles;
    for (const MeasureInfo* one : definitions()) {
        INFO(one->title);
        CHECK(one->meaning.ends_with('.'));
        CHECK_FALSE(sourceOf(*one).empty());
        CHECK(titles.insert(std::string(one->title) + unitText(one->unit, 1)).second);
    }
}

TEST_CASE("a definition is found by its title, and a share by its unit as well")
{
    const auto formula = [](std::string_view title) {
        const MeasureInfo* found = definitionTitled(title);
        return found == nullptr ? "" : std::string(found->formula);
    };
    CHECK(formula("bubble") == "iteration - compute - exposed");
    CHECK(formula("Bubble, %") == "sum of bubbles / (D x iteration)");
    CHECK_FALSE(formula("95 % interval").empty());
    CHECK(formula("Device").empty());
}

TEST_CASE("the definitions fit into 100 columns of a terminal")
{
    const std::string text = definitionsText();
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
        INFO(text.substr(begin, end - begin));
        CHECK(end - begin <= 100);
        begin = end + 1;
    }
    CHECK(text.find("MFU, % = model FLOPs / (iteration x W x D x peak FLOP/s)")
          != std::string::npos);
}

TEST_CASE("a number is formatted by the unit of its measure, an unknown one is a dash")
{
    const MeasureInfo time{"", "", Unit::Time}, share{"", "", Unit::Share};
    Run run;
    CHECK(readingText(Reading::time(std::int64_t{19'000'000}, run.info), time) == "19.0 ms");
    CHECK(readingText(Reading::time(std::int64_t{8'300}, run.info), time) == "8.3 µs");
    run.info.ticksPerUnit = 2;
    CHECK(readingText(Reading::time(std::int64_t{25}, run.info), time) == "12.5 units");
    CHECK(cellText(Reading::time(std::int64_t{25}, run.info), time) == "12.5");
    CHECK(readingText(0.143, share) == "14.3 %");
    CHECK(cellText(0.143, share) == "14.3");
    CHECK(readingText(std::int64_t{3 << 20}, {"", "", Unit::Bytes}) == "3.0 MiB");
    CHECK(readingText(2.0, {"", "", Unit::Activations}) == "2.0 M_a");
    CHECK(readingText(-0.1, {"", "", Unit::Change}) == "-10.0 %");
    CHECK(readingText(Reading(), time) == "-");
    CHECK_FALSE(Reading(0.0 / 0.0).isKnown()); // not a number
}

TEST_CASE("an inner object has the fields with its name, and is null if all are unknown")
{
    const Run run = pingPong();
    const RunMetrics numbers = metrics(run).value();
    const Reading device = fields(deviceMeasures(), reportedDevices(run, numbers).front());
    CHECK_FALSE(find(device, "bytes_at_peak")->isKnown()); // no memory was recorded
    const Reading all = fields(runMeasures(), ReportedRun{run, numbers});
    CHECK(std::get<Reading::Fields>(find(all, "evidence")->data).size() == 4);
    CHECK(find(all, "gpu_memory") == nullptr); // only runs on GPUs have it
    CHECK_FALSE(find(all, "mfu")->isKnown());
}

TEST_CASE("a device without a trace has only its name")
{
    Run run = pingPong();
    run.info.import.emplace();
    run.schedule.program[DeviceId{1}].clear();
    std::erase_if(run.timeline.tracks,
                  [](const engine::Track& track) { return track.device == DeviceId{1}; });
    const RunMetrics numbers = metrics(run).value();
    for (const auto& measure : deviceMeasures()) {
        const Reading value = measure(reportedDevices(run, numbers)[1]);
        CHECK(value.isKnown() == (measure.key == "device"));
        CHECK(value.note == "no trace");
    }
}

TEST_CASE("the evidence of a number is how it was obtained")
{
    Run run = pingPong();
    run.info.outcome = engine::Outcome::Finished;
    CHECK(evidence(run).kind == std::string_view("simulated"));
    run.info.mode = engine::Mode::Emulate;
    CHECK(evidence(run).kind == std::string_view("estimated"));
    run.info.mode = engine::Mode::Imported;
    run.info.import.emplace().onGpu = true;
    CHECK(evidence(run).from == std::string_view("kernels"));
    CHECK(evidence(run).isComplete);
    run.info.import->missingRanks = {3};
    CHECK_FALSE(evidence(run).isComplete);
}

namespace {
struct Named
{
    int number = 7;
    std::string text() const { return "seven"; }
};
} // namespace

TEST_CASE("a column has the title of its key, and a getter of any kind names its subject")
{
    constexpr std::array kNamed{
        Measure(column("number"), Of<&Named::number>()),
        Measure(column("text", "in words"), Of<&Named::text>()),
        Measure(column("", "half", Unit::None, 1), [](const Named& n) { return n.number / 2.0; })};
    CHECK(kNamed[0].title == "number");
    CHECK(kNamed[1].title == "in words");
    CHECK(cellText(kNamed[0](Named()), kNamed[0]) == "7");
    CHECK(cellText(kNamed[1](Named()), kNamed[1]) == "seven");
    CHECK(cellText(kNamed[2](Named()), kNamed[2]) == "3.5");
}
