#pragma once

#include "app/documents/run_document.h"
#include "app/ui/background.h"

#include <QObject>

#include <memory>

namespace app {

// Reads a whole run file in the thread pool, piece by piece. A second load() cancels the first.
class RunLoader : public QObject
{
    Q_OBJECT

public:
    explicit RunLoader(QObject* parent = nullptr);

    void load(const QString& file);
    void cancel() { m_reading.reset(); } // the current load will emit no more signals

Q_SIGNALS:
    // Emitted for a large file when its first iterations were read. `run` has only these; the rest
    // is still being read.
    void begun(const app::RunPointer& run);
    void progressed(double share); // share of the rows that were read
    // `warning` is "" if there is none.
    void loaded(const app::RunPointer& run, const QString& warning);
    void failed(const QString& reason); // `reason` is the error and what to do about it

private:
    struct Reading;
    struct Step;
    void readOn();
    void take(const Step& step);

    std::shared_ptr<Reading> m_reading; // state of the current load
    Background m_background;
};

} // namespace app
