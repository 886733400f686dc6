#include "app/jobs/side_threads.h"

#include <QThread>
#include <QThreadPool>

#include <algorithm>

namespace app {
namespace {

class SideThreads : public QThreadPool
{
public:
    SideThreads() { setMaxThreadCount(std::max(1, QThread::idealThreadCount() - 1)); }
};

} // namespace

QThreadPool& sideThreads()
{
    static SideThreads pool;
    return pool;
}

} // namespace app
