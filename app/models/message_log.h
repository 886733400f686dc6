#pragma once

#include <QStringList>

namespace app {

// The last messages of Qt and of this program in this process, for a bug report. Thread-safe.

// Keeps the messages that are logged from now on, and passes them to the handler before this one.
// Call it once, before the window exists.
void keepMessages();

// Keeps an error that is reported in another way.
void keepError(const QString& text);

// At most 200, oldest first: "14:31:07 warning qt.svg: ...".
QStringList keptMessages();

} // namespace app
