#include "app/models/style_sheet.h"
#include "app/pages/export_dialog.h"
#include "app/widgets/band.h"
#include "app/widgets/segment_control.h"
#include "profiler/figure/svg.h"
#include "tests/app/jobs/wait_for.h"
#include "tests/app/sample_run.h"
#include "tests/profiler/figure/figure_runs.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <functional>
#include <utility>

using namespace app;

namespace {

struct Fixture
{
    ThemeController theme;
    QTemporaryDir folder;
    ExportDialog dialog;

    explicit Fixture(std::vector<engine::Run> runs = {tests::unitRun("bitpipe", 4, 4)})
        : dialog((forget(), theme), shared(std::move(runs)))
    {
        dialog.findChild<QTimer*>(QStringLiteral("figureTyping"))->setInterval(0);
        dialog.setFile(path("figure"));
        dialog.show();
    }

    // The choices of another test are not this one's.
    static void forget()
    {
        QSettings settings(QSettings::IniFormat, QSettings::UserScope,
                           QStringLiteral("bubblescope"), QStringLiteral("bubblescope"));
        settings.remove(QStringLiteral("figure"));
        settings.remove(QStringLiteral("figurePresets"));
    }
    static std::vector<std::shared_ptr<const engine::Run>> shared(std::vector<engine::Run> runs)
    {
        std::vector<std::shared_ptr<const engine::Run>> result;
        for (auto& run : runs)
            result.push_back(std::make_shared<const engine::Run>(std::move(run)));
        return result;
    }
    QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }

    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* widget = dialog.findChild<Widget*>(QLatin1String(name));
        REQUIRE(widget);
        return widget;
    }
    void click(const char* name) { find<QAbstractButton>(name)->click(); }
};

QByteArray contents(const QString& file)
{
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
}

// Answers the next question of that kind as soon as it is there: its loop would wait for ever.
template<class Dialog>
void whenAsked(std::function<void(Dialog&)> answer)
{
    auto* look = new QTimer(qApp);
    QObject::connect(look, &QTimer::timeout, look, [look, answer = std::move(answer)] {
        auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr || !dialog->isVisible())
            return;
        look->stop();
        look->deleteLater();
        answer(*dialog);
    });
    look->start(5);
}

// Presses one of the buttons; "none": Cancel.
void press(const char* button)
{
    whenAsked<QMessageBox>([button](QMessageBox& box) {
        auto* named = box.findChild<QPushButton*>(QLatin1String(button));
        (named ? named : box.button(QMessageBox::Cancel))->click();
    });
}

// Gives a preset its name.
void name(const QString& preset)
{
    whenAsked<QInputDialog>([preset](QInputDialog& dialog) {
        dialog.setTextValue(preset);
        dialog.accept();
    });
}

} // namespace

TEST_CASE("export writes the chosen files, and they are the preview")
{
    Fixture f;
    f.click("output-png");
    settle();
    CHECK(f.find<QPushButton>("figureExport")->text() == QStringLiteral("Export 3 files"));
    f.click("figureExport");
    CHECK(f.dialog.result() == QDialog::Accepted);
    CHECK(contents(f.path("figure.svg"))
          == QByteArray::fromStdString(profiler::toSvg(f.dialog.scene())));
    CHECK(contents(f.path("figure.pdf")).startsWith("%PDF"));
    CHECK(contents(f.path("figure.png")).startsWith("\x89PNG"));
}

TEST_CASE("every check of the default figure is good, and shown")
{
    const Fixture f;
    REQUIRE(f.dialog.checks().size() == 5);
    for (const auto& check : f.dialog.checks())
        CHECK(check.good);
    CHECK(f.dialog.findChildren<QLabel*>(QStringLiteral("figureCheck")).size() == 5);
}

TEST_CASE("a preset sets width and type, a width of one's own leaves the preset")
{
    Fixture f;
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
    Fixture f;
    f.find<QRadioButton>("palette-dualpipe")->click();
    settle();
    CHECK_FALSE(f.dialog.checks()[2].good);
}

TEST_CASE("a figure that cannot be drawn says why and cannot be exported")
{
    Fixture f;
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("9"));
    settle();
    CHECK(f.find<QWidget>("figureProblem")->isVisible());
    CHECK_FALSE(f.find<QPushButton>("figureExport")->isEnabled());
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("0,2-3"));
    settle();
    CHECK_FALSE(f.find<QWidget>("figureProblem")->isVisible());
    CHECK(f.find<QPushButton>("figureExport")->isEnabled());
}

