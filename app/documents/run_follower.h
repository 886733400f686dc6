#pragma once

#include "app/documents/run_document.h"
#include "app/ui/background.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace app {

class SnapshotPool;

// Reads a growing run file in the thread pool and delivers immutable snapshots. Holds no connection
// between reads.
class RunFollower : public QObject
{
    Q_OBJECT

public:
    explicit RunFollower(const QString& file, QObject* parent = nullptr);
    ~RunFollower() override;

    void start(int milliseconds = 200); // reads now, then at this interval
    void poke();   // call it when the writer has committed rows; they are read next
    void finish(); // call it when the writer has ended; reads the rest, then emits finished()

Q_SIGNALS:
    void grown(const app::RunPointer& run);
    // Emitted for a warning of the reader, and again only if its text changes.
    void warned(const QString& text);
    // The file cannot be read. Emitted again only if the reason changes.
    void failed(const QString& reason);
    void locked();    // another program has locked the file; emitted once
    void recovered(); // the file was read again after failed() or locked()
    void finished();  // no more snapshots will follow

private:
    struct Answer;
    void read();
    void take(const Answer& answer);
    void report(const Answer& answer);

    std::shared_ptr<SnapshotPool> m_pool;
    Background m_background;
    QTimer m_timer;
    QString m_failure, m_lastWarning;
    bool m_isReading = false, m_isPoked = false, m_isLast = false;
};

} // namespace app
