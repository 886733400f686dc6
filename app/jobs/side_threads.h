#pragma once

class QThreadPool;

namespace app {

// Threads for many small predictions. They leave a core, and the global thread pool, to the window
// and to the reading of files.
QThreadPool& sideThreads();

} // namespace app
