#pragma once

#include "app/compare/compare_numbers.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"

#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

namespace app {

// The runs that the user has ticked to compare them. Only the complete ones can be compared.
struct TickedRuns
{
    explicit TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked);

    // The runs that are finished and were read completely. A part of a run is not comparable.
    std::vector<std::shared_ptr<RunDocument>> complete;
    QStringList refused; // for each file that could not be opened, the reason
    int unfinished = 0;  // runs that are growing, being read or queued
};

// The runs of a comparison, in their order. One of them is the baseline, and one is the current
// run. The baseline is the user's choice, or else the first 1F1B run, or else the first run.
class ComparedRuns
{
public:
    // Replaces the compared runs. Returns false if these runs are already compared.
    bool take(std::vector<std::shared_ptr<RunDocument>> documents);
    void chooseBaseline(std::size_t run);
    void choose(std::size_t run) { m_current = m_documents[run]; }

    std::size_t size() const { return m_runs.size(); }
    // Returns false for a run that was removed: tables, lanes and open menus may still show it.
    bool has(int run) const { return run >= 0 && std::cmp_less(run, size()); }
    const std::vector<std::shared_ptr<RunDocument>>& documents() const { return m_documents; }
    const std::vector<RunPointer>& runs() const { return m_runs; }
    std::vector<RunPointer> baselineFirst() const; // the order of figures and reports
    std::size_t baseline() const { return m_baseline; }
    const engine::RunInfo& baselineInfo() const { return m_runs[m_baseline]->info; }
    int current() const; // -1: none
    RunNames names() const;
    QString commonMode() const; // "" if the runs have different modes

private:
    std::vector<std::shared_ptr<RunDocument>> m_documents;
    std::vector<RunPointer> m_runs; // one per document
    std::size_t m_baseline = 0;
    // The user's choices of baseline and current run; nullptr: none.
    std::shared_ptr<RunDocument> m_chosen, m_current;
    bool m_isTaken = false;
};

// Shows runs with a common ruler, their differences from a baseline, and how each run spends its
// time. Several comparisons can be open: each has its own runs, and the ticks of the dock are those
// of the page that is visible.
Page* makeComparison(const ThemeController& theme, RunLibrary& library,
                     const std::vector<std::shared_ptr<RunDocument>>& documents);

} // namespace app
