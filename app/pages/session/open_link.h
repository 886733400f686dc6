#pragma once

#include <QString>

namespace app {

class MainWindow;

// Opens the run of a link (app/timeline/details/view_link.h) and restores its view. A file that
// does not exist here is searched among the open runs by its name, otherwise the user is asked for
// it. A text that is no link is refused with a message.
void openLink(MainWindow& window, const QString& text);

} // namespace app
