#include "app/mapping/mapping_key.h"
#include "tests/catch.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>

using namespace app;

// The key was empty: it looked for the stages in the first slot.
TEST_CASE("the key of a mapping explains the links although the first slot is free")
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("mine.toml")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("copies = [[\"0:1\", \"1:0\"]]\n");
    file.close();
    PredictionRequest request;
    request.schedule.scheme = "1f1b";
    request.schedule.devices = 2;
    request.schedule.microBatches = 4;
    request.schedule.mapping = file.fileName().toStdString();
    request.source.kind = CostSource::Kind::Hardware;
    request.source.model = QStringLiteral("gpt-96");
    request.source.hardware = QStringLiteral("a800-sxm-80");
    const auto study = studyMappings(request);
    REQUIRE(study);
    REQUIRE(study->nodes[0].slots[0].device == -1);
    const ThemeController theme;
    MappingKey key(theme);
    key.resize(900, key.height());
    const QImage empty = key.grab().toImage();
    key.show(*study);
    CHECK(key.grab().toImage() != empty);
}
