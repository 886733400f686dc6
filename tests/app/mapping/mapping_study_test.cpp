#include "app/mapping/mapping_view.h"
#include "engine/base/cancel.h"
#include "tests/catch.h"

#include <QFile>
#include <QTemporaryDir>

using namespace app;

namespace {

// BitPipe on 32 A800 in four nodes, as published (arXiv 2410.19367).
PredictionRequest onNodes()
{
    PredictionRequest request;
    request.schedule.scheme = "bitpipe";
    request.schedule.devices = 8;
    request.schedule.microBatches = 16;
    request.schedule.dataParallel = 4;
    request.source.kind = CostSource::Kind::Hardware;
    request.source.model = "gpt-96";
    request.source.hardware = "a800-sxm-80";
    return request;
}

MappingStudy studyOf(const PredictionRequest& request)
{
    auto study = studyMappings(request);
    REQUIRE(study);
    return *std::move(study);
}

} // namespace

TEST_CASE("BitPipe is predicted with the default mapping and compared with the other two")
{
    const MappingStudy study = studyOf(onNodes());
    REQUIRE(study.all.size() == 3);
    CHECK(study.shown().mapping == QStringLiteral("replicas-together"));
    CHECK(study.shown().iteration < study.all[0].iteration);
    CHECK(study.shown().iteration == study.prediction->metrics.duration);
    CHECK(study.nodes.size() == 4);
    CHECK(study.nodes[0].summary
          == QString::fromUtf8("devices 0, 7, copies 0–3; all-reduce of stages 0, 7, 8, 15"));
    CHECK(study.nodes[0].places[4].device == 7);
    CHECK(study.nodes[0].places[4].stages
          == QStringList{QStringLiteral("7 8"), QStringLiteral("0 15")});
    CHECK(crossingText(study)
          == QStringLiteral("32 devices on 4 nodes, 8 slots per node. 1536 messages and no "
                            "all-reduces cross nodes."));
    const MappingVerdict verdict = mappingVerdict(study);
    CHECK(verdict.isBest);
    CHECK(verdict.bold.startsWith(QStringLiteral("Replicas together is the fastest, ")));
    CHECK(verdict.rest.startsWith(QStringLiteral("all-reduces stay in their nodes")));
}

TEST_CASE("a slower mapping is named beside the one that takes less")
{
    PredictionRequest request = onNodes();
    request.schedule.mapping = "contiguous";
    const MappingStudy study = studyOf(request);
    const MappingVerdict verdict = mappingVerdict(study);
    CHECK_FALSE(verdict.isBest);
    CHECK(verdict.bold.startsWith(QStringLiteral("Replicas together takes ")));
    CHECK(verdict.bold.endsWith(QStringLiteral("less than contiguous:")));
    CHECK(
        largestLoadText(*study.shown().loads.largest()).startsWith(QStringLiteral("all-reduces")));
}

TEST_CASE("a mapping from a file is compared as the fourth")
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("Swapped.toml"));
    QFile file(path);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("copies = [[\"1:0\", \"0:0\"]]\n");
    file.close();
    PredictionRequest request = onNodes();
    request.schedule = {.scheme = "1f1b",
                        .devices = 2,
                        .microBatches = 4,
                        .chunks = 0,
                        .dataParallel = 1,
                        .options = {},
                        .mapping = path.toStdString()};
    MappingStudy study = studyOf(request);
    REQUIRE(study.all.size() == 4);
    CHECK(study.chosen == 3);
    CHECK(mappingTitle(study.shown().mapping) == QStringLiteral("Swapped.toml"));
    CHECK(study.shown().loads.find(1, 0) != nullptr);
    CHECK(study.all[0].loads.find(0, 1) == nullptr); // contiguous: one node
    CHECK(study.nodes[0].places[1].device == -1);
    study.all[3].iteration *= 2;
    CHECK(mappingVerdict(study).bold.endsWith(QStringLiteral("less than Swapped.toml:")));
}

// The row showed 0 ms.
TEST_CASE("all-reduces that continue that of tied embeddings have no time of their own")
{
    const profiler::AllReduceLoad first{{engine::StageId{0}}, {0, 1}, 4, 1e9, 8'000'000, 2'000'000};
    const profiler::AllReduceLoad second{
        {engine::StageId{0}, engine::StageId{1}}, {0, 1}, 2, 1e9, 0, 0};
    const auto columns = allReduceColumns();
    CHECK(columns[3].text(first) == milliseconds(8e6));
    CHECK(columns[4].text(first) == milliseconds(2e6));
    CHECK(columns[3].text(second) == QString::fromUtf8("–"));
    CHECK(columns[4].text(second) == QString::fromUtf8("–"));
    CHECK(columns[3].roles.front().second(second).isValid()); // the tooltip says why
}

