#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QThreadPool>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace app {

// Runs work in a thread pool (by default the global one) and delivers the result in the owner's
// thread. Must be a member of its owner. The destructor drops pending results without waiting.
class Background
{
public:
    explicit Background(QObject* owner, QThreadPool& pool = *QThreadPool::globalInstance())
        : m_pool(pool)
        , m_address(std::make_shared<Address>(owner))
    { }
    ~Background()
    {
        const std::lock_guard lock(m_address->mutex);
        m_address->owner = nullptr;
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    // Runs `work()` in the pool, then `done(answer)` in the owner's thread. `work()` must not
    // access the owner. Queued work of higher priority runs first. In a pool of one thread, work
    // runs in order only if all priorities are 0, because Qt uses priority 0 for work that wakes
    // the thread. If `work()` throws, the exception is rethrown in the owner's thread, where the
    // application reports it.
    template<class Work, class Done>
    void run(Work work, Done done, int priority = 0)
    {
        m_pool.start(
            [address = m_address, work = std::move(work), done = std::move(done)]() mutable {
                std::shared_ptr<decltype(work())> answer;
                std::exception_ptr failure;
                try {
                    answer = std::make_shared<decltype(work())>(work());
                } catch (...) {
                    failure = std::current_exception();
                }
                const std::lock_guard lock(address->mutex);
                if (address->owner == nullptr)
                    return;
                QMetaObject::invokeMethod(
                    address->owner,
                    [answer, failure, done = std::move(done)]() mutable {
                        if (failure)
                            std::rethrow_exception(failure);
                        done(std::move(*answer));
                    },
                    Qt::QueuedConnection);
            },
            priority);
    }

private:
    struct Address
    {
        explicit Address(QObject* o)
            : owner(o)
        { }
        std::mutex mutex; // while this is locked, the owner is not destroyed
        QObject* owner;
    };
    QThreadPool& m_pool;
    std::shared_ptr<Address> m_address;
};

} // namespace app
