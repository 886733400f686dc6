#include "app/compare/compare_page.h"
#include "app/shell/run_saver.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QFileDialog>
#include <QMessageBox>

using namespace app;

namespace {

QString savedText(const QString& file)
{
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? QString::fromUtf8(read.readAll()) : QString();
}

// Answers the file dialog of an action.
void save(const QWidget& page, const char* action, const QString& file)
{
    page.findChild<QAction*>(QString::fromLatin1(action))->trigger();
    auto* dialog = page.findChild<QFileDialog*>(QStringLiteral("saveDialog"));
    REQUIRE(dialog != nullptr);
    Q_EMIT dialog->fileSelected(file);
    dialog->close();
}

} // namespace

TEST_CASE("a selected range is saved as a run, which is opened")
{
    OpenedRun run(simulatedRun({"1f1b", 4, 8, 2}));
    REQUIRE(waitFor([&] { return run.isRead() && run.summaryRows() == 5; }));
    auto* action = run.find<QAction>("savePart");
    CHECK_FALSE(action->isEnabled()); // nothing is selected
    Selection range;
    range.kind = Selection::Kind::Range;
    range.iteration = 1;
    range.window = run.document->run()->timeline.iterations[1].window;
    run.find<TimelineWidget>("timeline")->select(range);
    REQUIRE(action->isEnabled());
    QStringList opened;
    QObject::connect(run.page.get(), &Page::pageRequested,
                     [&](const PageRequest& asked) { opened += asked.files; });
    const QString file = run.folder.file("part.sqlite");
    save(*run.page, "savePart", file);
    REQUIRE(waitFor([&] { return opened == QStringList(file); }));
    const auto part = profiler::readRun(file.toStdString());
    REQUIRE(part);
    CHECK(part->timeline.iterations.size() == 1);
    CHECK(part->timeline.iterations[0].window == range.window);
    QFile::remove(file);
}

TEST_CASE("the run itself is never replaced by its part, and the user is told why")
{
    OpenedRun run(simulatedRun({"1f1b", 2, 2, 2}));
    REQUIRE(waitFor([&] { return run.isRead() && run.summaryRows() == 3; }));
    Selection range;
    range.kind = Selection::Kind::Range;
    range.window = run.document->run()->timeline.iterations[0].window;
    run.find<TimelineWidget>("timeline")->select(range);
    save(*run.page, "savePart", run.document->file());
    QMessageBox* box = nullptr;
    REQUIRE(waitFor([&] {
        box = run.page->findChild<QMessageBox*>(QStringLiteral("notSaved"));
        return box != nullptr;
    }));
    CHECK(box->text().contains(QStringLiteral("is an input of this command")));
    box->close();
    CHECK(profiler::readRun(run.document->file().toStdString())->timeline.iterations.size() == 2);
}

TEST_CASE("the report of a run, and of a comparison, is one page")
{
    OpenedRun run(simulatedRun({"1f1b", 4, 8, 2}));
    REQUIRE(waitFor([&] { return run.isRead() && run.summaryRows() == 5; }));
    const QString file = run.folder.file("report.html"), both = run.folder.file("both.html");
    save(*run.page, "exportReport", file);
    REQUIRE(waitFor([&] { return savedText(file).contains(QStringLiteral("</html>")); }));
    CHECK(savedText(file).contains(QStringLiteral("<h2>Devices</h2>")));
    const std::unique_ptr<Page> page(makeComparison(
        run.theme, run.library, {run.document, run.library.add(simulatedRun({"gpipe", 4, 8}))}));
    page->show();
    auto* action = page->findChild<QAction*>(QStringLiteral("exportReport"));
    REQUIRE(waitFor([&] { return action->isEnabled(); }));
    save(*page, "exportReport", both);
    REQUIRE(waitFor([&] { return savedText(both).contains(QStringLiteral("</html>")); }));
    CHECK(savedText(both).contains(QStringLiteral("<h1>Comparison</h1>")));
    QFile::remove(file);
    QFile::remove(both);
}
