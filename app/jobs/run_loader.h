#pragma once

#include "app/jobs/background.h"
#include "app/models/run_document.h"

#include <QObject>

#include <atomic>
#include <memory>

namespace app {

// Reads a whole run file in the thread pool. A second load() cancels the first.
class RunLoader : public QObject
{
    Q_OBJECT

public:
    explicit RunLoader(QObject* parent = nullptr);
    ~RunLoader() override;

    void load(const QString& file);
    void cancel(); // the current load emits no more signals

Q_SIGNALS:
    // `warning` is "" if there is none.
    void loaded(const app::RunPointer& run, const QString& warning);
    void failed(const QString& reason); // `reason` is the error, and what to do

private:
    std::shared_ptr<std::atomic<bool>> m_cancelled;
    Background m_background;
};

} // namespace app
