#pragma once

#include "app/pages/setup_page.h"
#include "app/widgets/band.h"
#include "app/widgets/key_numbers.h"
#include "app/widgets/spin_field.h"
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
    QString verdict() { return find<Band>("verdict")->text(); }
    QString value(int item) { return find<KeyNumbers>("keyNumbers")->items().at(item).value; }

    ThemeController theme;
    SetupPage page{theme};
};

} // namespace app
