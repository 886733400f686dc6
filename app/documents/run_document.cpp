#include "app/documents/run_document.h"

#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace app {

RunDocument::RunDocument(QString file, int number, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_number(number)
{ }

QString RunDocument::title() const
{
    const QString label = m_run ? QString::fromStdString(m_run->info.label) : m_label;
    if (label.isEmpty())
        return QFileInfo(m_file).fileName();
    return tr("%1 #%2").arg(label, QString::number(m_number));
}

QString RunDocument::subtitle() const
{
    if (m_state == State::Failed && !hasIterations(m_run.get()))
        return tr("not opened");
    if (isQueued())
        return tr("#%1, in the queue").arg(m_number);
    return m_file.isEmpty() ? tr("not saved") : QFileInfo(m_file).fileName();
}

void RunDocument::setState(State state)
{
    if (state == m_state)
        return;
    m_state = state;
    Q_EMIT stateChanged();
}

void RunDocument::setPaused(bool paused)
{
    if (paused == m_isPaused)
        return;
    m_isPaused = paused;
    Q_EMIT stateChanged();
}

void RunDocument::setRun(RunPointer run)
{
    m_run = std::move(run);
    Q_EMIT runChanged();
}

void RunDocument::setProgress(const RunProgress& progress)
{
    if (progress == m_progress)
        return;
    m_progress = progress;
    Q_EMIT progressChanged();
}

void RunDocument::setNotice(const Notice& notice)
{
    if (notice == m_notice)
        return;
    m_notice = notice;
    Q_EMIT noticeChanged();
}

void RunDocument::addLogLine(const QString& text, const QDateTime& time)
{
    m_log.append(time.toString(QStringLiteral("HH:mm:ss.zzz")) + QStringLiteral("  ") + text);
    Q_EMIT logged(m_log.back());
}

bool hasIterations(const engine::Run* run)
{
    return run != nullptr && !run->timeline.iterations.empty();
}

std::optional<std::pair<int, int>> measuredNumbers(const engine::Timeline& timeline)
{
    std::optional<std::pair<int, int>> numbers;
    for (const engine::Iteration& one : timeline.iterations)
        if (one.kind == engine::Iteration::Kind::Measured)
            numbers = {numbers ? numbers->first : one.number, one.number};
    return numbers;
}

int allIterations(const engine::RunInfo& info)
{
    return static_cast<int>(
        std::min<std::int64_t>(std::int64_t{info.plannedWarmup} + info.plannedIterations,
                               std::numeric_limits<int>::max()));
}

QString keptSentence(const engine::Run* run)
{
    if (!hasIterations(run))
        return RunDocument::tr("Nothing was recorded.");
    const auto measured = measuredNumbers(run->timeline);
    if (!measured)
        return RunDocument::tr("Only warm-up iterations were recorded, so there are no results. "
                               "The recording was kept.");
    const auto [first, last] = *measured;
    if (first == last)
        return RunDocument::tr("Iteration %1 is complete and was kept.").arg(first);
    return RunDocument::tr("Iterations %1–%2 are complete and were kept.").arg(first).arg(last);
}

} // namespace app
