#include "app/study/point_runs.h"

#include "app/documents/run_library.h"

#include <QFileInfo>

namespace app {

PointRuns::PointRuns(QObject* parent)
    : QObject(parent)
{
    // The connection is queued, because m_process cannot start the next worker until its signal
    // ended() has returned.
    connect(&m_process, &RunProcess::ended, this, &PointRuns::ended, Qt::QueuedConnection);
}

void PointRuns::simulate(const std::vector<QStringList>& points)
{
    if (isRunning() || points.empty())
        return;
    m_points = points;
    m_files.clear();
    next();
}

void PointRuns::next()
{
    const auto names = newRunNames(m_points.front());
    int number = 1;
    QString file = QString::fromStdString(names(number).string());
    while (QFileInfo::exists(file))
        file = QString::fromStdString(names(++number).string());
    m_files.append(file);
    m_process.start(m_program,
                    QStringList{QStringLiteral("simulate")} + m_points.front()
                        + QStringList{QStringLiteral("-o"), file});
}

void PointRuns::ended(const WorkerEnd& end)
{
    if (end.how != WorkerEnd::How::Finished) {
        m_points.clear();
        Q_EMIT failed(end.text);
        return;
    }
    m_points.erase(m_points.begin());
    m_points.empty() ? Q_EMIT simulated(m_files) : next();
}

} // namespace app
