#pragma once

#include "app/plan/schedule_preview.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "engine/schedules/scheme.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QTest>

namespace app {

// A set-up page on the screen, and hands for it.
struct Setup
{
    Setup()
    {
        page.resize(1600, 900);
        page.show();
    }
    template<class Widget>
    Widget* find(const char* name)
    {
        auto* widget = page.findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(widget != nullptr);
        return widget;
    }
    void press(const char* name) { QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton); }
    void type(const char* field, const char* digits)
    {
        auto* spin = find<SpinField>(field);
        spin->setFocus();
        spin->selectAll();
        QTest::keyClicks(spin, QString::fromLatin1(digits));
    }
    // Every scheme is in the table, with its numbers or its reason.
    bool isTableAnswered()
    {
        const auto* model
            = qobject_cast<const SchemeTableModel*>(find<DataTable>("schemeTable")->model());
        if (model == nullptr || model->rowCount() != static_cast<int>(engine::schemes().size()))
            return false;
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->at(row).prediction() == nullptr && model->at(row).reason().isEmpty())
                return false;
        return true;
    }
    QString verdict() { return find<Band>("verdict")->text(); }
    QString value(int item) { return find<KeyNumbers>("keyNumbers")->items().at(item).value; }

    ThemeController theme;
    std::unique_ptr<SetupPage> made{SetupPage::make(theme)};
    SetupPage& page = *made;
};

} // namespace app
