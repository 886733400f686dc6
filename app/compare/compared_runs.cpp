#include "app/compare/compared_runs.h"

#include "app/documents/runs_model.h"

#include <algorithm>
#include <utility>

namespace app {
namespace {

// Returns the index of the first 1F1B run, because 1F1B is the usual reference; 0 if there is none.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

} // namespace

TickedRuns::TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked)
{
    for (const auto& document : ticked) {
        const bool isShown = hasIterations(document->run().get());
        if (document->state() == RunDocument::State::Failed && !isShown)
            refused.append(document->notice().text);
        const bool isGrowing = document->isRunning() || document->isPartlyRead();
        unfinished += isGrowing || document->isQueued() ? 1 : 0;
        if (!isGrowing && isShown)
            complete.push_back(document);
    }
}

bool ComparedRuns::take(std::vector<std::shared_ptr<RunDocument>> documents)
{
    std::vector<RunPointer> runs;
    for (const auto& document : documents)
        runs.push_back(document->run());
    if (std::exchange(m_isTaken, true) && runs == m_runs && documents == m_documents)
        return false;
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    return true;
}

void ComparedRuns::chooseBaseline(std::size_t run)
{
    m_chosen = m_documents[run];
    m_baseline = run;
}

std::vector<RunPointer> ComparedRuns::baselineFirst() const
{
    std::vector<RunPointer> runs = m_runs;
    if (!runs.empty())
        std::ranges::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(m_baseline),
                            runs.begin() + static_cast<std::ptrdiff_t>(m_baseline) + 1);
    return runs;
}

int ComparedRuns::current() const
{
    const auto current = std::ranges::find(m_documents, m_current);
    return current == m_documents.end() ? -1 : static_cast<int>(current - m_documents.begin());
}

QStringList ComparedRuns::titles() const
{
    QStringList titles;
    for (const auto& document : m_documents)
        titles.append(document->title());
    return titles;
}

QString ComparedRuns::commonMode() const
{
    const bool isCommon = std::ranges::all_of(
        m_runs, [&](const RunPointer& run) { return run->info.mode == m_runs[0]->info.mode; });
    return m_runs.empty() || !isCommon ? QString() : modeText(m_runs[0]->info);
}

} // namespace app
