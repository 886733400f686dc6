#include "app/shell/run_saver.h"
#include "app/study/study_file.h"
#include "app/study/study_options.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
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
        QObject::connect(&chooser, &QTimer::timeout, &page, [this] {
            auto* dialog = page.findChild<QFileDialog*>(QStringLiteral("saveDialog"));
            if (dialog == nullptr)
                return;
            chooser.stop();
            if (!path.isEmpty())
                Q_EMIT dialog->fileSelected(path);
            dialog->close();
        });
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
    // Answers the next question for a file with `name`; "": cancels it.
    void choose(const QString& name)
    {
        path = name.isEmpty() ? QString() : folder.filePath(name);
        chooser.start(0);
    }

    // Saves the study, changes its file as another program would, and edits the study.
    void saveAndChangeOnDisk()
    {
        choose(QStringLiteral("own.toml"));
        REQUIRE(file.saveAs());
        QFile text(path);
        REQUIRE(text.open(QIODevice::Append));
        text.write("# by another program\n");
        text.close();
        edited.title = "newer";
        file.edit(edited);
    }

    QTemporaryDir folder;
    QString path;
    QTimer chooser;
    QWidget page;
    RunSaver saver{&page};
    profiler::Study edited = defaultStudy();
    StudyFile file{defaultStudy(), saver, &page};
};

} // namespace

// The page stayed open until the file was written, and so did the window that was closing.
TEST_CASE("a new study is saved before its page closes")
{
    EditedStudy study;
    CHECK(study.file.title() == QStringLiteral("Study \u2022"));
    study.answer("saveChanges");
    study.choose(QStringLiteral("own.toml"));
    CHECK(study.file.mayDiscard());
    CHECK(study.file.path() == study.path);
    CHECK_FALSE(study.file.isModified());
    CHECK(study.file.title() == QStringLiteral("Study: own"));
    const auto read = study.file.open(study.path);
    REQUIRE(read);
    CHECK(*read == study.edited);
}

TEST_CASE("a study that the user keeps, or saves to no file, stays open")
{
    for (const char* button : {"keepEditing", "saveChanges"}) {
        EditedStudy study;
        study.answer(button);
        study.choose({});
        CHECK_FALSE(study.file.mayDiscard());
        CHECK(study.file.isModified());
    }
}

TEST_CASE("a study that cannot be written stays open")
{
    EditedStudy study;
    study.answer("saveChanges");
    study.choose(QStringLiteral("missing/own.toml"));
    CHECK_FALSE(study.file.mayDiscard());
    CHECK(study.file.isModified());
    CHECK(study.file.path().isEmpty());
    CHECK(study.page.findChild<QMessageBox*>(QStringLiteral("notSaved")) != nullptr);
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
    CHECK_FALSE(study.file.save());
    CHECK(study.file.isModified());
    QFile text(study.path);
    REQUIRE(text.open(QIODevice::ReadOnly));
    CHECK(text.readAll().endsWith("# by another program\n"));
}

// The page stayed open.
TEST_CASE("a study that was changed on disk and is saved elsewhere closes its page")
{
    EditedStudy study;
    study.saveAndChangeOnDisk();
    study.answer("saveChanges");
    QTimer second; // answers the question about the file, which follows
    QObject::connect(&second, &QTimer::timeout, [&study] {
        if (auto* box = study.page.findChild<QMessageBox*>(QStringLiteral("changedOnDisk")))
            box->findChild<QAbstractButton*>(QStringLiteral("saveAsInstead"))->click();
    });
    second.start(0);
    study.choose(QStringLiteral("other.toml"));
    CHECK(study.file.mayDiscard());
    CHECK(study.file.path() == study.path);
}

TEST_CASE("a file that is not a study leaves the edited one as it is")
{
    EditedStudy study;
    CHECK_FALSE(study.file.open(study.folder.filePath(QStringLiteral("own.toml"))));
    CHECK(study.file.isModified());
    CHECK(study.file.path().isEmpty());
}

// bscope study best-scheme -o best-scheme makes such a folder; a file was overwritten by Ctrl+S.
TEST_CASE("a preset is not a file of the same name in the current folder")
{
    EditedStudy study;
    const QString before = QDir::currentPath();
    REQUIRE(QDir::setCurrent(study.folder.path()));
    CHECK(QDir().mkdir(QStringLiteral("best-scheme")));
    const auto opened = study.file.open(QStringLiteral("best-scheme"));
    QDir::setCurrent(before);
    REQUIRE(opened);
    CHECK(study.file.path().isEmpty());
    CHECK(study.file.name() == QStringLiteral("best-scheme"));
}

} // namespace app
