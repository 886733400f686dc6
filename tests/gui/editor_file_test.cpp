#include "app/editor/editor_page.h"
#include "app/ui/controls.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

namespace app {

namespace {

engine::Schedule schedule(const char* scheme, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = 2;
    request.microBatches = microBatches;
    return *engine::buildSchedule(request);
}

struct TorchFile
{
    explicit TorchFile(const engine::Schedule& content)
    {
        QFile torch(file);
        REQUIRE(torch.open(QIODevice::WriteOnly));
        torch.write(QByteArray::fromStdString(*engine::writeTorch(content)));
    }

    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("torch.csv"));
};

} // namespace

TEST_CASE("a file that is no schedule leaves a page that names the line")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bad.csv"));
    QFile bad(file);
    REQUIRE(bad.open(QIODevice::WriteOnly));
    bad.write("device,index,op\n0,0,F\n");
    bad.close();
    ThemeController theme;
    const std::unique_ptr<EditorPage> made(EditorPage::make(theme));
    EditorPage& page = *made;
    page.resize(960, 550);
    page.show();
    page.open(file);
    CHECK(page.schedule() == nullptr);
    auto* refused = page.findChild<EmptyState*>(QStringLiteral("refusedSchedule"));
    CHECK(refused->isVisible());
    QString all;
    for (const QLabel* label : refused->findChildren<QLabel*>())
        all += label->text() + QLatin1Char('\n');
    CHECK(all.contains(QStringLiteral("bad.csv is not a schedule")));
    CHECK(all.contains(QStringLiteral("line 1")));
    CHECK(page.queryClose());
}

TEST_CASE("a schedule of PyTorch is edited, and never saved over")
{
    const TorchFile torch(schedule("zb-v", 4));
    ThemeController theme;
    const std::unique_ptr<EditorPage> made(EditorPage::make(theme));
    EditorPage& page = *made;
    page.open(torch.file);
    REQUIRE(page.schedule() != nullptr);
    CHECK(page.check().isValid());
    CHECK(page.file().isEmpty());
    CHECK(page.findChild<Band*>()->text().contains(QStringLiteral("PyTorch")));
}

// A green "Read." covered the verdict.
TEST_CASE("a schedule of PyTorch with a deadlock shows the deadlock")
{
    engine::Schedule reversed = schedule("gpipe", 2);
    std::ranges::reverse(reversed.program[{0}]);
    const TorchFile torch(reversed);
    ThemeController theme;
    const std::unique_ptr<EditorPage> made(EditorPage::make(theme));
    EditorPage& page = *made;
    page.open(torch.file);
    REQUIRE(page.schedule() != nullptr);
    CHECK_FALSE(page.check().isValid());
    CHECK(page.findChild<Band*>()->text().startsWith(QStringLiteral("Deadlock.")));
}

} // namespace app
