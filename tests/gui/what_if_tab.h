#pragma once

#include "app/compare/compare_widget.h"
#include "app/documents/run_library.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/whatif/what_if_page.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace app {

// 1F1B, D = 4, N = 8, F = 1 ms, B = 2 ms: 33 ms.
inline engine::Run measuredRun()
{
    return simulatedRun({"1f1b", 4, 8, 3, true});
}

struct WhatIfTab
{
    explicit WhatIfTab(engine::Run run = measuredRun())
        : owned(makeWhatIf(theme, library, library.add(std::move(run))))
    {
        page.resize(1600, 910);
        page.show();
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page.findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    bool isPredicted() const
    {
        return find<QAction>("openPrediction")->isEnabled()
            && find<QLabel>("whatIfProgress")->text().isEmpty();
    }
    QString sentence() const { return find<Band>("whatIfSentence")->text(); }
    QAbstractItemModel* table() const { return find<DataTable>("whatIfTable")->model(); }
    QPoint centreOf(const char* name, int row, int column) const
    {
        const auto* view = find<DataTable>(name);
        return view->visualRect(view->model()->index(row, column)).center();
    }
    void type(const char* text) const
    {
        auto* editor = find<QLineEdit>("costEditor");
        editor->selectAll();
        QTest::keyClicks(editor, QString::fromLatin1(text));
        QTest::keyClick(editor, Qt::Key_Return);
        settle();
    }

    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<Page> owned;
    Page& page = *owned;
};

} // namespace app
