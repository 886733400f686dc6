#include "app/cluster/result_watcher.h"

#include <algorithm>
#include <utility>

namespace app {

ResultWatcher::ResultWatcher(QObject* parent)
    : QObject(parent)
{
    constexpr int kInterval = 1000; // ms
    m_clock.setInterval(kInterval);
    connect(&m_clock, &QTimer::timeout, this, &ResultWatcher::look);
    // Scans at once when the system reports a change, so that a new file is shown early. Only a
    // later scan by the timer can find the file complete.
    connect(&m_system, &QFileSystemWatcher::directoryChanged, this, &ResultWatcher::look);
}

void ResultWatcher::watch(const QString& folder, int ranks)
{
    stop();
    ++m_watch;
    m_isLooking = false;
    m_results = {folder, ranks, {}};
    m_system.addPath(folder);
    m_clock.start();
    Q_EMIT changed();
    look();
}

void ResultWatcher::setRanks(int ranks)
{
    if (ranks == std::exchange(m_results.ranks, ranks))
        return;
    Q_EMIT changed();
}

void ResultWatcher::stop()
{
    m_clock.stop();
    if (!m_system.directories().isEmpty())
        m_system.removePaths(m_system.directories());
}

void ResultWatcher::look()
{
    if (std::exchange(m_isLooking, true))
        return;
    m_background.run([folder = m_results.folder] { return resultFiles(folder); },
                     [this, watch = m_watch](std::vector<ResultFile> found) {
                         if (watch == m_watch)
                             take(std::move(found));
                     });
}

void ResultWatcher::take(std::vector<ResultFile> found)
{
    m_isLooking = false;
    for (ResultFile& file : found) {
        const auto before = std::ranges::find(m_results.files, file.path, &ResultFile::path);
        file.isComplete = file.bytes > 0 && before != m_results.files.end()
            && before->bytes == file.bytes && before->changed == file.changed
            && (before->isComplete || m_sinceLook.elapsed() >= m_clock.interval() / 2);
    }
    m_sinceLook.start();
    if (found == m_results.files)
        return;
    m_results.files = std::move(found);
    Q_EMIT changed();
}

} // namespace app
