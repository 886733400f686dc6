#pragma once

#include "app/shell/page.h"

namespace app {

// The chapter about a page, by PageKind::name; the first chapter if none is about it.
QString chapterAbout(const QString& page);

Page* makeGuide(const ThemeController& theme);

} // namespace app