TEST_CASE("a file that exists is replaced only when asked for")
{
    Fixture f;
    f.click("output-pdf");
    QFile file(f.path("figure.svg"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("old");
    file.close();
    press("none");
    f.click("figureExport");
    CHECK(contents(f.path("figure.svg")) == "old");
    CHECK(f.dialog.isVisible());
    press("figureReplace");
    f.click("figureExport");
    CHECK(contents(f.path("figure.svg")).startsWith("<svg"));
}

TEST_CASE("a folder that cannot be written keeps the dialog open with the reason")
{
    Fixture f;
    f.dialog.setFile(f.path("no/such/figure"));
    f.click("figureExport");
    CHECK(f.dialog.isVisible());
    CHECK(f.find<QWidget>("figureProblem")->isVisible());
}

TEST_CASE("what could not be written is written when its folder is there")
{
    Fixture f;
    f.dialog.setFile(f.path("later/figure"));
    f.click("figureExport");
    REQUIRE(f.dialog.isVisible());
    CHECK(f.find<Band>("figureProblem")->text().startsWith(QStringLiteral("Not written:")));
    REQUIRE(QDir(f.folder.path()).mkdir(QStringLiteral("later")));
    f.click("figureExport");
    CHECK(f.dialog.result() == QDialog::Accepted);
    CHECK(contents(f.path("later/figure.pdf")).startsWith("%PDF"));
}

// A hidden ".pdf" was written, and "figure.pdf.pdf".
TEST_CASE("a file needs a name and a format, and an end that was typed is not written twice")
{
    Fixture f;
    auto* file = f.find<QLineEdit>("figureFile");
    const auto lacks = [&](const char* words) {
        settle();
        return !f.find<QPushButton>("figureExport")->isEnabled()
            && f.find<QWidget>("figureProblem")->isVisible()
            && f.find<Band>("figureProblem")->text().contains(QLatin1String(words));
    };
    file->clear();
    CHECK(lacks("needs a name"));
    file->setText(f.folder.path() + QLatin1Char('/'));
    CHECK(lacks("needs a name"));
    file->setText(f.path("typed.svg"));
    settle();
    CHECK_FALSE(f.find<QWidget>("figureProblem")->isVisible());
    f.click("output-pdf");
    f.click("output-svg");
    CHECK(lacks("choose a format"));
    f.click("output-svg");
    settle();
    CHECK(f.find<QLineEdit>("figureLatex")->text()
          == QStringLiteral("\\includesvg[width=\\columnwidth]{typed}"));
    f.click("figureExport");
    CHECK(QDir(f.folder.path()).entryList(QDir::Files) == QStringList(QStringLiteral("typed.svg")));
}

// It said that a run with memory had recorded none.
TEST_CASE("a schematic has no strip of memory, and the choice is there again with measured times")
{
    Fixture f({*sample::measured({"bitpipe", 4, 4})});
    auto* memory = f.find<QCheckBox>("content-memory");
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

TEST_CASE("where one of the files cannot be drawn none is written")
{
    Fixture f;
    f.click("output-png");
    f.find<QDoubleSpinBox>("figureWidth")->setValue(100);
    f.find<QDoubleSpinBox>("figureType")->setValue(72);
    f.find<QSpinBox>("figureDpi")->setValue(1200);
    f.click("figureExport");
    REQUIRE(f.dialog.isVisible());
    CHECK(f.find<Band>("figureProblem")->text().contains(QStringLiteral("pixels is too large")));
    CHECK(QDir(f.folder.path()).isEmpty());
    f.find<QSpinBox>("figureDpi")->setValue(72);
    f.click("output-png");
    f.click("figureExport");
    CHECK(f.dialog.result() == QDialog::Accepted);
}

TEST_CASE("the dialog remembers its last choices")
{
    Fixture f;
    f.find<QRadioButton>("palette-grey")->click();
    f.click("content-legend");
    f.click("figureExport");
    ExportDialog again(f.theme, Fixture::shared({tests::unitRun("1f1b", 4, 4)}));
    CHECK(again.findChild<QRadioButton*>(QStringLiteral("palette-grey"))->isChecked());
    CHECK_FALSE(again.findChild<QCheckBox*>(QStringLiteral("content-legend"))->isChecked());
    CHECK(again.findChild<QLineEdit*>(QStringLiteral("figureFile"))->text()
          == f.path("1f1b-d4-n4"));
}

TEST_CASE("runs in units and in milliseconds are compared as schematics")
{
    const Fixture f({tests::unitRun("1f1b", 4, 4), tests::measuredRun("bitpipe", 4, 4)});
    CHECK_FALSE(f.find<QWidget>("figureTimes")->isEnabled());
    CHECK(f.dialog.scene().title == "1F1B, D 4, N 4; BitPipe, D 4, N 4, v 2");
    CHECK_FALSE(f.find<QCheckBox>("content-memory")->isEnabled());
}

// Its measured times were drawn, which these runs do not share, and there was no way out.
TEST_CASE(
    "a preset that asks for what these runs do not have stays the preset, and is drawn without")
{
    Fixture first;
    first.click("content-memory");
    first.click("content-notes");
    name(QStringLiteral("all of it"));
    first.click("figureSavePreset");
    ExportDialog second(
        first.theme,
        Fixture::shared({tests::unitRun("1f1b", 4, 4), tests::measuredRun("bitpipe", 4, 4)}));
    second.findChild<QTimer*>(QStringLiteral("figureTyping"))->setInterval(0);
    second.show();
    auto* presets = second.findChild<QComboBox*>(QStringLiteral("figurePreset"));
    presets->setCurrentIndex(presets->findText(QStringLiteral("all of it")));
    Q_EMIT presets->activated(presets->currentIndex());
    settle();
    CHECK(presets->currentText() == QStringLiteral("all of it"));
    CHECK_FALSE(second.findChild<QWidget*>(QStringLiteral("figureProblem"))->isVisible());
    CHECK(second.scene().title == "1F1B, D 4, N 4; BitPipe, D 4, N 4, v 2");
}

TEST_CASE("a name that a preset has already is asked about")
{
    Fixture f;
    auto* presets = f.find<QComboBox>("figurePreset");
    const int publishers = presets->count();
    name(QStringLiteral("mine"));
    f.click("figureSavePreset");
    REQUIRE(presets->count() == publishers + 1);
    f.find<QDoubleSpinBox>("figureWidth")->setValue(4);
    settle();
    name(QStringLiteral(" mine "));
    press("none");
    f.click("figureSavePreset");
    CHECK(presets->currentText() == QStringLiteral("Other"));
    name(QStringLiteral("mine"));
    press("figureReplace");
    f.click("figureSavePreset");
    CHECK(presets->currentText() == QStringLiteral("mine"));
    CHECK(presets->count() == publishers + 1);
    CHECK(f.find<QDoubleSpinBox>("figureWidth")->value() == Approx(4));
}

TEST_CASE("a preset of one's own keeps every choice, comes back, and can be removed")
{
    Fixture f;
    auto* save = f.find<QPushButton>("figureSavePreset");
    auto* presets = f.find<QComboBox>("figurePreset");
    const int publishers = presets->count();
    f.find<QRadioButton>("palette-grey")->click();
    f.find<QDoubleSpinBox>("figureWidth")->setValue(5);
    name(QStringLiteral("my thesis / wide"));
    save->click();
    REQUIRE(presets->count() == publishers + 1);
    CHECK(presets->currentText() == QStringLiteral("my thesis / wide"));
    CHECK(save->text() == QStringLiteral("Remove preset"));

    f.find<QCheckBox>("content-legend")->click(); // no longer that preset
    CHECK(waitFor([&] { return presets->currentText() == QStringLiteral("Other"); }));
    presets->setCurrentIndex(0);
    Q_EMIT presets->activated(0);
    CHECK(f.find<QDoubleSpinBox>("figureWidth")->value() == Approx(3.33));
    const int own = presets->findText(QStringLiteral("my thesis / wide"));
    presets->setCurrentIndex(own);
    Q_EMIT presets->activated(own);
    CHECK(f.find<QDoubleSpinBox>("figureWidth")->value() == Approx(5));
    CHECK(f.find<QRadioButton>("palette-grey")->isChecked());
    CHECK(f.find<QCheckBox>("content-legend")->isChecked());
    CHECK(f.find<QLineEdit>("figureFile")->text() == f.path("figure"));

    REQUIRE(waitFor([&] { return save->text() == QStringLiteral("Remove preset"); }));
    save->click(); // else it would ask for a name
    CHECK(presets->count() == publishers);
    CHECK(save->text() == QStringLiteral("Save as preset"));
}

TEST_CASE("TikZ is one of the files, and alone it is what LaTeX inputs")
{
    Fixture f;
    for (const char* output : {"output-pdf", "output-svg"})
        if (f.find<QCheckBox>(output)->isChecked())
            f.find<QCheckBox>(output)->click();
    f.find<QCheckBox>("output-tikz")->click();
    CHECK(f.find<QLineEdit>("figureLatex")->text() == QStringLiteral("\\input{figure}"));
    f.find<QPushButton>("figureExport")->click();
    QFile file(f.path("figure.tex"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().contains("\\begin{tikzpicture}"));
}
