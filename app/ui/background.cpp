#include "app/ui/background.h"

#include <QThread>

#include <algorithm>

namespace app {
namespace {

class SideThreads : public QThreadPool
{
public:
    SideThreads()
    {
        setMaxThreadCount(std::max(1, QThread::idealThreadCount() - 1));
        // Waits for the jobs of this pool before static objects that they use are destroyed. (The
        // application itself waits only for the global pool.)
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
