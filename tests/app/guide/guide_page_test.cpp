#include "app/guide/guide_page.h"
#include "app/ui/theme.h"
#include "tests/catch.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTextBrowser>

using namespace app;

TEST_CASE("the guide opens the chapter about a page, and the page that a chapter is about")
{
    ThemeController theme;
    const std::unique_ptr<Page> made(makeGuide(theme));
    Page& page = *made;
    const auto* text = page.findChild<QTextBrowser*>(QStringLiteral("guideText"));
    const auto* sections = page.findChild<QListWidget*>(QStringLiteral("guideSections"));
    page.resize(960, 640);
    page.show();
    CHECK(text->lineWrapColumnOrWidth() <= text->viewport()->width());
    CHECK(text->toPlainText().startsWith(QStringLiteral("First run\n")));
    CHECK(sections->item(0)->text() == QStringLiteral("In the window"));

    CHECK(chapterAbout(QStringLiteral("query")) == QStringLiteral("first-run"));
    PageRequest request;
    request.text = chapterAbout(QStringLiteral("search"));
    page.showRequest(request);
    CHECK(text->toPlainText().startsWith(QStringLiteral("Searching a schedule\n")));
    QSignalSpy opened(&page, &Page::pageRequested);
    page.findChild<QPushButton*>(QStringLiteral("guideShow"))->click();
    REQUIRE(opened.count() == 1);
    CHECK(opened.first().first().value<PageRequest>().kind == std::string("search"));

    const std::unique_ptr<Page> restored(makeGuide(theme));
    restored->restoreState(page.state());
    CHECK(restored->state() == page.state());
}

TEST_CASE("a search of the guide lists the chapters that have the text and marks it")
{
    ThemeController theme;
    const std::unique_ptr<Page> made(makeGuide(theme));
    Page& page = *made;
    page.findChild<QLineEdit*>(QStringLiteral("guideSearch"))
        ->setText(QStringLiteral("dump_pp_data"));
    const auto* chapters = page.findChild<QListWidget*>(QStringLiteral("guideChapters"));
    QStringList listed;
    for (int i = 0; i < chapters->count(); ++i)
        if (!chapters->item(i)->isHidden())
            listed.append(chapters->item(i)->text());
    CHECK(listed == QStringList{QStringLiteral("Recording traces")});
    const auto* text = page.findChild<QTextBrowser*>(QStringLiteral("guideText"));
    CHECK(text->textCursor().selectedText() == QStringLiteral("dump_pp_data"));
}
