#include "tests/gui/studied.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>

namespace app {

TEST_CASE("ratios and charts are edited, and shown without another run")
{
    Studied study;
    study.run();
    study.waitForMap();
    auto* form = study.find<StudyForm>("studyForm");
    study.click("studyRatioAdd");
    auto* dialog = study.find<QDialog>("ratioDialog");
    auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("ratioName"));
    name->setFocus();
    QTest::keyClick(name, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(name, QStringLiteral("loss"));
    auto* ok = dialog->findChild<QPushButton*>(QStringLiteral("partOk"));
    CHECK_FALSE(ok->isEnabled()); // it is a metric
    CHECK(dialog->findChild<QLabel*>(QStringLiteral("partProblem"))
              ->text()
              .contains(QStringLiteral("not a column")));
    QTest::keyClick(name, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(name, QStringLiteral("slow_down"));
    QTest::keyClick(name, Qt::Key_Return);
    REQUIRE(form->study().ratios.size() == 1);
    CHECK(form->study().ratios.front().baseline
          == std::map<std::string, std::string>{{"scheme", "gpipe"}});
    CHECK(study.page->title() == QStringLiteral("Study \u2022"));
    CHECK_FALSE(study.summary().contains(QStringLiteral("not computed")));
    auto* map = study.find<QComboBox>("studyMapChart");
    CHECK(map->findText(QStringLiteral("Slow down")) >= 0);

    study.click("studyChartAdd");
    dialog = study.find<QDialog>("chartDialog");
    auto* kind = dialog->findChild<QComboBox*>(QStringLiteral("chartKind"));
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_H); // Heat map
    auto* value = dialog->findChild<QComboBox*>(QStringLiteral("chartY"));
    value->setCurrentIndex(value->findData(QStringLiteral("slow_down")));
    Q_EMIT value->activated(value->currentIndex());
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("partOk")), Qt::LeftButton);
    settle();
    REQUIRE(form->study().charts.size() == 1);
    CHECK(form->study().charts.front().kind == profiler::StudyChart::Kind::HeatMap);
    CHECK(form->study().charts.front().y == "slow_down");
    CHECK(map->findText(QStringLiteral("Iteration")) == 0); // the title of the chart
    CHECK(study.page->statusTexts().contains(QStringLiteral("20 points")));

    study.click("studyRatio0Remove"); // and the chart that shows it
    CHECK(form->study().ratios.empty());
    CHECK(form->study().charts.empty());
    CHECK(study.page->title() == QStringLiteral("Study"));
}

TEST_CASE("edits of a study are saved with Ctrl+S, or kept when it is closed")
{
    Studied study;
    const QString file = study.writeToml("[grid]\nmicro-batches = [4, 8]\n"
                                         "scheme = [\"gpipe\", \"1f1b\"]\n");
    study.page->open(file);
    study.waitForEnd();
    CHECK(study.page->title() == QStringLiteral("Study: own"));
    CHECK(study.page->queryClose()); // nothing is lost
    const auto answer = [&](const char* button) {
        QTimer::singleShot(0, study.page, [&study, button] {
            auto* dialog = study.page->findChild<QDialog*>(QStringLiteral("unsavedDialog"));
            REQUIRE(dialog != nullptr);
            QTest::mouseClick(dialog->findChild<QPushButton*>(QString::fromLatin1(button)),
                              Qt::LeftButton);
        });
    };
    study.find<QCheckBox>("studyScheme-zb-v")->click();
    CHECK(study.page->title() == QStringLiteral("Study: own \u2022"));
    answer("keepEditing");
    CHECK_FALSE(study.page->queryClose());
    answer("keepEditing");
    Q_EMIT study.find<StudyFrame>("studyFrame")->presetChosen(QStringLiteral("odd-devices"));
    CHECK(study.page->title() == QStringLiteral("Study: own \u2022"));
    answer("discardChanges");
    CHECK(study.page->queryClose());
    CHECK_FALSE(textOfFile(file).contains(QStringLiteral("zb-v")));
    study.window.activateWindow(); // the dialogs took it away
    REQUIRE(QTest::qWaitForWindowActive(&study.window, kNever));
    study.map()->setFocus();
    QTest::keyClick(study.map(), Qt::Key_S, Qt::ControlModifier);
    CHECK(textOfFile(file).contains(QStringLiteral("zb-v")));
    CHECK(study.page->title() == QStringLiteral("Study: own"));
    study.find<QCheckBox>("studyScheme-zb-h1")->click();
    answer("saveChanges");
    CHECK(study.page->queryClose());
    CHECK(textOfFile(file).contains(QStringLiteral("zb-h1")));
}

} // namespace app
