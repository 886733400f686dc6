#include "profiler/study/study_file.h"
#include "tests/gui/studied.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

namespace app {
namespace {

// A page with a new study whose title was edited.
struct EditedStudy : Studied
{
    EditedStudy()
    {
        auto* title = find<QLineEdit>("studyTitle");
        title->setFocus();
        QTest::keyClicks(title, QStringLiteral("own"));
        QObject::connect(&chooser, &QTimer::timeout, page, [this] {
            auto* dialog = page->findChild<QFileDialog*>(QStringLiteral("saveDialog"));
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
        QTimer::singleShot(0, page, [this, button] {
            auto* dialog = page->findChild<QDialog*>(QStringLiteral("unsavedDialog"));
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

    QString path;
    QTimer chooser;
};

} // namespace

// The page stayed open until the file was written, and so did the window that was closing.
TEST_CASE("a new study is saved before its page closes")
{
    EditedStudy study;
    CHECK(study.page->title() == QStringLiteral("Study \u2022"));
    study.answer("saveChanges");
    study.choose(QStringLiteral("own.toml"));
    CHECK(study.page->queryClose());
    CHECK(study.page->file() == study.path);
    CHECK(study.page->title() == QStringLiteral("Study: own"));
    const auto read = openStudy(study.path);
    REQUIRE(read);
    CHECK(read->title == "own");
    CHECK(*read == study.find<StudyForm>("studyForm")->study());
}

TEST_CASE("a study that the user keeps, or saves to no file, stays open")
{
    EditedStudy study;
    for (const char* button : {"keepEditing", "saveChanges"}) {
        study.answer(button);
        study.choose({});
        CHECK_FALSE(study.page->queryClose());
        CHECK(study.page->title() == QStringLiteral("Study \u2022"));
        study.chooser.stop();
    }
    study.answer("keepEditing");
    auto* presets = study.find<QComboBox>("studyPresets");
    Q_EMIT presets->activated(presets->findText(QStringLiteral("odd-devices")));
    CHECK(study.page->title() == QStringLiteral("Study \u2022"));
    CHECK(presets->currentIndex() == 0);
    study.answer("discardChanges");
    CHECK(study.page->queryClose());
}

TEST_CASE("a study that cannot be written stays open")
{
    EditedStudy study;
    study.answer("saveChanges");
    study.choose(QStringLiteral("missing/own.toml"));
    CHECK_FALSE(study.page->queryClose());
    CHECK(study.page->title() == QStringLiteral("Study \u2022"));
    CHECK(study.page->file().isEmpty());
    CHECK(study.page->findChild<QMessageBox*>(QStringLiteral("notSaved")) != nullptr);
}

// bscope study best-scheme -o best-scheme makes such a folder; a file was overwritten by Ctrl+S.
TEST_CASE("a preset is not a file of the same name in the current folder")
{
    Studied study;
    const QString before = QDir::currentPath();
    REQUIRE(QDir::setCurrent(study.folder.path()));
    CHECK(QDir().mkdir(QStringLiteral("best-scheme")));
    study.page->open(QStringLiteral("best-scheme"));
    QDir::setCurrent(before);
    CHECK(study.page->file().isEmpty());
    CHECK(study.page->title() == QStringLiteral("Study: best-scheme"));
}

TEST_CASE("ratios and charts of a file are shown, and go with the value that they need")
{
    Studied study;
    study.page->open(study.writeToml("[grid]\nmicro-batches = [4, 8]\n"
                                     "scheme = [\"gpipe\", \"1f1b\", \"zb-h1\"]\n"
                                     "[[ratio]]\nname = \"slow_down\"\nmetric = \"iteration\"\n"
                                     "baseline = { scheme = \"gpipe\" }\n"
                                     "[[chart]]\nkind = \"heat-map\"\ntitle = \"Slower\"\n"
                                     "y = \"slow_down\"\nx = \"micro-batches\"\n"));
    study.waitForEnd();
    auto* map = study.find<QComboBox>("studyMapChart");
    CHECK(map->findText(QStringLiteral("Slower")) == 0); // the title of the chart
    CHECK(map->findText(QStringLiteral("Slow down")) > 0);
    auto* form = study.find<StudyForm>("studyForm");
    study.find<QCheckBox>("studyScheme-1f1b")->click();
    CHECK(form->study().ratios.size() == 1);
    study.find<QCheckBox>("studyScheme-gpipe")->click();
    CHECK(form->study().ratios.empty());
    CHECK(form->study().charts.empty());
}

} // namespace app
