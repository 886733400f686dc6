#include "app/documents/runs_model.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace app {

QString iterationText(const engine::Run* run)
{
    const int reported = run == nullptr ? -1 : engine::reportedIteration(run->timeline);
    if (reported < 0)
        return {};
    const std::int64_t duration
        = run->timeline.iterations[static_cast<std::size_t>(reported)].window.duration();
    return timeScale(run->info, duration).withUnit(static_cast<double>(duration));
}

QString modeText(const engine::RunInfo& info)
{
    const std::string_view mode = engine::modeAdjective(info.mode);
    const QString text = QString::fromUtf8(mode.data(), static_cast<qsizetype>(mode.size()));
    return info.isOversubscribed() ? RunsModel::tr("%1, oversubscribed").arg(text) : text;
}

RunsModel::RunsModel(QObject* parent)
    : QAbstractListModel(parent)
{ }

// Keeps the path once the file exists, because resolving links takes a system call per folder.
const QString& RunsModel::Row::canonicalPath() const
{
    if (canonical.isEmpty())
        canonical = QFileInfo(path).canonicalFilePath();
    return canonical;
}

void RunsModel::add(std::shared_ptr<RunDocument> document)
{
    const auto row = static_cast<int>(m_rows.size());
    const RunDocument* shown = document.get();
    beginInsertRows({}, row, row);
    const QString path = QFileInfo(document->file()).absoluteFilePath();
    m_rows.push_back({std::move(document), !m_hasChoice, path, {}});
    endInsertRows();
    for (const auto signal : {&RunDocument::runChanged, &RunDocument::stateChanged,
                              &RunDocument::progressChanged, &RunDocument::noticeChanged})
        connect(shown, signal, this, [this, shown] { rowChanged(shown); });
}

void RunsModel::remove(const RunDocument* document)
{
    const int row = rowOf(document);
    if (row < 0)
        return;
    document->disconnect(this);
    beginRemoveRows({}, row, row);
    m_rows.erase(m_rows.begin() + row);
    endRemoveRows();
    m_hasChoice = m_hasChoice && !m_rows.empty();
}

std::shared_ptr<RunDocument> RunsModel::find(const QString& file) const
{
    // Also compares the absolute paths, because a missing file has no canonical path.
    const QFileInfo wanted(file);
    const QString path = wanted.absoluteFilePath(), canonical = wanted.canonicalFilePath();
    const auto found = std::ranges::find_if(m_rows, [&](const Row& row) {
        return row.path == path || (!canonical.isEmpty() && row.canonicalPath() == canonical);
    });
    return found == m_rows.end() ? nullptr : found->document;
}

QStringList RunsModel::notices() const
{
    QStringList texts;
    for (const Row& row : m_rows)
        if (const Notice& notice = row.document->notice(); notice.level != Notice::Level::None)
            texts.append(notice.title + QLatin1Char(' ') + notice.text);
    return texts;
}

int RunsModel::rowOf(const RunDocument* document) const
{
    const auto found = std::ranges::find_if(
        m_rows, [&](const Row& row) { return row.document.get() == document; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

std::vector<std::shared_ptr<RunDocument>> RunsModel::checked() const
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    for (const Row& row : m_rows)
        if (row.checked)
            documents.push_back(row.document);
    return documents;
}

void RunsModel::setChecked(const RunDocument* document, bool checked)
{
    const int row = rowOf(document);
    if (row >= 0)
        setData(index(row), checked ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

void RunsModel::swap(const RunDocument* one, const RunDocument* other)
{
    const auto [first, second] = std::minmax({rowOf(one), rowOf(other)});
    if (first < 0 || first == second)
        return;
    moveRow(second, first);
    moveRow(first + 1, second);
}

void RunsModel::moveRow(int from, int to)
{
    // Qt counts the destination row before the row is moved away.
    if (from == to || !beginMoveRows({}, from, from, {}, to > from ? to + 1 : to))
        return;
    Row row = std::move(m_rows[toIndex(from)]);
    m_rows.erase(m_rows.begin() + from);
    m_rows.insert(m_rows.begin() + to, std::move(row));
    endMoveRows();
}

void RunsModel::rowChanged(const RunDocument* document)
{
    const QModelIndex changed = index(rowOf(document));
    Q_EMIT dataChanged(changed, changed);
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[toIndex(index.row())];
    const RunDocument& document = *row.document;
    const RunPointer run = document.run();
    const RunProgress& progress = document.progress();
    switch (role) {
    case Qt::DisplayRole:
        return run ? QString::fromStdString(run->info.label) : document.title();
    case Qt::CheckStateRole:
        return row.checked ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
        return toolTipText(document.file());
    case SubtitleRole:
        return document.subtitle();
    case ValueRole:
        if (document.isQueued())
            return progress.secondsLeft >= 0 ? takesText(progress.secondsLeft) : tr("queued");
        if (!document.isRunning())
            return iterationText(run.get());
        return progress.planned == 0 ? tr("starting")
                                     : tr("%1 of %2").arg(progress.done).arg(progress.planned);
    case ModeRole:
        if (document.isPaused())
            return tr("paused");
        return run ? modeText(run->info) : QString();
    case QueuedRole:
        return document.isQueued();
    case RunningRole:
        return document.isRunning();
    case ProgressRole:
        return document.isRunning() && progress.planned > 0
            ? progress.iterations() / progress.planned
            : -1.0;
    default:
        return {};
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    m_rows[toIndex(index.row())].checked = value.toInt() == Qt::Checked;
    m_hasChoice = true;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    return true;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
            | Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

} // namespace app
