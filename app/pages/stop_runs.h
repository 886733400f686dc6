#pragma once

class QWidget;

namespace app {

class RunDocument;
class RunLibrary;

// If the run is in progress, asks whether to stop it, and waits until it has ended. Returns false
// if the user keeps it running. Other events are processed meanwhile.
bool mayStop(RunLibrary& library, const RunDocument& document, QWidget* parent);
bool mayStopAll(RunLibrary& library, QWidget* parent); // asks about all runs in progress

} // namespace app
