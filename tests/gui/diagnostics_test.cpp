#include "app/ui/controls.h"
#include "app/ui/message_log.h"
#include "app/ui/settings.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

namespace app {
namespace {

struct HelpWindow
{
    HelpWindow() { window.show(); }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = window.findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }

    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
};

QString textOf(const QString& file)
{
    QFile opened(file);
    REQUIRE(opened.open(QIODevice::ReadOnly));
    return QString::fromUtf8(opened.readAll());
}

} // namespace

TEST_CASE("names of the user and of the machine are replaced where they are whole words")
{
    const QByteArray user = qgetenv("USER");
    qputenv("USER", "gretel");
    CHECK(withoutNames(QStringLiteral("/srv/gretel/run, gretelson, ") + QDir::homePath()
                       + QStringLiteral("/runs"))
          == QStringLiteral("/srv/USER/run, gretelson, ~/runs"));
    qputenv("USER", user);
}

TEST_CASE("diagnostics show what they write, and write just that into a new folder")
{
    HelpWindow w;
    w.settings.addRecent({w.folder.filePath(QStringLiteral("secret-run.sqlite")), {}, {}, {}});
    keepError(QStringLiteral("The disk of %1 is full.").arg(QDir::homePath()));
    w.find<QAction>("diagnostics")->trigger();
    auto* dialog = w.find<HelpDialog>("helpDialog");
    auto* files = w.find<QListWidget>("diagnosticsFiles");
    auto* text = w.find<QTextBrowser>("diagnosticsText");
    REQUIRE(files->count() == 5);
    CHECK(files->currentRow() == static_cast<int>(HelpDialog::Topic::Messages));
    files->setCurrentRow(1);
    CHECK(text->toPlainText().contains(QStringLiteral("Qt: ") + QString::fromLatin1(qVersion())));
    files->setCurrentRow(2);
    REQUIRE(waitFor([&] { return text->toPlainText().startsWith(QStringLiteral("cpu ")); }));
    files->setCurrentRow(4);
    CHECK(text->toPlainText().contains(QStringLiteral("The disk of ~ is full.")));
    w.find<QCheckBox>("diagnosticsNames")->click();
    CHECK(text->toPlainText().contains(QDir::homePath()));

    dialog->saveIn(w.folder.filePath(QStringLiteral("missing")));
    CHECK(w.find<QWidget>("diagnosticsProblem")->isVisible());
    dialog->saveIn(w.folder.path());
    const QStringList folders = QDir(w.folder.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    REQUIRE(folders.size() == 1);
    const QDir written(w.folder.filePath(folders.front()));
    CHECK(written.entryList(QDir::Files).size() == 4);
    for (const QString& name : written.entryList(QDir::Files))
        CHECK_FALSE(textOf(written.filePath(name)).contains(QStringLiteral("secret-run")));
    auto* notice = w.find<Band>("notice");
    REQUIRE(notice->isVisible());
    CHECK(notice->text().startsWith(QStringLiteral("4 files saved. about.txt")));
    QTest::mouseClick(w.find<QPushButton>("noticeAction"), Qt::LeftButton);
    // The offscreen platform has no file manager.
    CHECK(notice->text().startsWith(QStringLiteral("The folder was not opened.")));
    CHECK(notice->text().contains(written.path()));
}

TEST_CASE("a trace is exported as JSON or CSV by its name, and the notice names the file")
{
    HelpWindow w;
    const QString run = w.folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(run.toStdString(), simulatedRun({})).has_value());
    w.window.open({"run", {run}});
    auto* page = w.window.currentPage();
    REQUIRE(waitFor([&] { return page->document()->state() == RunDocument::State::Finished; }));
    for (const auto& [name, begin] : {std::pair("trace.json", "{"), std::pair("spans.csv", "")}) {
        const QString file = w.folder.filePath(QString::fromLatin1(name));
        w.find<QAction>("exportTrace")->trigger();
        auto* dialog = w.find<QFileDialog>("saveDialog");
        Q_EMIT dialog->fileSelected(file);
        delete dialog;
        REQUIRE(waitFor([&] { return w.find<Band>("notice")->isVisible(); }));
        CHECK(w.find<Band>("notice")->text().contains(QString::fromLatin1(name)));
        CHECK(textOf(file).startsWith(QString::fromLatin1(begin)));
        CHECK(textOf(file).count(QLatin1Char('\n')) > 10);
        w.find<QPushButton>("closeNotice")->click();
    }
    CHECK(textOf(w.folder.filePath(QStringLiteral("spans.csv"))).contains(QLatin1Char(',')));

    // The trace had only the iterations that were read.
    const auto document = w.window.library().open(run);
    RunProgress progress;
    progress.read = 0.5;
    document->setProgress(progress);
    document->setState(RunDocument::State::Loading);
    w.find<QAction>("exportTrace")->trigger();
    CHECK(w.find<Band>("notice")->text().contains(QStringLiteral("not been read yet")));
}

} // namespace app
