#pragma once

#include "app/compare/compare_widget.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/data_table.h"
#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QStringList>
#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

class QDialog;

namespace app {

// A setting of the compared runs.
struct RunParameter
{
    QString name;       // "D", "Seed"
    QStringList values; // one per run; "–" if the run does not state the setting

    bool isSame() const { return values.count(values.value(0)) == values.size(); }
    bool contradicts() const; // whether two runs state different values
};

// Every setting of the runs, those that differ first: the settings that are stored with a run and,
// if this program recorded it, those of its experiment. `runs` must not contain nullptr.
std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs);

// Texts that fit in one line. sameText() names the settings that matter for a comparison and are
// equal in all runs: "model tiny, D 4, N 8, seed". differsText() names the settings for which the
// runs state different values: "scheme, v".
QString sameText(const std::vector<RunParameter>& parameters);
QString differsText(const std::vector<RunParameter>& parameters);

// A table row shows the value that all runs have, or each value with the number of runs that have
// it.
std::vector<TableColumn<RunParameter>> parameterColumns(const QStringList& titles);

// The table of all settings. Deletes itself when it is closed. `titles` has one title per run.
QDialog* makeParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                              const QStringList& titles, QWidget* parent);

// A table with one row per compared run, which is the index of the run. The columns are
// measures: titles, units, definitions and numbers come from them, and each number has its
// difference from the baseline and the interval of the difference.
struct RunTable
{
    std::vector<TableColumn<std::size_t>> columns = {};
    std::vector<std::size_t> rows = {};
};
RunTable differenceTable(const CompareNumbersPointer& numbers, const RunNames& names);
RunTable operationTable(const CompareNumbersPointer& numbers, const RunNames& names);
// The bubble of every device; of a run with more than 16 devices the least and the largest.
RunTable deviceTable(const CompareNumbersPointer& numbers, const RunNames& names);

// A comparison in numbers, in tabs: differences, ops, devices, causes of bubbles, distribution of
// durations, time by category. Ranked runs have the chart of iteration time against memory beside
// them.
class ComparisonPanels : public QWidget
{
    Q_OBJECT

public:
    enum class Panel : int { Differences, Operations, Devices, Causes, Distribution, Time };

    static ComparisonPanels* make(const ThemeController& theme);

    // Shows nothing for nullptr.
    virtual void show(const CompareNumbersPointer& numbers, const RunNames& names) = 0;
    using QWidget::show;
    virtual void setPanel(Panel panel) = 0;
    virtual void setCurrent(int run) = 0; // chooses a run without a signal; -1: none
    virtual int current() const = 0;
    virtual void setRanked(bool isRanked) = 0;
    virtual int fittingHeight() const = 0; // the height at which the whole table is visible
    virtual void shareWidth() = 0;         // hides the side panel if its room is too narrow

Q_SIGNALS:
    void runChosen(int run);                                  // the user chose a run
    void onlyRequested(const std::vector<std::size_t>& runs); // compare only these
    void exportRequested(const RunSaver::MakeScene& make, const QString& name);
};

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
