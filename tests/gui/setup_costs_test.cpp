#include "app/plan/cost_form.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "profiler/store/trace_store.h"
#include "tests/app/sample_run.h"
#include "tests/gui/setup.h"

#include <QComboBox>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

namespace app {
namespace {

void takeSource(Setup& setup, CostSource::Kind kind)
{
    setup.find<SegmentControl>("costSource")->setCurrent(static_cast<int>(kind));
}

QString header(Setup& setup, SchemeTableModel::Column column)
{
    const auto* table = setup.find<DataTable>("schemeTable");
    return table->model()->headerData(static_cast<int>(column), Qt::Horizontal).toString();
}

} // namespace

TEST_CASE("costs of a model on hardware turn the prediction into time and bytes")
{
    Setup setup;
    const auto* table = setup.find<DataTable>("schemeTable");
    const int memory = static_cast<int>(SchemeTableModel::Column::Memory);
    CHECK(setup.find<QWidget>("costForward")->isVisible());
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    CHECK(table->isColumnHidden(memory));
    takeSource(setup, CostSource::Kind::Hardware);
    CHECK_FALSE(setup.find<QWidget>("costForward")->isVisible()); // units say nothing now
    const auto items = setup.find<KeyNumbers>("keyNumbers")->items();
    CHECK(items.at(0).unit == QStringLiteral("ms"));
    CHECK(items.at(3).title == QStringLiteral("Peak memory"));
    CHECK(items.at(3).unit == QStringLiteral("GiB"));
    CHECK(setup.find<QLabel>("costsText")->text().contains(QStringLiteral("gpt3-96b on")));
    REQUIRE(waitFor([&] {
        return header(setup, SchemeTableModel::Column::Iteration).endsWith(u"s")
            && !header(setup, SchemeTableModel::Column::Iteration).endsWith(u"units");
    }));
    CHECK_FALSE(table->isColumnHidden(memory));
    // The table had seconds below milliseconds, and did not say which schemes fit.
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    CHECK(waitFor([&] {
        return header(setup, SchemeTableModel::Column::Iteration)
            == QStringLiteral("Iteration, ms");
    }));
    const int fits = static_cast<int>(SchemeTableModel::Column::Fits);
    CHECK_FALSE(table->isColumnHidden(fits));
    CHECK(header(setup, SchemeTableModel::Column::Fits) == QStringLiteral("75.24 GiB"));
    CHECK(waitFor([&] {
        return table->model()->index(0, fits).data().toString() == QStringLiteral("over");
    }));

    const QString before = items.at(3).value;
    setup.find<QSpinBox>("costTensorParallel")->setValue(8);
    CHECK(setup.find<KeyNumbers>("keyNumbers")->items().at(3).value != before);
    CHECK(setup.page.plan().source.setup.tensorParallel == 8);

    takeSource(setup, CostSource::Kind::Units);
    CHECK(setup.value(0) == QStringLiteral("27"));
    CHECK(setup.find<QWidget>("costForward")->isVisible());
}

TEST_CASE("a recorded run brings its sizes along, predicts as it was, and is refused for other "
          "stages")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("one.sqlite"));
    const auto run = sample::measured({"1f1b", 4, 16});
    REQUIRE(profiler::writeRun(file.toStdString(), *run));
    Setup setup;
    setup.press("scheme_1f1b");
    takeSource(setup, CostSource::Kind::Recorded);
    CHECK(setup.verdict().contains(QStringLiteral("no recorded run is selected")));
    setup.find<CostForm>("costForm")->takeRun(file);
    const auto takes = [&] { return setup.page.plan().source.run != nullptr; };
    REQUIRE(waitFor(takes));
    CHECK(setup.page.plan().experiment.schedule.microBatches == 16);
    CHECK(setup.find<QSpinBox>("microBatches")->value() == 16);
    CHECK(setup.verdict().startsWith(QStringLiteral("Valid.")));
    const auto duration = run->timeline.iterations.back().window.duration();
    CHECK(setup.value(0) == timeScale(run->info, duration).text(static_cast<double>(duration)));
    CHECK(setup.find<QLabel>("costsText")->text().contains(QStringLiteral("one.sqlite")));

    setup.press("scheme_bitpipe"); // eight stages, not four
    CHECK(setup.verdict().startsWith(QStringLiteral("Not predicted.")));
    setup.find<CostForm>("costForm")->takeRun(folder.filePath(QStringLiteral("none.sqlite")));
    auto* hint = setup.find<QLabel>("costRunHint");
    CHECK(waitFor([&] { return hint->text().contains(QStringLiteral("does not exist")); }));
}

TEST_CASE("settings for GPU runs are disabled elsewhere, with the reason")
{
    Setup setup;
    setup.press("moreTraining");
    auto* transport = setup.find<QComboBox>("transport");
    auto* graphs = setup.find<QComboBox>("graphs");
    auto* reason = setup.find<QLabel>("gpuOptionsReason");
    CHECK_FALSE(graphs->isEnabled());
    CHECK(reason->text().contains(QStringLiteral("only for runs on GPUs")));
    setup.find<QComboBox>("backend")->setCurrentIndex(1);
    CHECK(graphs->isEnabled());
    CHECK_FALSE(transport->isEnabled());
    CHECK(reason->text().contains(QStringLiteral("only for live runs")));
    setup.find<SegmentControl>("mode")->setCurrent(2);
    CHECK(transport->isEnabled());
    CHECK_FALSE(reason->isVisible());
    transport->setCurrentIndex(1);
    graphs->setCurrentIndex(0);
    CHECK(
        commandText(setup.page.plan()).contains(QStringLiteral("--transport local --graphs off")));
    const bool hasDriver = deviceFacts().hasNvidiaDriver;
    CHECK(setup.find<QLabel>("backendHint")->isVisible() == !hasDriver);
    CHECK(setup.find<QAbstractButton>("run")->isEnabled() == hasDriver);
    CHECK(setup.find<QAbstractButton>("copy")->isEnabled()); // for a machine that has GPUs
}

} // namespace app
