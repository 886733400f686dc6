#include "app/editor/editor_page.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QFile>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>

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

// Save replaced what an editor or git had written meanwhile.
TEST_CASE("a schedule that was changed on disk is overwritten only if the user says so")
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("mine.csv"));
    const auto schedule = engine::buildSchedule(engine::ScheduleRequest());
    QWidget window;
    ScheduleFile file(&window);
    const auto textOf = [&path] {
        QFile text(path);
        REQUIRE(text.open(QIODevice::ReadOnly));
        return text.readAll();
    };
    const auto changeOnDisk = [&path] {
        QFile text(path);
        REQUIRE(text.open(QIODevice::Append));
        text.write("# by another program\n");
    };
    const auto answer = [&window](const char* button) {
        QTimer::singleShot(0, &window, [&window, button] {
            auto* box = window.findChild<QMessageBox*>(QStringLiteral("changedOnDisk"));
            REQUIRE(box != nullptr);
            auto* chosen = button == nullptr
                ? box->button(QMessageBox::Cancel)
                : box->findChild<QAbstractButton*>(QString::fromLatin1(button));
            REQUIRE(chosen != nullptr);
            chosen->click();
        });
    };
    REQUIRE(file.saveTo(path, *schedule));
    const QByteArray own = textOf();
    CHECK(file.save(*schedule)); // asks nothing
    changeOnDisk();
    const QByteArray changed = textOf();
    answer(nullptr);
    CHECK_FALSE(file.save(*schedule));
    CHECK(textOf() == changed);
    answer("overwrite");
    CHECK(file.save(*schedule));
    CHECK(textOf() == own);
    REQUIRE(file.read(path));
    changeOnDisk();
    answer(nullptr);
    CHECK_FALSE(file.save(*schedule));
    REQUIRE(QFile::remove(path));
    CHECK(file.save(*schedule)); // nothing would be lost
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
