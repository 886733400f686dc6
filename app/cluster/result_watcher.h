#pragma once

#include "app/cluster/cluster_results.h"
#include "app/ui/background.h"

#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <memory>

namespace app {

// Watches the folder in which the traces of a cluster run arrive. A trace is complete when its size
// and modification time did not change between two scans. Scans the folder after every change that
// the system reports, and periodically, because network file systems report none. GUI thread only.
class ResultWatcher : public QObject
{
    Q_OBJECT

public:
    explicit ResultWatcher(QObject* parent = nullptr);

    void watch(const QString& folder, int ranks);
    void setRanks(int ranks);
    void stop(); // the results so far are kept
    bool isWatching() const { return m_clock.isActive(); }
    const ClusterResults& results() const { return m_results; }
    void setInterval(int milliseconds) { m_clock.setInterval(milliseconds); } // time between scans

Q_SIGNALS:
    void changed(); // results() changed

private:
    void look();
    void take(std::vector<ResultFile> found);

    ClusterResults m_results;
    QFileSystemWatcher m_system;
    QTimer m_clock;
    QElapsedTimer m_sinceLook;
    bool m_isLooking = false;
    int m_watch = 0; // counts calls of watch()
    Background m_background{this};
};

} // namespace app
