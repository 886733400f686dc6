#pragma once

#include "app/shell/page.h"

#include <functional>

namespace app {

Page* makeRunPage(const ThemeController& theme, RunLibrary& library,
                  const std::shared_ptr<RunDocument>& document);

// If the run is in progress, asks whether to stop it, and waits until it has ended. Returns false
// if the user keeps it running. Other events are processed meanwhile.
bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent);

} // namespace app
