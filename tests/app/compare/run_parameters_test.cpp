#include "app/compare/compare_page.h"
#include "tests/app/simulated_run.h"

#include <algorithm>

using namespace app;

namespace {

using Runs = std::vector<std::shared_ptr<const engine::Run>>;

std::shared_ptr<const engine::Run> recorded(const char* scheme, const std::string& experiment)
{
    engine::Run run = simulatedRun({scheme, 4, 4, 1, true});
    run.info.model = "tiny";
    run.info.experiment = experiment;
    return std::make_shared<const engine::Run>(std::move(run));
}

const RunParameter& named(const std::vector<RunParameter>& all, const char* name)
{
    const auto found = std::ranges::find(all, QString::fromUtf8(name), &RunParameter::name);
    REQUIRE(found != all.end());
    return *found;
}

} // namespace

TEST_CASE("the first line of a comparison names what is equal and what differs")
{
    const auto parameters = parametersOf(Runs{recorded("1f1b", {}), recorded("bitpipe", {})});
    CHECK(sameText(parameters) == QStringLiteral("model tiny, D 4, N 4"));
    CHECK(differsText(parameters) == QStringLiteral("scheme, v"));
}

TEST_CASE("the settings of the experiments are compared, too")
{
    const auto parameters = parametersOf(
        Runs{recorded("1f1b", "[run]\nseed = 1\n"), recorded("1f1b", "[run]\nseed = 2\n")});
    CHECK(parameters.size() > 20);
    CHECK(named(parameters, "seed").values
          == QStringList{QStringLiteral("1"), QStringLiteral("2")});
    CHECK(differsText(parameters) == QStringLiteral("seed"));
}

// They were "link bandwidth, gb/s" and "cuda graphs".
TEST_CASE("abbreviations keep their letters, and the list of differences has no units")
{
    const auto parameters = parametersOf(
        Runs{recorded("1f1b", "[link]\nbytes_per_second = 1000000000\n[run]\ngraphs = \"auto\"\n"),
             recorded("1f1b", "[link]\nbytes_per_second = 2000000000\n[run]\ngraphs = \"off\"\n")});
    CHECK(named(parameters, "link bandwidth, GB/s").values
          == QStringList{QStringLiteral("1"), QStringLiteral("2")});
    CHECK(differsText(parameters) == QStringLiteral("CUDA graphs, link bandwidth"));
}

TEST_CASE("a run that does not state a setting shows a dash")
{
    engine::Run imported = simulatedRun({"1f1b", 4, 4, 1, true});
    imported.info.mode = engine::Mode::Imported;
    imported.info.import.emplace();
    const auto parameters
        = parametersOf(Runs{recorded("1f1b", "[run]\nseed = 1\n"),
                            std::make_shared<const engine::Run>(std::move(imported))});
    CHECK(named(parameters, "seed").values.value(1) == QStringLiteral("–"));
    CHECK(named(parameters, "N").values.value(1) == QStringLiteral("unknown"));
}

TEST_CASE("the table of parameters lists those that differ first, with the runs of each value")
{
    TableModel<RunParameter> model;
    model.reset(
        parameterColumns({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}),
        parametersOf(Runs{recorded("1f1b", {}), recorded("gpipe", {}), recorded("bitpipe", {})}));
    CHECK(model.index(0, 1).data().toString() == QStringLiteral("differs"));
    CHECK(model.index(0, 2).data().toString()
          == QStringLiteral("1F1B (1 run), BitPipe (1 run), GPipe (1 run)"));
    CHECK(model.index(1, 0).data().toString() == QStringLiteral("v"));
    CHECK(model.index(1, 2).data().toString() == QStringLiteral("1 (2 runs), 2 (1 run)"));
    CHECK(model.index(model.rowCount() - 1, 1).data().toString() == QStringLiteral("same"));
}
