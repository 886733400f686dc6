#pragma once

#include <QSemaphore>
#include <QThreadPool>

namespace tests {

// The thread pool does nothing while this exists.
struct BusyPool
{
    BusyPool()
    {
        pool.setMaxThreadCount(1);
        pool.start([this] { gate.acquire(); });
    }
    ~BusyPool()
    {
        gate.release();
        pool.waitForDone();
        pool.setMaxThreadCount(threads);
    }

    QThreadPool& pool = *QThreadPool::globalInstance();
    int threads = pool.maxThreadCount();
    QSemaphore gate;
};

} // namespace tests
