#pragma once

class QThreadPool;

namespace app {

// Returns a thread pool for many small predictions. It leaves one core and the global thread pool
// to the window and to reading files.
QThreadPool& sideThreads();

} // namespace app
