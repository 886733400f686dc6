#include "app/widgets/editor/schedule_file.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace app;

TEST_CASE("a saved schedule is read again, and a missing folder is named")
{
    const QTemporaryDir folder;
    const auto schedule = engine::buildSchedule(engine::ScheduleRequest());
    REQUIRE(schedule);
    ScheduleFile file(nullptr);
    file.setName(QStringLiteral("BitPipe"));
    CHECK(file.path().isEmpty());
    QSignalSpy failed(&file, &ScheduleFile::failed), saved(&file, &ScheduleFile::saved);
    CHECK_FALSE(file.saveTo(folder.filePath(QStringLiteral("no/such/mine.csv")), *schedule));
    CHECK(failed.count() == 1);
    CHECK(file.name() == QStringLiteral("BitPipe"));
    const QString path = folder.filePath(QStringLiteral("mine.csv"));
    REQUIRE(file.saveTo(path, *schedule));
    CHECK(saved.count() == 1);
    CHECK(file.name() == QStringLiteral("mine.csv"));

    ScheduleFile other(nullptr);
    const auto opened = other.read(path);
    REQUIRE(opened);
    CHECK(engine::opCount(*opened) == engine::opCount(*schedule));
    CHECK(other.path() == path);
    CHECK(other.foreign().isEmpty());
}

TEST_CASE("a file that is not a schedule is refused with its name")
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("notes.csv"));
    QFile text(path);
    REQUIRE(text.open(QIODevice::WriteOnly));
    text.write("hello\n");
    text.close();
    ScheduleFile file(nullptr);
    const auto opened = file.read(path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().fact.startsWith(QStringLiteral("notes.csv is not a schedule")));
    CHECK_FALSE(file.read(folder.filePath(QStringLiteral("none.csv"))));
}
