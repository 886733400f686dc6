#include "app/documents/run_document.h"
#include "app/figures/figure_recipe.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "profiler/figure/scene.h"
#include "profiler/store/trace_store.h"
#include "tests/app/busy_pool.h"
#include "tests/app/sample_run.h"
#include "tests/app/wait_for.h"
#include "tests/gui/exporting.h"
#include "tests/support/temporary_folder.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QRadioButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <optional>

using namespace app;

TEST_CASE("export writes the chosen files, and they are the preview")
{
    Exporting f;
    f.click("figurePng");
    settle();
    CHECK(f.find<QPushButton>("figureExport")->text() == QStringLiteral("Export 3 files"));
    f.exportFiles();
    CHECK(f.dialog.result() == QDialog::Accepted);
    CHECK(contents(f.path("figure.svg"))
          == QByteArray::fromStdString(profiler::toSvg(f.dialog.scene())));
    CHECK(contents(f.path("figure.pdf")).startsWith("%PDF"));
    CHECK(contents(f.path("figure.png")).startsWith("\x89PNG"));
}

TEST_CASE("every check of a figure of one chunk is good, and shown")
{
    const Exporting f({tests::unitRun("1f1b", 4, 4)});
    REQUIRE(waitFor([&] { return f.dialog.checks().size() == 5; }));
    for (const auto& check : f.dialog.checks())
        CHECK(check.good);
    CHECK(f.dialog.findChildren<QLabel*>(QStringLiteral("figureCheck")).size() == 5);
}

// The checks stood in one line and made the dialog wider than the screen.
TEST_CASE("long checks wrap, and the dialog keeps its width")
{
    const Exporting f({tests::unitRun("bitpipe", 4, 8)});
    CHECK(std::ranges::any_of(f.dialog.checks(),
                              [](const auto& check) { return check.text.size() > 60; }));
    CHECK(f.dialog.minimumSizeHint().width() <= 1300);
}

TEST_CASE("a preset sets width and type, a width of one's own leaves the preset")
{
    Exporting f;
    auto* preset = f.find<QComboBox>("figurePreset");
    preset->setCurrentIndex(preset->findData(QStringLiteral("neurips")));
    Q_EMIT preset->activated(preset->currentIndex());
    settle();
    CHECK(f.dialog.scene().width == Approx(5.5 * 72));
    f.find<QDoubleSpinBox>("figureWidth")->setValue(6);
    settle();
    CHECK(f.dialog.scene().width == Approx(6 * 72));
    CHECK(preset->currentText() == QStringLiteral("Other"));
    CHECK(f.find<QLineEdit>("figureLatex")->text()
          == QStringLiteral("\\includegraphics[width=6.00in]{figure}"));
}

TEST_CASE("a palette that fails in grey turns its check to a warning")
{
    Exporting f;
    f.find<QRadioButton>("palette-dualpipe")->click();
    settle();
    CHECK_FALSE(f.dialog.checks()[2].good);
}

TEST_CASE("a figure that cannot be drawn shows the reason and cannot be exported")
{
    Exporting f;
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("9"));
    settle();
    CHECK(f.find<QWidget>("figureProblem")->isVisible());
    CHECK_FALSE(f.find<QPushButton>("figureExport")->isEnabled());
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("0,2-3"));
    settle();
    CHECK_FALSE(f.find<QWidget>("figureProblem")->isVisible());
    CHECK(f.find<QPushButton>("figureExport")->isEnabled());
}

// The dialog showed a stray drawing, a button without a text, and an option of the command line.
TEST_CASE("a figure that is too large for a page points to the field Rows")
{
    Exporting f({tests::unitRun("1f1b", 128, 128)});
    settle();
    const QString reason = f.find<Band>("figureProblem")->text();
    CHECK(reason.contains(QStringLiteral(" of 128 rows fit: enter fewer devices under Rows")));
    CHECK_FALSE(reason.contains(QStringLiteral("--")));
    auto* rows = f.find<QLineEdit>("figureRows");
    CHECK(f.dialog.focusWidget() == rows);
    CHECK(f.dialog.scene().groups.empty());
    CHECK(f.find<QPushButton>("figureExport")->text() == QStringLiteral("Export"));
    CHECK(f.find<QLineEdit>("figureHeight")->text().isEmpty());
    rows->setText(QStringLiteral("0-3"));
    settle();
    CHECK(f.find<QPushButton>("figureExport")->isEnabled());
    CHECK_FALSE(f.dialog.scene().groups.empty());
}

