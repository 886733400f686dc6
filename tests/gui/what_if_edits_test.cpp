#include "app/ui/form.h"
#include "app/whatif/what_if_page.h"
#include "engine/schedule/notation.h"
#include "profiler/store/trace_store.h"
#include "tests/gui/page_requests.h"
#include "tests/gui/what_if_tab.h"

#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QToolButton>

namespace app {
namespace {

// The page with the run's own order, and the last op of device 3 in it.
struct OwnOrderTab : WhatIfTab
{
    OwnOrderTab()
    {
        REQUIRE(waitFor([&] { return isPredicted(); }));
        auto* schemes = find<QComboBox>("whatIfScheme");
        schemes->setCurrentIndex(schemes->findData(kOwnOrder));
        Q_EMIT schemes->activated(schemes->currentIndex());
        REQUIRE(waitFor([&] {
            return isPredicted()
                && compare()->accessibleDescription().contains(QStringLiteral("Own order of "));
        }));
        settle();
    }
    CompareWidget* compare() const { return find<CompareWidget>("compare"); }
    // The iteration of the sentence, in ms.
    bool takes(const char* ms) const
    {
        return waitFor([&] {
            const QString time = QString::fromLatin1(ms);
            return sentence().startsWith(
                time == QStringLiteral("33.0")
                    ? QStringLiteral("The run's own order takes 33.0 ms, as recorded.")
                    : QStringLiteral("Own order would take %1 ms instead of 33.0").arg(time));
        });
    }
    QStringList edits() const
    {
        const QLayout* rows = find<QWidget>("whatIfEdits")->layout()->itemAt(1)->layout();
        QStringList texts; // of the rows; those that will be deleted are in no layout
        for (int row = 0; row < rows->count(); ++row)
            texts << rows->itemAt(row)->widget()->findChild<QLabel*>()->text();
        return texts;
    }
    Selection opNamed(const char* name) const
    {
        const RunView& view = *compare()->view(1);
        const engine::Op wanted = engine::parseOp(name).value();
        Selection selection;
        selection.kind = Selection::Kind::Op;
        selection.iteration = 0;
        while (view.op(selection.op).kind != wanted.kind
               || view.op(selection.op).stage != wanted.stage
               || view.op(selection.op).microBatch != wanted.microBatch)
            ++selection.op;
        selection.device = view.deviceOf(selection.op);
        selection.window = view.spanOf(selection.op, 0)->window();
        return selection;
    }
    void select(const char* name) const { compare()->select(1, opNamed(name)); }
    // A point of the predicted or the measured run, on a device at a time in ms.
    QPoint at(int device, double ms, std::size_t run = 1) const
    {
        const CompareRow& row = *compare()->rows().rowOf(run);
        return {static_cast<int>(140 + (ms - beginMs()) * pixelsPerMs()),
                static_cast<int>(26 + row.lanesTop + (device + 0.5) * row.pitch)};
    }
    // Of the comparison without zoom: the ruler has kCompareWhole parts of its longest run.
    double msPerPart() const
    {
        return compare()->rows().groups.front().longest / kCompareWhole / 1e6;
    }
    double beginMs() const { return compare()->inSight().begin * msPerPart(); }
    double pixelsPerMs() const
    {
        return (compare()->width() - 140 - 128) / (compare()->inSight().duration() * msPerPart());
    }
};

} // namespace

TEST_CASE("the prediction follows the dragged end of an op, and one undo restores it")
{
    const OwnOrderTab tab;
    auto* compare = tab.compare();
    const QPoint end = tab.at(3, 27); // of 3B7
    QTest::mouseMove(compare, end - QPoint(15, 0));
    CHECK(compare->cursor().shape() != Qt::SplitHCursor);
    QTest::mouseMove(compare, end);
    CHECK(compare->cursor().shape() == Qt::SplitHCursor);
    QTest::mousePress(compare, Qt::LeftButton, {}, end);
    QTest::mouseMove(compare, end + QPoint(static_cast<int>(tab.pixelsPerMs()), 0));
    const QPoint to = end + QPoint(static_cast<int>(2 * tab.pixelsPerMs()), 0);
    QTest::mouseMove(compare, to);
    QTest::mouseRelease(compare, Qt::LeftButton, {}, to);
    REQUIRE(waitFor([&] { return tab.isPredicted() && !tab.edits().isEmpty(); }));
    CHECK(tab.edits().size() == 1);
    CHECK(tab.edits().front().startsWith(QStringLiteral("3B7 × ")));
    REQUIRE(waitFor([&] {
        return tab.sentence().contains(QStringLiteral("take 35."))
            || tab.sentence().contains(QStringLiteral("take 34.9"));
    }));
    CHECK(tab.find<QLabel>("opTitle")->text() == QStringLiteral("3B7 on device 3"));
    tab.find<QAction>("undoEdit")->trigger();
    CHECK(tab.edits().isEmpty());
    CHECK(tab.takes("33.0"));
    tab.find<QAction>("redoEdit")->trigger();
    CHECK(tab.edits().size() == 1);
}

// Only ops of the lower timeline could be dragged.
TEST_CASE("an op is dragged in the measured timeline, and its prediction changes")
{
    const OwnOrderTab tab;
    auto* compare = tab.compare();
    const QPoint end = tab.at(3, 27, 0); // of 3B7
    QTest::mouseMove(compare, end);
    CHECK(compare->cursor().shape() == Qt::SplitHCursor);
    const RunViewPointer measured = compare->view(0);
    QTest::mousePress(compare, Qt::LeftButton, {}, end);
    const QPoint to = end + QPoint(static_cast<int>(2 * tab.pixelsPerMs()), 0);
    QTest::mouseMove(compare, to);
    QTest::mouseRelease(compare, Qt::LeftButton, {}, to);
    REQUIRE(waitFor([&] { return tab.isPredicted() && tab.edits().size() == 1; }));
    CHECK(tab.edits().front().startsWith(QStringLiteral("3B7 × ")));
    CHECK(compare->view(0) == measured);

    Selection op = tab.opNamed("3F5");
    compare->select(0, op);
    CHECK(tab.find<QLabel>("opTitle")->text() == QStringLiteral("3F5 on device 3"));
    compare->setFocus();
    QTest::keyClick(compare, Qt::Key_Greater);
    CHECK(tab.edits().size() == 2);
    CHECK(tab.edits().join(QLatin1Char(';')).contains(QStringLiteral("3F5 × 1.05")));
}

TEST_CASE("keys lengthen the selected op, and a duration is typed for all of its kind")
{
    const OwnOrderTab tab;
    CHECK_FALSE(tab.find<QAction>("lengthenOp")->isEnabled());
    tab.select("3F5");
    tab.compare()->setFocus();
    QTest::keyClick(tab.compare(), Qt::Key_Greater);
    CHECK(tab.edits() == QStringList{QStringLiteral("3F5 × 1.05")});
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    QTest::keyClick(tab.compare(), Qt::Key_Less);
    CHECK(tab.edits().isEmpty());
    REQUIRE(tab.takes("33.0"));

    auto* scope = tab.find<QComboBox>("opScope");
    scope->setCurrentIndex(1);
    CHECK(scope->currentText() == QStringLiteral("F on device 3"));
    auto* time = tab.find<QLineEdit>("opTime");
    REQUIRE(waitFor([&] { return time->text().startsWith(QStringLiteral("1.00")); }));
    time->setFocus();
    time->selectAll();
    QTest::keyClicks(time, QStringLiteral("2"));
    QTest::keyClick(time, Qt::Key_Return);
    CHECK(tab.edits() == QStringList{QStringLiteral("F on device 3 × 2")});
    CHECK(tab.takes("41.0"));

    time->selectAll();
    QTest::keyClicks(time, QStringLiteral("-1"));
    QTest::keyClick(time, Qt::Key_Return);
    CHECK(tab.find<QLabel>("opHint")->text()
          == QStringLiteral("-1 is not a duration; enter a positive number of ms."));
    time->setText(QStringLiteral("<1"));
    QTest::keyClick(time, Qt::Key_Return);
    CHECK(tab.find<QLabel>("opHint")->text().startsWith(QStringLiteral("<1 is not"))); // was &lt;
    CHECK(tab.edits().size() == 1);
}

TEST_CASE("Enter in a duration that was not changed is no edit")
{
    const OwnOrderTab tab;
    tab.select("3F5");
    auto* time = tab.find<QLineEdit>("opTime");
    for (const char* shown : {"1.05", "1.10", "1.16"}) { // the last is 1.157625
        tab.find<QAction>("lengthenOp")->trigger();
        REQUIRE(waitFor(
            [&] { return tab.isPredicted() && time->text().startsWith(QLatin1String(shown)); }));
    }
    const QStringList edits = tab.edits();
    REQUIRE(edits.size() == 1);
    time->setFocus();
    QTest::keyClick(time, Qt::Key_Return);
    CHECK(tab.edits() == edits);
}

TEST_CASE("a device and a link are slowed, and each edit is removed alone")
{
    const OwnOrderTab tab;
    auto* target = tab.find<QComboBox>("slowTarget");
    auto* factor = tab.find<HundredthsField>("slowFactor");
    target->setCurrentIndex(3);
    factor->setFocus();
    factor->selectAll();
    QTest::keyClicks(factor, QStringLiteral("2"));
    QTest::keyClick(factor, Qt::Key_Return);
    CHECK(tab.takes("57.0"));
    target->setCurrentIndex(target->findText(QStringLiteral("Link 2–3")));
    CHECK(factor->value() == 100);
    factor->setValue(300);
    tab.find<SpinField>("messageDelay")->setValue(500);
    CHECK(tab.edits()
          == QStringList{QStringLiteral("Device 3 × 2"), QStringLiteral("Link 2–3 × 3"),
                         QStringLiteral("Every message delayed by 500.0 µs")});
    for (const int left : {2, 1}) { // the link and the device were one step
        tab.find<QAction>("undoEdit")->trigger();
        CHECK(tab.edits().size() == left);
    }
    for (int k = 0; k < 2; ++k)
        tab.find<QAction>("redoEdit")->trigger();
    CHECK(tab.edits().size() == 3);
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    tab.find<QAction>("copyWhatIf")->trigger();
    CHECK(tab.find<Band>("whatIfNotice")
              ->text()
              .endsWith(QStringLiteral("--own-order --slow 3=2 --slow 2-3=3 --link-delay 500")));
    QTest::mouseClick(tab.find<QToolButton>("removeEdit2"), Qt::LeftButton);
    auto* first = tab.find<QWidget>("whatIfEdits")->findChildren<QToolButton*>().last();
    first->setFocus();
    QTest::keyClick(first, Qt::Key_Space);
    CHECK(tab.edits() == QStringList{QStringLiteral("Device 3 × 2")});
    CHECK(tab.takes("57.0"));
    QTest::mouseClick(tab.find<QPushButton>("resetEdits"), Qt::LeftButton);
    CHECK(tab.edits().isEmpty());
    CHECK(tab.takes("33.0"));
    tab.find<QAction>("undoEdit")->trigger(); // a reset can be undone
    CHECK(tab.edits().size() == 1);
}

// The field kept the new number, beside the bar of the old one.
TEST_CASE("undo restores the number of layers with their split")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* layers = tab.find<SpinField>("layers");
    auto* bar = tab.find<LayerBar>("layerBar");
    layers->setValue(32);
    QTest::keyClick(bar, Qt::Key_Plus);
    CHECK(bar->split() == LayerSplit{9, 7, 8, 8});
    layers->setValue(40);
    CHECK(bar->split() == LayerSplit{10, 10, 10, 10});
    tab.find<QAction>("undoEdit")->trigger();
    CHECK(layers->value() == 32);
    CHECK(bar->split() == LayerSplit{9, 7, 8, 8});
}