// Screen readers heard of messages and all-reduces only.
TEST_CASE("the compared mappings have their exposed messages, stashes and all-reduces")
{
    MappingStudy study;
    study.all.push_back({QStringLiteral("pair-adjacent"), {}, 100'000'000, {}});
    study.all.front().loads.exposed = {1e6, 2e6, 3e6};
    study.all.push_back({QStringLiteral("contiguous"), QStringLiteral("no room"), 0, {}});
    const auto columns = mappingColumns(study);
    QStringList first, second;
    for (const auto& column : columns) {
        first.append(column.text(study.all[0]));
        second.append(column.text(study.all[1]));
    }
    CHECK(first.mid(0, 6).join(QLatin1Char('|'))
          == QStringLiteral("Pair-adjacent|100|6.0|1.0|2.0|3.0"));
    CHECK(second.join(QLatin1Char('|')) == QString::fromUtf8("Contiguous|–|–|–|–|–|–|no room"));
}

TEST_CASE("a study needs hardware, a possible schedule, and stops when it is cancelled")
{
    PredictionRequest request = onNodes();
    request.source.kind = CostSource::Kind::Units;
    CHECK_FALSE(studyMappings(request));
    CHECK_FALSE(hasNodes(request));
    request = onNodes();
    request.schedule.microBatches = 7;
    CHECK_FALSE(studyMappings(request));
    const std::atomic<bool> isCancelled = true;
    const engine::CancelScope scope(&isCancelled);
    CHECK_THROWS_AS(studyMappings(onNodes()), engine::Cancelled);
}

TEST_CASE("model facts: sizes of equal stages together, what fits, and what would make it fit")
{
    PredictionRequest request = onNodes();
    request.schedule.scheme = "1f1b";
    const MappingStudy study = studyOf(request);
    const ModelFacts facts = modelFacts(request, study);
    REQUIRE(facts.stages.size() == 3);
    CHECK(facts.stages[1].first == 1);
    CHECK(facts.stages[1].last == 6);
    CHECK(stagesTitle(facts.stages[1], 8) == QStringLiteral("1\u20136, 12 layers each"));
    double parameters = 0;
    for (const StageSizes& size : facts.stages)
        parameters += size.parameters * (size.last - size.first + 1);
    // The last stage has its own copy of the tied matrix.
    CHECK(parameters
          == Approx(engine::parameterCount(study.on->model)
                    + engine::embeddingParameters(study.on->model))
                 .epsilon(0.001));
    CHECK(facts.now.microBatchSize == 1);
    CHECK(facts.now.devices.amounts.size() == 8);
    CHECK(facts.now.most()
          == *study.prediction->metrics.devices[facts.now.devices.fullest()].peakBytes);
}

TEST_CASE("if twice the micro-batch does not fit, the largest one that does is found")
{
    PredictionRequest request = onNodes();
    int size = 1;
    for (;; size *= 2) { // until the facts have a limit
        request.source.setup.microBatchSize = size;
        const ModelFacts facts = modelFacts(request, studyOf(request));
        REQUIRE(facts.now.fits());
        if (!facts.twice->fits()) {
            CHECK(fitText(*facts.twice, facts.now).contains(QStringLiteral("does not fit:")));
            CHECK(remedyText(facts).startsWith(QStringLiteral("To make it fit: ")));
            for (const MemoryFit& remedy : facts.remedies)
                CHECK(remedy.fits());
            break;
        }
        CHECK(remedyText(facts).isEmpty());
    }
    request.source.setup.microBatchSize = 2 * size;
    const ModelFacts full = modelFacts(request, studyOf(request));
    CHECK_FALSE(full.now.fits());
    CHECK_FALSE(full.twice);
    CHECK(fitText(full.now, full.now).startsWith(QStringLiteral("Does not fit. Device ")));
    REQUIRE_FALSE(full.remedies.empty());
    CHECK(full.remedies.front().microBatchSize >= size);
    CHECK(full.remedies.front().microBatchSize < 2 * size);
}
