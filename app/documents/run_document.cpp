#include "app/documents/run_document.h"

#include "app/ui/text.h"

#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace app {

RunDocument::RunDocument(QString file, int number, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_number(number)
{ }

QString RunDocument::label() const
{
    return m_run ? QString::fromStdString(m_run->info.label) : m_label;
}

QString RunDocument::title() const
{
    if (label().isEmpty())
        return QFileInfo(m_file).fileName();
    return m_number > 0 ? tr("%1 #%2").arg(label(), QString::number(m_number)) : label();
}

QString RunDocument::subtitle() const
{
    if (m_state == State::Failed && !hasIterations(m_run.get()))
        return tr("not opened");
    if (isQueued())
        return tr("#%1, in the queue").arg(m_number);
    return m_file.isEmpty() ? tr("not saved") : QFileInfo(m_file).fileName();
}

QString RunDocument::value() const
{
    if (isQueued())
        return m_progress.secondsLeft >= 0 ? takesText(m_progress.secondsLeft) : tr("queued");
    if (!isRunning())
        return iterationText(m_run.get());
    return m_progress.planned == 0 ? tr("starting")
                                   : tr("%1 of %2").arg(m_progress.done).arg(m_progress.planned);
}

QString RunDocument::mode() const
{
    if (isPaused())
        return tr("paused");
    return m_run ? modeText(m_run->info) : QString();
}

void RunDocument::setRun(RunPointer run)
{
    m_run = std::move(run);
    Q_EMIT runChanged();
}

void RunDocument::addLogLine(const QString& text, const QDateTime& time)
{
    m_log.append(time.toString(QStringLiteral("HH:mm:ss.zzz")) + QStringLiteral("  ") + text);
    Q_EMIT logged(m_log.back());
}

QString iterationText(const engine::Run* run)
{
    const int reported = run == nullptr ? -1 : engine::reportedIteration(run->timeline);
    if (reported < 0)
        return {};
    if (!whyIterationUnknown(*run).empty())
        return RunDocument::tr("unknown");
    const std::int64_t duration
        = run->timeline.iterations[static_cast<std::size_t>(reported)].window.duration();
    return timeScale(run->info, duration).withUnit(static_cast<double>(duration));
}

QString modeText(const engine::RunInfo& info)
{
    const QString text = fromUtf8(engine::modeAdjective(info.mode));
    return info.isOversubscribed() ? RunDocument::tr("%1, oversubscribed").arg(text) : text;
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

QString iterationName(engine::Iteration::Kind kind, int number)
{
    using Kind = engine::Iteration::Kind;
    if (kind == Kind::Replay)
        return RunDocument::tr("typical ops");
    return kind == Kind::Warmup ? RunDocument::tr("warm-up %1").arg(number)
                                : QString::number(number);
}

QString iterationName(const engine::Timeline& timeline, int iteration)
{
    if (iteration < 0 || iteration >= static_cast<int>(timeline.iterations.size()))
        return {};
    const engine::Iteration& chosen = timeline.iterations[static_cast<std::size_t>(iteration)];
    return iterationName(chosen.kind, chosen.number);
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
