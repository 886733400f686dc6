#include "app/jobs/side_threads.h"

#include <QCoreApplication>
#include <QThread>
#include <QThreadPool>

#include <algorithm>

namespace app {
namespace {

class SideThreads : public QThreadPool
{
public:
    SideThreads()
    {
        setMaxThreadCount(std::max(1, QThread::idealThreadCount() - 1));
        // Waits for the jobs when the application ends, because the application itself waits only
        // for the global pool. Jobs use static objects, which may be destroyed before this pool.
        qAddPostRoutine([] {
            sideThreads().clear();
            sideThreads().waitForDone();
        });
    }
};

} // namespace

QThreadPool& sideThreads()
{
    static SideThreads pool;
    return pool;
}

} // namespace app
