#pragma once

class QWidget;

namespace app {

class RunLibrary;

// Asks whether to stop each run in progress; see mayStop(). Returns false if a run continues.
bool mayStopAll(RunLibrary& library, QWidget* parent);

} // namespace app
