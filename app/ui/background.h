#pragma once

#include "engine/base/cancel.h"

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
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

// Calls `work` once, `delay` ms after the last start().
class Later : public QTimer
{
public:
    Later(int delay, const std::function<void()>& work)
    {
        setSingleShot(true);
        setInterval(delay);
        callOnTimeout(work);
    }
};

// A question that is asked again while its input changes, such as a prediction while a slider
// moves. We run one job at a time and keep only the newest of the requests that wait, because a
// queue of them would be answered long after the last change. Must be a member of its owner, whose
// thread calls it; the destructor cancels without waiting.
template<class Request, class Answer>
class Latest
{
public:
    // Runs in the pool and must not access the owner. It is in a CancelScope: if it is dropped, it
    // may return anything or throw engine::Cancelled.
    using Work = std::function<Answer(const Request&)>;
    using Done = std::function<void(Answer)>; // called in the owner's thread
    // What happens to the running job when a newer request comes.
    enum class Older : std::uint8_t {
        Dropped,  // it is cancelled, and its answer is not delivered
        Delivered // it ends, and its answer is delivered, so that a picture follows a slider
    };

    Latest(QObject* owner, Work work, Done done, Older older = Older::Dropped,
           QThreadPool& pool = *QThreadPool::globalInstance(), int priority = 0)
        : m_background(owner, pool)
        , m_work(std::move(work))
        , m_done(std::move(done))
        , m_older(older)
        , m_priority(priority)
    { }
    ~Latest() { drop(); }
    Latest(const Latest&) = delete;
    Latest& operator=(const Latest&) = delete;

    void ask(Request request)
    {
        m_next = std::move(request);
        if (m_isDropped == nullptr)
            start();
        else if (m_older == Older::Dropped)
            *m_isDropped = true;
    }
    // Delivers no answer of an earlier request.
    void drop()
    {
        m_next.reset();
        dropRunning();
    }
    void dropRunning()
    {
        if (m_isDropped != nullptr)
            *m_isDropped = true;
    }
    bool isBusy() const { return m_isDropped != nullptr; } // a dropped job may still run
    bool isWaiting() const { return m_next.has_value(); }  // a newer request than the running one

private:
    // An exception is thrown again in the owner's thread, after this object is ready for the next
    // request.
    struct Outcome
    {
        std::optional<Answer> answer;
        std::exception_ptr failure;
    };

    void start()
    {
        m_isDropped = std::make_shared<std::atomic<bool>>(false);
        m_background.run(
            [work = m_work, request = *std::exchange(m_next, std::nullopt),
             isDropped = m_isDropped] {
                Outcome outcome;
                const engine::CancelScope scope(isDropped.get());
                try {
                    outcome.answer.emplace(work(request));
                } catch (const engine::Cancelled&) {
                } catch (...) {
                    outcome.failure = std::current_exception();
                }
                return outcome;
            },
            [this](Outcome outcome) { take(std::move(outcome)); }, m_priority);
    }
    void take(Outcome outcome)
    {
        const bool isDropped = *std::exchange(m_isDropped, nullptr);
        if (m_next)
            start();
        if (outcome.failure)
            std::rethrow_exception(outcome.failure);
        if (!isDropped && outcome.answer)
            m_done(*std::move(outcome.answer));
    }

    Background m_background;
    Work m_work;
    Done m_done;
    Older m_older;
    int m_priority;
    std::optional<Request> m_next;
    std::shared_ptr<std::atomic<bool>> m_isDropped; // of the running job; null: no job runs
};

// Returns a thread pool for many small predictions. It leaves one core and the global thread pool
// to the window and to reading files.
QThreadPool& sideThreads();

} // namespace app
