#pragma once

#include "app/ui/session.h"

namespace app {

class MainWindow;
class Page;

// Describes how to reopen a page. `kind` is "" for pages that cannot be reopened, such as a
// comparison of predictions or a schedule that was never saved.
SessionTab sessionTab(const Page& page);

// Opens the page and returns it; nullptr if its kind is unknown or all its files are gone. Appends
// names of files that are gone to `missing`.
Page* openTab(MainWindow& window, const SessionTab& tab, QStringList& missing);

} // namespace app
