#pragma once

#include "app/models/run_document.h"

#include <QStringList>

namespace app {

// The ticked runs that are compared, and facts about the others.
struct TickedRuns
{
    explicit TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked);

    // Finished and completely read, because a part of a run is not comparable.
    std::vector<std::shared_ptr<RunDocument>> complete;
    QStringList refused; // why files were not opened
    int unfinished = 0;  // number of runs that are growing, being read or queued
};

// The runs of a comparison in order, and the baseline and the current run among them. If the user
// chose no baseline, it follows from the set of runs, not from their order.
class ComparedRuns
{
public:
    // Returns false if these runs are already compared.
    bool take(std::vector<std::shared_ptr<RunDocument>> documents);
    void chooseBaseline(std::size_t run);
    void choose(std::size_t run) { m_current = m_documents[run]; }

    std::size_t size() const { return m_runs.size(); }
    const std::vector<std::shared_ptr<RunDocument>>& documents() const { return m_documents; }
    const std::vector<RunPointer>& runs() const { return m_runs; }
    std::vector<RunPointer> baselineFirst() const; // the order of figures and reports
    std::size_t baseline() const { return m_baseline; }
    const engine::RunInfo& baselineInfo() const { return m_runs[m_baseline]->info; }
    int current() const; // -1: none
    QStringList titles() const;
    QString commonMode() const; // "": the runs have several modes

private:
    std::vector<std::shared_ptr<RunDocument>> m_documents;
    std::vector<RunPointer> m_runs; // one per document
    std::size_t m_baseline = 0;
    std::shared_ptr<RunDocument> m_chosen, m_current; // chosen by the user; nullptr: not chosen
    bool m_isTaken = false;
};

} // namespace app
