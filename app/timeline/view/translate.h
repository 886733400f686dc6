#pragma once

#include <QCoreApplication>
#include <QString>

namespace app {

// Translates texts of painters and details, which are functions and have no tr() of their own.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("app::Timeline", text);
}

} // namespace app