TEST_CASE("a prediction of the own order is saved with its edits and can be compared")
{
    OwnOrderTab tab;
    tab.select("3F5");
    auto* time = tab.find<QLineEdit>("opTime");
    time->setText(QStringLiteral("3"));
    QTest::keyClick(time, Qt::Key_Return);
    REQUIRE(tab.takes("35.0"));
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    const PageRequests asked(tab.page);
    settle();
    QTest::mouseClick(tab.find<QPushButton>("openPredictionButton"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return !asked.empty(); }));
    auto reader = profiler::TraceReader::open(asked.files("run").value(0).toStdString());
    REQUIRE(reader);
    engine::Run written;
    REQUIRE(reader->poll(written));
    CHECK(written.info.mode == engine::Mode::Simulate);
    CHECK(written.info.command.ends_with("--own-order --slow 3F5=3"));
    CHECK(written.info.label.starts_with("Own order of "));
    CHECK(written.timeline.iterations.front().window.duration() == 35'000'000);
    CHECK(profiler::compare({tab.page.document()->run().get(), &written}));
    QFile::remove(asked.files("run").value(0));
}

TEST_CASE("ops of another scheme are not edited")
{
    const OwnOrderTab tab;
    tab.select("3F5");
    CHECK(tab.find<QLineEdit>("opTime")->isEnabled());
    auto* schemes = tab.find<QComboBox>("whatIfScheme");
    schemes->setCurrentIndex(schemes->findData(QStringLiteral("gpipe")));
    Q_EMIT schemes->activated(schemes->currentIndex());
    CHECK_FALSE(tab.find<QLineEdit>("opTime")->isEnabled());
    CHECK_FALSE(tab.find<QAction>("lengthenOp")->isEnabled());
    CHECK(tab.find<QLabel>("opHint")->text().startsWith(QStringLiteral("Choose \"Own order\"")));
}

// The field ended at 4096, so that this run was predicted with half of its micro-batches.
TEST_CASE("a run of many micro-batches is predicted with all of them")
{
    const WhatIfTab tab(simulatedRun({"1f1b", 2, 8192, 3, true}));
    const auto field
        = [&] { return tab.page.findChild<SpinField*>(QStringLiteral("microBatches")); };
    REQUIRE(waitFor([&] { return field() != nullptr; }));
    CHECK(field()->value() == 8192);
}

} // namespace app
