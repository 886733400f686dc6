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
        // Waits for the jobs of this pool when the application ends. (The application itself waits
        // only for the global pool.) Otherwise jobs could use static objects that are already
        // destroyed.
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
