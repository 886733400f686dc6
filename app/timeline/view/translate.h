#pragma once

#include <QCoreApplication>
#include <QString>

namespace app {

// Replaces QObject::tr() in painters and details, which are free functions.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("app::Timeline", text);
}

} // namespace app
