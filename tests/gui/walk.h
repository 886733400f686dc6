#pragma once

#include "app/shell/page.h"
#include "tests/catch.h"

#include <QAccessible>
#include <QApplication>
#include <QRadioButton>
#include <QTest>

#include <algorithm>

namespace app {

// Where Tab goes, or with Shift+Tab, once around.
inline QList<QWidget*> walk(QWidget* root, Qt::Key key = Qt::Key_Tab)
{
    QList<QWidget*> stops;
    for (int i = 0; i < 300; ++i) {
        QWidget* now = QApplication::focusWidget();
        if (now == nullptr)
            now = root;
        else if (stops.contains(now))
            break;
        else
            stops.append(now);
        QTest::keyClick(now, key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
    }
    return stops;
}

inline bool isStop(const QWidget& widget, const QWidget* root)
{
    const auto* radio = qobject_cast<const QRadioButton*>(&widget); // arrows go between them
    return widget.window() == root && widget.isVisible() && widget.isEnabled()
        && (widget.focusPolicy() & Qt::TabFocus) == Qt::TabFocus
        && (radio == nullptr || radio->isChecked()) && widget.focusProxy() == nullptr;
}

inline QString nameOf(QWidget* widget)
{
    const auto* spoken = QAccessible::queryAccessibleInterface(widget);
    return spoken == nullptr ? QString() : spoken->text(QAccessible::Name);
}

// Everything that can be used is a stop, both ways around, and every stop says what it is.
inline void checkWalk(QWidget* root)
{
    const QList<QWidget*> stops = walk(root);
    CHECK_FALSE(stops.isEmpty());
    for (const QWidget* one : root->findChildren<QWidget*>()) {
        CAPTURE(one->objectName().toStdString(), one->metaObject()->className());
        if (isStop(*one, root))
            CHECK(stops.contains(one));
    }
    for (QWidget* stop : stops) {
        CAPTURE(stop->objectName().toStdString(), stop->metaObject()->className());
        if (qobject_cast<Page*>(stop) == nullptr) // has it before the first key, and says nothing
            CHECK_FALSE(nameOf(stop).isEmpty());
    }
    const QList<QWidget*> back = walk(root, Qt::Key_Backtab);
    for (const QWidget* stop : stops) {
        CAPTURE(stop->objectName().toStdString(), stop->metaObject()->className());
        if (qobject_cast<const Page*>(stop) == nullptr)
            CHECK(std::ranges::find(back, stop) != back.end());
    }
}

} // namespace app
