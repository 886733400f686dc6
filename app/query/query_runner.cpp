#include "app/query/query_runner.h"

#include <utility>

namespace app {

QueryRunner::QueryRunner(QString file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_isCancelled(std::make_shared<std::atomic<bool>>(false))
    , m_background(this)
{ }

QueryRunner::~QueryRunner()
{
    cancel();
}

void QueryRunner::cancel()
{
    *m_isCancelled = true;
}

void QueryRunner::start(const QString& sql, const profiler::QueryLimits& limits)
{
    cancel();
    m_isCancelled = std::make_shared<std::atomic<bool>>(false);
    m_isRunning = true;
    using Answer = engine::Result<profiler::QueryResult>;
    m_background.run(
        [file = m_file.toStdString(), text = sql.toStdString(), limits,
         isCancelled = m_isCancelled] {
            return profiler::runQuery(file, text, limits,
                                      [isCancelled] { return isCancelled->load(); });
        },
        [this, number = ++m_number](Answer answer) {
            if (number != m_number)
                return;
            m_isRunning = false;
            if (answer)
                Q_EMIT finished(std::make_shared<const profiler::QueryResult>(*std::move(answer)));
            else
                Q_EMIT failed(QString::fromStdString(answer.error().message));
        });
}

void QueryRunner::readSchema()
{
    using Answer = engine::Result<Schema>;
    m_background.run([file = m_file.toStdString()] { return profiler::schemaOf(file); },
                     [this](const Answer& answer) {
                         if (answer)
                             Q_EMIT schemaRead(*answer);
                         else
                             Q_EMIT failed(QString::fromStdString(answer.error().message));
                     });
}

} // namespace app
