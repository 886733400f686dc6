#pragma once

#include <QStringList>

namespace app {

// The last messages of Qt and of this program in this process, for a bug report. Thread-safe.

// Installs a handler that keeps messages and passes them to the previous handler. Call it once,
// before the window exists.
void keepMessages();

// Keeps an error that was not reported through Qt.
void keepError(const QString& text);

// Returns the last messages, at most 200, oldest first: "14:31:07 warning qt.svg: ...".
QStringList keptMessages();

} // namespace app
