#pragma once

class QThreadPool;

namespace app {

// Threads for many small predictions. They leave one core, and the global thread pool, to the
// window and to file reading.
QThreadPool& sideThreads();

} // namespace app
