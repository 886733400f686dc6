#pragma once

class QWidget;

namespace app {

class RunLibrary;

// Asks about every run in progress whether to stop it, see mayStop().
bool mayStopAll(RunLibrary& library, QWidget* parent);

} // namespace app