TEST_CASE("a file that exists is replaced only when asked for")
{
    Exporting f;
    f.click("figurePdf");
    QFile file(f.path("figure.svg"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("old");
    file.close();
    press("none");
    f.exportFiles();
    CHECK(contents(f.path("figure.svg")) == "old");
    CHECK(f.dialog.isVisible());
    press("figureReplace");
    f.exportFiles();
    CHECK(contents(f.path("figure.svg")).startsWith("<svg"));
}

// The dialog was deleted, and with it the question that had not returned.
TEST_CASE("a second Esc, before the question has returned, does not close the export")
{
    Exporting f;
    QFile file(f.path("figure.pdf"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.close();
    bool isAsked = false;
    QTimer::singleShot(0, &f.dialog, [&] {
        auto* question = f.dialog.findChild<QMessageBox*>();
        isAsked = question != nullptr;
        if (isAsked)
            question->reject();
        f.dialog.reject();
    });
    f.click("figureExport");
    CHECK(isAsked);
    CHECK(f.dialog.isVisible());
    f.dialog.reject();
    CHECK_FALSE(f.dialog.isVisible());
}

TEST_CASE("a folder that cannot be written keeps the dialog open with the reason")
{
    Exporting f;
    f.dialog.setFile(f.path("no/such/figure"));
    f.exportFiles();
    CHECK(f.dialog.isVisible());
    CHECK(f.find<QWidget>("figureProblem")->isVisible());
}

// The focus stayed on Cancel, because the button was disabled during the export.
TEST_CASE("a failed export leaves the focus on its button, and succeeds when its folder exists")
{
    Exporting f;
    f.dialog.setFile(f.path("later/figure"));
    f.find<QPushButton>("figureExport")->setFocus();
    f.exportFiles();
    REQUIRE(f.dialog.isVisible());
    CHECK(f.dialog.focusWidget() == f.find<QPushButton>("figureExport"));
    CHECK(f.find<Band>("figureProblem")->text().startsWith(QStringLiteral("Not written:")));
    REQUIRE(QDir(f.folder.path()).mkdir(QStringLiteral("later")));
    f.exportFiles();
    CHECK(f.dialog.result() == QDialog::Accepted);
    CHECK(contents(f.path("later/figure.pdf")).startsWith("%PDF"));
}

// A hidden ".pdf" was written, and "figure.pdf.pdf".
TEST_CASE("a file needs a name and a format, and an end that was typed is not written twice")
{
    Exporting f;
    auto* file = f.find<QLineEdit>("figureFile");
    const auto lacks = [&](const char* words) {
        settle();
        return !f.find<QPushButton>("figureExport")->isEnabled()
            && f.find<QWidget>("figureProblem")->isVisible()
            && f.find<Band>("figureProblem")->text().contains(QLatin1String(words));
    };
    file->clear();
    CHECK(lacks("enter a name"));
    file->setText(f.folder.path() + QLatin1Char('/'));
    CHECK(lacks("enter a name"));
    file->setText(f.path("typed.svg"));
    settle();
    CHECK_FALSE(f.find<QWidget>("figureProblem")->isVisible());
    f.click("figurePdf");
    f.click("figureSvg");
    CHECK(lacks("choose a format"));
    f.click("figureSvg");
    settle();
    CHECK(f.find<QLineEdit>("figureLatex")->text()
          == QStringLiteral("\\includesvg[width=\\columnwidth]{typed}"));
    f.exportFiles();
    CHECK(QDir(f.folder.path()).entryList(QDir::Files) == QStringList(QStringLiteral("typed.svg")));
}

// It said that a run with memory had recorded none.
TEST_CASE("a schematic has no strip of memory, and the choice is there again with measured times")
{
    Exporting f({*sample::measured({"bitpipe", 4, 4})});
    auto* memory = f.find<QCheckBox>("figureMemory");
    REQUIRE(memory->isEnabled());
    memory->click();
    settle();
    const double height = f.dialog.scene().height;
    f.find<SegmentControl>("figureTimes")->setCurrent(1);
    settle();
    CHECK_FALSE(memory->isEnabled());
    CHECK(memory->toolTip().contains(QStringLiteral("schematic")));
    CHECK_FALSE(f.find<QWidget>("figureProblem")->isVisible());
    CHECK(f.dialog.scene().height < height);
    f.find<SegmentControl>("figureTimes")->setCurrent(0);
    settle();
    CHECK(f.dialog.scene().height == height);
}

// It was always the headline, and notes that the page showed did not come along.
TEST_CASE("the figure is of the iteration that the page shows")
{
    const auto run = sample::measured({"1f1b", 2, 2, 3});
    Exporting f({*run});
    engine::Note note;
    note.window = run->timeline.iterations[0].window;
    note.iteration = 0;
    note.text = "begins late";
    f.dialog.setNotes({{note}});
    f.click("figureNotes");
    settle();
    const auto isNoted
        = [&] { return profiler::toSvg(f.dialog.scene()).find(note.text) != std::string::npos; };
    CHECK_FALSE(isNoted()); // the headline is another one
    f.dialog.setIteration(0);
    CHECK(isNoted());
    CHECK(f.find<QLabel>("figureSubtitle")->text().contains(iterationName(run->timeline, 0)));
    f.find<SegmentControl>("figureTimes")->setCurrent(1);
    settle();
    CHECK(f.find<QPushButton>("figureExport")->isEnabled()); // a schematic has one
}

TEST_CASE("a dialog that is closed during the export leaves all files as they were")
{
    Exporting f;
    std::optional<tests::BusyPool> busy(std::in_place); // the export waits for it
    f.click("figureExport");
    CHECK(f.find<QPushButton>("figureExport")->text() == QStringLiteral("Exporting…"));
    CHECK_FALSE(f.find<QWidget>("figureRows")->isEnabled());
    f.click("figureCancel");
    busy.reset();
    REQUIRE(waitFor([&] { return f.find<QWidget>("figureRows")->isEnabled(); }));
    CHECK(f.dialog.result() == QDialog::Rejected);
    CHECK(QDir(f.folder.path()).isEmpty());
}

TEST_CASE("if one of the files cannot be drawn, none is written")
{
    Exporting f;
    f.click("figurePng");
    f.find<QDoubleSpinBox>("figureWidth")->setValue(100);
    f.find<QDoubleSpinBox>("figureFontSize")->setValue(30);
    f.find<QSpinBox>("figureDpi")->setValue(1200);
    f.exportFiles();
    REQUIRE(f.dialog.isVisible());
    CHECK(f.find<Band>("figureProblem")->text().contains(QStringLiteral("pixels is too large")));
    CHECK(QDir(f.folder.path()).isEmpty());
    f.find<QSpinBox>("figureDpi")->setValue(72);
    f.click("figurePng");
    f.exportFiles();
    CHECK(f.dialog.result() == QDialog::Accepted);
}

TEST_CASE("what is set before the dialog is shown is not drawn until then")
{
    const ThemeController theme;
    ExportDialog dialog(theme, Exporting::shared({tests::measuredRun("1f1b", 4, 4)}));
    dialog.setFiles({QStringLiteral("run.sqlite")});
    dialog.setIteration(0);
    CHECK(dialog.checks().empty());
    dialog.show();
    CHECK_FALSE(dialog.checks().empty());
}

TEST_CASE("the dialog remembers its last choices")
{
    Exporting f;
    f.find<QRadioButton>("palette-grey")->click();
    f.click("figureNoLegend");
    f.exportFiles();
    ExportDialog again(f.theme, Exporting::shared({tests::unitRun("1f1b", 4, 4)}));
    CHECK(again.findChild<QRadioButton*>(QStringLiteral("palette-grey"))->isChecked());
    CHECK_FALSE(again.findChild<QCheckBox*>(QStringLiteral("figureNoLegend"))->isChecked());
    CHECK(again.findChild<QLineEdit*>(QStringLiteral("figureFile"))->text()
          == f.path("1f1b-d4-n4"));
}

TEST_CASE("runs in units and in milliseconds are compared as schematics")
{
    const Exporting f({tests::unitRun("1f1b", 4, 4), tests::measuredRun("bitpipe", 4, 4)});
    CHECK_FALSE(f.find<QWidget>("figureTimes")->isEnabled());
    CHECK(f.dialog.scene().title == "1F1B, D = 4, N = 4; BitPipe, D = 4, N = 4, v = 2");
    CHECK_FALSE(f.find<QCheckBox>("figureMemory")->isEnabled());
}

TEST_CASE("TikZ is one of the formats, and alone gives the line for LaTeX")
{
    Exporting f;
    for (const char* output : {"figurePdf", "figureSvg"})
        if (f.find<QCheckBox>(output)->isChecked())
            f.find<QCheckBox>(output)->click();
    f.find<QCheckBox>("figureTikz")->click();
    CHECK(f.find<QLineEdit>("figureLatex")->text() == QStringLiteral("\\input{figure}"));
    f.exportFiles();
    QFile file(f.path("figure.tex"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().contains("\\begin{tikzpicture}"));
}

TEST_CASE("a recipe beside the exported figure draws the same bytes again")
{
    tests::TemporaryFolder runs;
    const QString file = QString::fromStdString((runs.path() / "one.sqlite").string());
    const engine::Run run = *sample::measured({"bitpipe", 4, 4});
    REQUIRE(profiler::writeRun(file.toStdString(), run).has_value());
    Exporting f({run});
    auto* recipe = f.find<QCheckBox>("figureRecipe");
    CHECK_FALSE(recipe->isEnabled()); // a recipe names files
    f.dialog.setFiles({file});
    REQUIRE(recipe->isEnabled());
    recipe->setFocus();
    QTest::keyClick(recipe, Qt::Key_Space);
    f.dialog.setRange({0, run.timeline.iterations[0].window.end / 2});
    f.find<SegmentControl>("figureRange")->setCurrent(1);
    auto* colours = f.find<QComboBox>("figureColourBy");
    colours->setCurrentText(QStringLiteral("chunk"));
    Q_EMIT colours->activated(colours->currentIndex());
    settle();
    CHECK(f.find<QPushButton>("figureExport")->text() == QStringLiteral("Export 3 files"));
    f.exportFiles();
    REQUIRE(QFile::exists(f.path("figure.figure.toml")));
    const auto read = readRecipe(f.path("figure.figure.toml"));
    REQUIRE(read.has_value());
    CHECK(read->request.options.colourBy == profiler::ColourBy::Chunk);
    CHECK_FALSE(read->request.options.range.isWhole());
    CHECK(read->drawn.size() == 1);
    const auto drawn = drawFigure(read->request);
    REQUIRE(drawn.has_value());
    CHECK(drawn->files[0] == contents(f.path("figure.pdf")));
    CHECK(drawn->files[1] == contents(f.path("figure.svg")));
}

TEST_CASE("the marked range is drawn in its iteration, by mouse and by key")
{
    const auto run = sample::measured({"1f1b", 2, 2, 3});
    Exporting f({*run});
    auto* range = f.find<SegmentControl>("figureRange");
    CHECK_FALSE(range->isEnabled());
    CHECK(range->toolTip().contains(QStringLiteral("Mark a range")));
    const engine::Window second = run->timeline.iterations[1].window;
    const std::int64_t half = second.begin + second.duration() / 2;
    f.dialog.setRange({half, second.end + second.duration()}); // is cut at the end of the iteration
    REQUIRE(range->isEnabled());
    const QString whole = QString::fromStdString(profiler::toSvg(f.dialog.scene()));
    QTest::keyClick(range, Qt::Key_Right);
    settle();
    const QString part = QString::fromStdString(profiler::toSvg(f.dialog.scene()));
    CHECK(part != whole);
    CHECK(range->accessibleName().contains(iterationName(run->timeline, 1)));
    QTest::mouseClick(range, Qt::LeftButton, {}, {5, 5});
    settle();
    CHECK(QString::fromStdString(profiler::toSvg(f.dialog.scene())) == whole);
}
