#include "app/estimator/estimator_page.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/window/main_window.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace app {
namespace {

struct Estimate
{
    Estimate()
    {
        window.resize(1600, 1000);
        window.show();
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
        window.findChild<QAction*>(QStringLiteral("estimator"))->trigger();
        page = window.currentPage();
        REQUIRE(page->objectName() == QStringLiteral("estimatorPage"));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    QString cell(int row, int column) const
    {
        return find<DataTable>("estimatorTable")->model()->index(row, column).data().toString();
    }
    QString verdict() const { return find<Band>("estimatorVerdict")->text(); }
    void type(const char* field, const char* text) const
    {
        auto* edit = find<QLineEdit>(field);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QString::fromLatin1(text));
    }

    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
    Page* page = nullptr;
};

constexpr int kSpeedUp = 5, kWithout = 7, kWith = 8; // columns

} // namespace

TEST_CASE("the estimator opens from its menu, once, with the published case of GPT-3 96B")
{
    Estimate estimate;
    CHECK(estimate.verdict().startsWith(QStringLiteral("Yes: b = 2 with BPipe is 1.27 times")));
    CHECK(estimate.cell(1, kSpeedUp) == QStringLiteral("1.27×"));
    CHECK(estimate.find<QAbstractButton>("estimatorCase0")->isChecked());
    estimate.window.open({"setup"});
    estimate.window.open({"estimator"});
    CHECK(estimate.window.currentPage() == estimate.page);
    REQUIRE(estimate.window.tabs().close(estimate.page));
    estimate.window.open({"estimator"}); // the closed page is not deleted yet
    CHECK(estimate.window.currentPage() != estimate.page);
    estimate.page = estimate.window.currentPage();
    CHECK(estimate.page->objectName() == QStringLiteral("estimatorPage"));
    const auto* published = estimate.find<DataTable>("estimatorPublished")->model();
    REQUIRE(waitFor([&] { return published->rowCount() >= 3; }));
    QString cases;
    for (int row = 0; row < published->rowCount(); ++row) {
        cases += published->index(row, 0).data().toString();
        CHECK(published->index(row, 3).data().toString().endsWith(QStringLiteral("✓")));
    }
    CHECK(cases.contains(QStringLiteral("LLaMA 65B")));
}

// "78.3  over by 3.0" had a black number, which the mockup has in red.
TEST_CASE("memory over the capacity is marked in its number, too")
{
    const Estimate estimate;
    const auto* model = estimate.find<DataTable>("estimatorTable")->model();
    const auto exceeds = [model](int row, int column) {
        return model->index(row, column).data(kExceedsRole).toBool();
    };
    CHECK_FALSE(exceeds(0, kWithout));
    CHECK(exceeds(1, kWithout));
    CHECK_FALSE(exceeds(1, kWith));
    CHECK(exceeds(2, kWith));
}

TEST_CASE("a click on a published case sets all fields, and an edit unmarks it")
{
    Estimate estimate;
    auto* llama = estimate.find<QAbstractButton>("estimatorCase1");
    QTest::mouseClick(llama, Qt::LeftButton);
    CHECK(llama->isChecked());
    CHECK(estimate.find<QComboBox>("estimatorModel")->currentText() == QStringLiteral("llama-65b"));
    CHECK(estimate.find<QLineEdit>("estimatorMicroBatchSize")->text() == QStringLiteral("2,4"));
    CHECK(estimate.cell(1, kSpeedUp) == QStringLiteral("0.93×"));
    CHECK(estimate.verdict().startsWith(QStringLiteral("No:")));
    auto* batch = estimate.find<SpinField>("estimatorGlobalBatch");
    batch->setFocus();
    QTest::keyClick(batch, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(batch, QStringLiteral("256"));
    CHECK_FALSE(llama->isChecked());
    CHECK(estimate.cell(0, 1) == QStringLiteral("128")); // N = 256 / 2
    QTest::mouseClick(estimate.find<QPushButton>("estimatorResetButton"), Qt::LeftButton);
    CHECK(estimate.find<QAbstractButton>("estimatorCase0")->isChecked());
}

TEST_CASE("an invalid field of the estimator is named, and the next valid text is estimated")
{
    Estimate estimate;
    estimate.type("estimatorMicroBatchSize", "1, x");
    CHECK(estimate.verdict().startsWith(
        QStringLiteral("No estimate. Micro-batches b x: give sequences from 1")));
    CHECK(estimate.find<DataTable>("estimatorTable")->model()->rowCount() == 0);
    CHECK_FALSE(estimate.find<QPushButton>("estimatorSimulateButton")->isEnabled());
    estimate.type("estimatorMicroBatchSize", "1, 3");
    CHECK(estimate.verdict().contains(QStringLiteral("Batch 128 is not divisible")));
    estimate.type("estimatorMicroBatchSize", "1, 8");
    CHECK(estimate.cell(1, 0) == QStringLiteral("8"));
    CHECK(estimate.find<DataTable>("estimatorTable")->currentIndex().row() == 1); // as before
    CHECK(estimate.find<QPushButton>("estimatorSimulateButton")->isEnabled());
}

TEST_CASE("typed stage MFUs start with those of the roofline and replace them")
{
    Estimate estimate;
    auto* from = estimate.find<SegmentControl>("estimatorMfuFrom");
    from->setFocus();
    QTest::keyClick(from, Qt::Key_Right);
    auto* field = estimate.find<QLineEdit>("estimatorStageMfu");
    CHECK(field->isEnabled());
    CHECK(field->text().startsWith(estimate.cell(0, 2)));
    estimate.type("estimatorStageMfu", "40, 40, 40");
    CHECK(estimate.cell(1, 2) == QStringLiteral("40.0"));
    CHECK(estimate.cell(1, kSpeedUp) == QStringLiteral("0.95×"));
}

TEST_CASE("the keys choose a micro-batch size, whose memory is simulated")
{
    Estimate estimate;
    auto* table = estimate.find<DataTable>("estimatorTable");
    const auto isShown = [&](const char* peak) {
        return estimate.find<QWidget>("estimatorMemory")
            ->accessibleName()
            .contains(QString::fromLatin1(peak));
    };
    const auto peakOf = [&](int row) {
        return (QStringLiteral("1F1B, without BPipe, GiB per device: ") + estimate.cell(row, 7))
            .toLatin1();
    };
    REQUIRE(waitFor([&] { return isShown(peakOf(1).constData()); }));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Down);
    REQUIRE(waitFor([&] { return isShown(peakOf(2).constData()); }));
    CHECK(estimate.find<QPushButton>("estimatorSimulateButton")->text()
          == QStringLiteral("Simulate b = 4"));
    CHECK(table->model()
              ->index(2, 7)
              .data(kDifferenceRole)
              .toString()
              .startsWith(QStringLiteral("over by")));
}

