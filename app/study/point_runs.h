#pragma once

#include "app/documents/run_process.h"

#include <QObject>
#include <QStringList>

#include <vector>

namespace app {

// Simulates points of a study and keeps their timelines (`bscope simulate ... -o RUN`). Runs
// sequentially and writes new files in the folder of runs. GUI thread only; never blocks.
class PointRuns : public QObject
{
    Q_OBJECT

public:
    explicit PointRuns(QObject* parent = nullptr);

    // Starts the simulations. `points` has the options of `bscope simulate` for each point. Does
    // nothing while other points are being simulated.
    void simulate(const std::vector<QStringList>& points);
    bool isRunning() const { return !m_points.empty(); }
    void setWorkerProgram(const QString& program) { m_program = program; } // for tests

Q_SIGNALS:
    void simulated(const QStringList& files);
    void failed(const QString& reason);

private:
    void next();
    void ended(const WorkerEnd& end);

    RunProcess m_process;
    std::vector<QStringList> m_points;
    QStringList m_files;
    QString m_program;
};

} // namespace app
