#pragma once

#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QApplication>
#include <QPushButton>
#include <QTimer>

// Clicks a button of the next modal dialog, which the caller then opens.
inline void clickInDialog(const char* button)
{
    QTimer::singleShot(0, [button] {
        REQUIRE(waitFor([] { return QApplication::activeModalWidget() != nullptr; }));
        auto* found = QApplication::activeModalWidget()->findChild<QPushButton*>(
            QString::fromLatin1(button));
        REQUIRE(found != nullptr);
        QTest::mouseClick(found, Qt::LeftButton);
    });
}