// The device of the last successful simulation was still named.
TEST_CASE("no device is the fullest if the memory cannot be simulated")
{
    Estimate estimate;
    const auto* hint = estimate.find<QLabel>("estimatorMemoryHint");
    REQUIRE(waitFor([&] { return hint->text().contains(QStringLiteral("fullest")); }));
    EstimateRequest request; // its times are more than 2^61 ns
    request.source.model = "gpt-1t";
    request.source.hardware = "rtx-3090";
    request.devices = 16;
    request.globalBatch = 1 << 24;
    request.sizes = {262144};
    estimate.page->restoreState(
        {{QStringLiteral("estimate"), fieldTexts(profiler::estimateFields(), request)}});
    CHECK(waitFor([&] { return hint->text().isEmpty(); }));
    CHECK(estimate.find<DataTable>("estimatorTable")->model()->rowCount() == 1); // an answer
}

TEST_CASE("the estimator copies its command and table, and simulates a size in a set-up page")
{
    Estimate estimate;
    QTest::mouseClick(estimate.find<QPushButton>("estimatorCommandButton"), Qt::LeftButton);
    CHECK(QGuiApplication::clipboard()->text().startsWith(
        QStringLiteral("bscope estimate bpipe --devices 8")));
    QTest::mouseClick(estimate.find<QPushButton>("estimatorCopyTableButton"), Qt::LeftButton);
    CHECK(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("b,N,")));
    QTest::keyClick(estimate.find<DataTable>("estimatorTable"), Qt::Key_Return,
                    Qt::ControlModifier);
    const auto* setup = qobject_cast<SetupPage*>(estimate.window.currentPage());
    REQUIRE(setup != nullptr);
    const RunPlan& plan = setup->plan();
    CHECK(plan.experiment.schedule.scheme == "bpipe");
    CHECK(plan.experiment.schedule.microBatches == 64);
    CHECK(plan.source.kind == CostSource::Kind::Hardware);
    CHECK(plan.source.setup.microBatchSize == 2);
    CHECK(plan.source.setup.tensorParallel == 4);
}

TEST_CASE("a narrow window hides the sources of the estimator until they are asked for")
{
    Estimate estimate;
    auto* dock = estimate.find<QWidget>("estimatorDock");
    CHECK(dock->isVisible());
    estimate.window.resize(960, 640);
    REQUIRE(waitFor([&] { return !dock->isVisible(); }));
    const auto* form = estimate.find<QWidget>("estimatorForm");
    CHECK(form->isVisible());
    estimate.find<QAction>("estimatorShowSources")->trigger();
    CHECK(dock->isVisible());
    CHECK_FALSE(form->isVisible()); // instead of it
    estimate.window.resize(1600, 1000);
    REQUIRE(waitFor([&] { return form->isVisible(); }));
    CHECK(dock->isVisible());
}

} // namespace app
