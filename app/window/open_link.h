#pragma once

#include <QString>

namespace app {

class MainWindow;

// Opens the run of a link (app/timeline/details/view_link.h) and restores its view. If the file
// does not exist here, uses the open run whose file has the same name; without such a run, asks the
// user. A text that is not a link is refused with a message.
void openLink(MainWindow& window, const QString& text);

} // namespace app
