#pragma once

#include <QStringList>

namespace app {

class MainWindow;
class NoticeBar;
class Page;
class ThemeController;

// Names the files that were written, with a button that opens their folder.
void announceFiles(NoticeBar& notice, const QStringList& files);

// Opens the export dialog for the runs of a page on request, and announces the files that the
// dialog and the page save. All arguments must have the same lifetime.
void connectExports(MainWindow& window, Page& page, const ThemeController& theme,
                    NoticeBar& notice);

} // namespace app
