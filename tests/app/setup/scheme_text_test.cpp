#include "app/setup/setup_page.h"
#include "engine/schedules/scheme.h"
#include "tests/support/pipelines.h"

using namespace app;

namespace {

std::vector<SchemeFact> factsOf(const char* scheme, int devices, int microBatches,
                                const engine::UnitCosts& costs = {})
{
    PredictionRequest asked{.schedule = tests::requestOf(scheme, devices, microBatches),
                            .costs = costs};
    const auto prediction = predict(asked);
    REQUIRE(prediction);
    return schemeFacts(*engine::findScheme(scheme), asked.schedule, &*prediction);
}

} // namespace

TEST_CASE("closed forms of a scheme have the numbers of D and N filled in")
{
    const auto facts = factsOf("1f1b", 4, 8);
    CHECK(facts[0].value == QStringLiteral("3N + 3(D−1): 3·8+3(4−1) = 33 units, as simulated"));
    CHECK(facts[1].value.startsWith(QStringLiteral("(D−1)/(N+D−1): (4−1)/(8+4−1) = 27.3")));
    CHECK(facts[1].value.endsWith(QStringLiteral("as simulated")));
}

TEST_CASE("a formula in prose is not shown as a closed form if the simulator disagrees")
{
    engine::UnitCosts costs;
    costs.p2p = {1, 2};
    const auto facts = factsOf("1f1b", 4, 8, costs);
    CHECK(facts[0].value.contains(QStringLiteral("units, simulated")));
    CHECK(facts[1].value.contains(QStringLiteral("with F 1, B 2 and free links")));
}

TEST_CASE("a picture of letters keeps its columns, prose flows")
{
    const auto paragraphs
        = schemeParagraphs("\nOne rule\nover two lines.\n\nD = 2   device 0 | F0 ..\n        "
                           "device 1 | .. F0\n\nMakespan 3N.\n");
    REQUIRE(paragraphs.size() == 3);
    CHECK(paragraphs[0] == SchemeParagraph{QStringLiteral("One rule over two lines."), false});
    CHECK(paragraphs[1].isPicture);
    CHECK(paragraphs[1].text.contains(QStringLiteral("\n        device 1 | .. F0")));
    CHECK(paragraphs[2].text == QStringLiteral("Makespan 3N."));
}

TEST_CASE("every scheme states its publication, its requirements and its rule")
{
    for (const engine::Scheme& scheme : engine::schemes()) {
        INFO(scheme.name);
        const QString html = schemeHtml(scheme, tests::requestOf("", 4, 8), nullptr);
        CHECK(html.contains(QString::fromUtf8(scheme.citation.data(),
                                              static_cast<qsizetype>(scheme.citation.size()))
                                .toHtmlEscaped()));
        CHECK(html.contains(QStringLiteral("<pre>")));
        CHECK_FALSE(html.contains(QStringLiteral("--set"))); // of the command line
        CHECK_FALSE(scheme.details.empty());
    }
}
