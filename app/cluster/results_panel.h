#pragma once

#include "app/cluster/cluster_results.h"
#include "app/ui/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QPushButton;

namespace app {

class Band;
class DataTable;
class ExpectedModel;
class RankGrid;
class WhereTimeGoes;

// The compared runs: predicted, emulated on this machine, measured on the cluster. The last run is
// the measured one.
struct ComparedResults
{
    QStringList names;
    std::vector<std::shared_ptr<const engine::Run>> runs;
};

// Receives the results of a cluster run. Shows the ranks whose traces have arrived, and compares
// expected with measured times.
class ResultsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ResultsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showResults(const ClusterResults& results, int ranksPerNode, bool isWatching);
    // Shows the progress of a task and disables the import meanwhile. "": the task has ended.
    void showProgress(const QString& text);
    void showNote(const QString& text); // in place of the progress
    void showFailure(const QString& reason);
    // Compares the runs; shows the reason if they cannot be compared.
    void compare(const ComparedResults& compared);
    const profiler::ExpectedComparison* comparison() const
    {
        return m_comparison ? &*m_comparison : nullptr;
    }
    void setNarrow(bool isNarrow);

Q_SIGNALS:
    void chooseRequested();
    void stopRequested();
    void importRequested(); // import the traces, which are complete
    void linksRequested();  // predict with the measured links
    void dropped(const QStringList& paths);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeIncoming(const ThemeController& theme);
    QWidget* makeComparison();
    void showBars(const ComparedResults& compared);
    void showRanks();

    ClusterResults m_results;
    int m_ranksPerNode = 1;
    std::optional<profiler::ExpectedComparison> m_comparison;
    std::shared_ptr<const engine::Run> m_measured;
    ExpectedModel* m_model;
    QLabel *m_folder, *m_received, *m_progress, *m_empty;
    QPushButton *m_stop, *m_import;
    RankGrid* m_ranks;
    WhereTimeGoes* m_bars;
    DataTable* m_table;
    Band* m_finding;
    QWidget *m_incoming, *m_shown, *m_right;
    QGridLayout* m_columns;
};

} // namespace app
