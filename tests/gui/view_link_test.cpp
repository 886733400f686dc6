#include "app/ui/settings.h"
#include "app/window/main_window.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMessageBox>
#include <QMimeData>
#include <QTemporaryDir>

namespace app {
namespace {

struct Window
{
    Window() { window.show(); }
    TimelineWidget* timeline()
    {
        auto* found = window.currentPage()->findChild<TimelineWidget*>(QStringLiteral("timeline"));
        REQUIRE(found != nullptr);
        REQUIRE(waitFor([&] { return found->iteration() >= 0; }));
        return found;
    }
    QString message()
    {
        auto* box = window.findChild<QMessageBox*>(QStringLiteral("linkMessage"));
        return box == nullptr ? QString() : box->text();
    }

    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
};

// A run whose view is zoomed and has a selected op; the link to it is in the clipboard.
struct Copied
{
    Copied()
        : opened(simulatedRun({"bitpipe", 4, 4, 2}))
        , timeline(opened.find<TimelineWidget>("timeline"))
    {
        REQUIRE(waitFor([&] { return opened.isRead() && timeline->iteration() >= 0; }));
        ViewLink first = timeline->viewLink();
        first.kind = Selection::Kind::Op;
        first.iteration = 0;
        REQUIRE(timeline->showLink(first));
        timeline->zoomToSelection();
        opened.find<QAction>("copyLink")->trigger();
    }
    QString link() const { return QGuiApplication::clipboard()->text(); }

    OpenedRun opened;
    TimelineWidget* timeline;
};

} // namespace

TEST_CASE("a copied link has a picture, and opens the same view in another window")
{
    const Copied copied;
    REQUIRE(isViewLink(copied.link()));
    CHECK(QGuiApplication::clipboard()->mimeData()->hasImage());
    Window other;
    other.window.findChild<QAction*>(QStringLiteral("openLink"))->trigger();
    TimelineWidget* shown = other.timeline();
    REQUIRE(waitFor([&] { return shown->selection().kind == Selection::Kind::Op; }));
    CHECK(shown->selection() == copied.timeline->selection());
    CHECK(other.message().isEmpty());
}

TEST_CASE("a link to an op that the run does not have shows its time and a message")
{
    const Copied copied;
    auto link = parseViewLink(copied.link());
    REQUIRE(link.has_value());
    link->op = 1'000'000;
    Window other;
    openLink(other.window, toText(*link));
    REQUIRE(
        waitFor([&] { return other.message().contains(QStringLiteral("does not have the op")); }));
    CHECK(other.timeline()->selection().kind == Selection::Kind::None);
}

TEST_CASE("the note of a link is shown as plain text")
{
    const Copied copied;
    auto link = parseViewLink(copied.link());
    REQUIRE(link.has_value());
    link->note = QStringLiteral("<b>late</b>");
    Window other;
    openLink(other.window, toText(*link));
    REQUIRE(waitFor([&] { return other.message() == QStringLiteral("<b>late</b>"); }));
    auto* box = other.window.findChild<QMessageBox*>(QStringLiteral("linkMessage"));
    CHECK(box->textFormat() == Qt::PlainText);
}

TEST_CASE("a text that is no link is refused, and a run that is not here is asked for")
{
    Window window;
    openLink(window.window, QStringLiteral("hello"));
    CHECK(window.message().contains(QStringLiteral("not a link to a run")));
    openLink(window.window, QStringLiteral("bubblescope:/nowhere/one.sqlite?from=0&to=5"));
    auto* dialog = window.window.findChild<QFileDialog*>(QStringLiteral("linkDialog"));
    REQUIRE(dialog != nullptr);
    CHECK(dialog->windowTitle().contains(QStringLiteral("one.sqlite")));
}

TEST_CASE("a link finds an open run of the same name if its path does not exist here")
{
    const Copied copied;
    auto link = parseViewLink(copied.link());
    REQUIRE(link.has_value());
    Window other;
    other.window.open({"run", {link->file}});
    other.timeline();
    link->file = QStringLiteral("/elsewhere/run.sqlite");
    openLink(other.window, toText(*link));
    TimelineWidget* shown = other.timeline();
    CHECK(waitFor([&] { return shown->selection() == copied.timeline->selection(); }));
}

} // namespace app
