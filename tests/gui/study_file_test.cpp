#include "app/models/study/study_options.h"
#include "app/pages/run_saver.h"
#include "app/pages/study/study_file.h"
#include "tests/app/jobs/wait_for.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QDialog>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace app {
namespace {

// A new study with edits.
struct EditedStudy
{
    EditedStudy()
    {
        edited.title = "own";
        file.edit(edited);
    }
    // Answers the question about unsaved edits.
    void answer(const char* button)
    {
        QTimer::singleShot(0, &page, [this, button] {
            auto* dialog = page.findChild<QDialog*>(QStringLiteral("unsavedDialog"));
            REQUIRE(dialog != nullptr);
            QTest::mouseClick(dialog->findChild<QPushButton*>(QString::fromLatin1(button)),
                              Qt::LeftButton);
        });
    }
    void chooseFile()
    {
        auto* dialog = page.findChild<QFileDialog*>(QStringLiteral("saveDialog"));
        REQUIRE(dialog != nullptr);
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        REQUIRE(waitFor([this] { return file.path() == path; }));
    }

    // Saves the study, changes its file as another program would, and edits the study.
    void saveAndChangeOnDisk()
    {
        file.saveAs();
        chooseFile();
        QFile text(path);
        REQUIRE(text.open(QIODevice::Append));
        text.write("# by another program\n");
        text.close();
        edited.title = "newer";
        file.edit(edited);
    }

    QTemporaryDir folder;
    QString path = folder.filePath(QStringLiteral("own.toml"));
    QWidget page;
    RunSaver saver{&page};
    profiler::Study edited = defaultStudy();
    StudyFile file{defaultStudy(), saver, &page};
};

} // namespace

TEST_CASE("a new study that is saved because its page closes closes it when it is written")
{
    EditedStudy study;
    const QSignalSpy closed(&study.file, &StudyFile::closeRequested);
    CHECK(study.file.title() == QStringLiteral("Study \u2022"));
    study.answer("saveChanges");
    CHECK_FALSE(study.file.mayClose());
    study.chooseFile();
    CHECK(closed.size() == 1);
    CHECK_FALSE(study.file.isModified());
    CHECK(study.file.title() == QStringLiteral("Study: own"));
    CHECK(study.file.mayClose());
    const auto read = study.file.open(study.path);
    REQUIRE(read);
    CHECK(*read == study.edited);
}

TEST_CASE("a study that is saved after its page stayed open does not close it")
{
    for (const char* button : {"keepEditing", "saveChanges"}) {
        EditedStudy study;
        const QSignalSpy closed(&study.file, &StudyFile::closeRequested);
        study.answer(button);
        CHECK_FALSE(study.file.mayClose());
        if (auto* dialog = study.page.findChild<QFileDialog*>(QStringLiteral("saveDialog")))
            dialog->close();
        settle();
        study.file.saveAs();
        study.chooseFile();
        CHECK(closed.isEmpty());
    }
}

TEST_CASE("a study that was changed on disk is not overwritten without a question")
{
    EditedStudy study;
    study.saveAndChangeOnDisk();
    QTimer::singleShot(0, &study.page, [&study] {
        auto* box = study.page.findChild<QMessageBox*>(QStringLiteral("changedOnDisk"));
        REQUIRE(box != nullptr);
        box->button(QMessageBox::Cancel)->click();
    });
    study.file.save();
    CHECK(study.file.isModified());
    QFile text(study.path);
    REQUIRE(text.open(QIODevice::ReadOnly));
    CHECK(text.readAll().endsWith("# by another program\n"));
}

// The page stayed open.
TEST_CASE("a study that was changed on disk and is saved elsewhere closes its page")
{
    EditedStudy study;
    const QSignalSpy closed(&study.file, &StudyFile::closeRequested);
    study.saveAndChangeOnDisk();
    study.answer("saveChanges");
    QTimer second; // answers the question about the file, which follows
    QObject::connect(&second, &QTimer::timeout, [&study] {
        if (auto* box = study.page.findChild<QMessageBox*>(QStringLiteral("changedOnDisk")))
            box->findChild<QAbstractButton*>(QStringLiteral("saveAsInstead"))->click();
    });
    second.start(0);
    CHECK_FALSE(study.file.mayClose());
    second.stop();
    study.path = study.folder.filePath(QStringLiteral("other.toml"));
    study.chooseFile();
    CHECK(closed.size() == 1);
}

TEST_CASE("a file that is not a study leaves the edited one as it is")
{
    EditedStudy study;
    CHECK_FALSE(study.file.open(study.path));
    CHECK(study.file.isModified());
    CHECK(study.file.path().isEmpty());
}

} // namespace app
