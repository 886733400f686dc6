#include "tests/gui/exporting.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QRadioButton>

using namespace app;

// Its measured times were drawn, which these runs do not share, and there was no way out.
TEST_CASE(
    "a preset that asks for what these runs do not have stays the preset, and is drawn without")
{
    Exporting first;
    first.click("figureMemory");
    first.click("figureNotes");
    name(QStringLiteral("all of it"));
    first.click("figureSavePreset");
    ExportDialog second(
        first.theme,
        Exporting::shared({tests::unitRun("1f1b", 4, 4), tests::measuredRun("bitpipe", 4, 4)}));
    second.findChild<QTimer*>(QStringLiteral("figureTyping"))->setInterval(0);
    second.show();
    auto* presets = second.findChild<QComboBox*>(QStringLiteral("figurePreset"));
    presets->setCurrentIndex(presets->findText(QStringLiteral("all of it")));
    Q_EMIT presets->activated(presets->currentIndex());
    settle();
    CHECK(presets->currentText() == QStringLiteral("all of it"));
    CHECK_FALSE(second.findChild<QWidget*>(QStringLiteral("figureProblem"))->isVisible());
    CHECK(second.scene().title == "1F1B, D = 4, N = 4; BitPipe, D = 4, N = 4, v = 2");
}

TEST_CASE("a name that a preset has already is asked about")
{
    Exporting f;
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

TEST_CASE("a user's preset stores every setting, is loaded again, and can be removed")
{
    Exporting f;
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

    f.find<QCheckBox>("figureNoLegend")->click(); // no longer that preset
    CHECK(waitFor([&] { return presets->currentText() == QStringLiteral("Other"); }));
    presets->setCurrentIndex(0);
    Q_EMIT presets->activated(0);
    CHECK(f.find<QDoubleSpinBox>("figureWidth")->value() == Approx(3.33));
    const int own = presets->findText(QStringLiteral("my thesis / wide"));
    presets->setCurrentIndex(own);
    Q_EMIT presets->activated(own);
    CHECK(f.find<QDoubleSpinBox>("figureWidth")->value() == Approx(5));
    CHECK(f.find<QRadioButton>("palette-grey")->isChecked());
    CHECK(f.find<QCheckBox>("figureNoLegend")->isChecked());
    CHECK(f.find<QLineEdit>("figureFile")->text() == f.path("figure"));

    REQUIRE(waitFor([&] { return save->text() == QStringLiteral("Remove preset"); }));
    save->click(); // else it would ask for a name
    CHECK(presets->count() == publishers);
    CHECK(save->text() == QStringLiteral("Save as preset"));
}
