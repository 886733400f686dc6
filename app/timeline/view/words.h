#pragma once

#include <QCoreApplication>
#include <QString>

namespace app {

// Translates what painters and details say; these are functions, not QObjects with a tr() of their
// own.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("app::Timeline", text);
}

} // namespace app
