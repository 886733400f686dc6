#pragma once

#include "app/ui/background.h"
#include "profiler/store/query.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>

namespace app {

// Runs queries on a run's file in the thread pool, one at a time. A new query cancels the running
// one. GUI thread only; the destructor cancels without waiting.
class QueryRunner : public QObject
{
    Q_OBJECT

public:
    using Result = std::shared_ptr<const profiler::QueryResult>;
    using Schema = std::vector<profiler::SchemaTable>;

    QueryRunner(QString file, QObject* parent);
    ~QueryRunner() override;

    void start(const QString& sql, const profiler::QueryLimits& limits = {});
    void cancel();
    bool isRunning() const { return m_isRunning; }
    void readSchema(); // emits schemaRead() or failed()

Q_SIGNALS:
    void finished(const app::QueryRunner::Result& result);
    void failed(const QString& reason); // also emitted for a cancelled query
    void schemaRead(const app::QueryRunner::Schema& schema);

private:
    QString m_file;
    std::shared_ptr<std::atomic<bool>> m_isCancelled; // cancels the running query
    int m_number = 0;                                 // number of the last query
    bool m_isRunning = false;
    Background m_background;
};

} // namespace app
