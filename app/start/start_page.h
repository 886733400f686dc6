#pragma once

#include "app/ledger/run_ledger.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/settings.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <functional>
#include <string_view>
#include <vector>

class QPushButton;

namespace app {

class Band;
class DataTable;
class EmptyState;

// A sample of the start page: one run, or two runs to compare. Recorded runs ship with the program.
// If their files are missing, the runs are simulated.
struct Sample
{
    std::string_view title, line;
    std::vector<engine::ScheduleRequest> runs;
    QStringList recorded; // files of the recorded runs; empty: the runs are simulated
};

std::vector<Sample> samples(); // returns only samples whose schemes this build has

// Returns the folder of the recorded samples, which is installed next to the program or is in the
// source tree of the build; "" if neither exists. `programFolder` is the folder of the executable.
QString recordedSampleFolder(const QString& programFolder);

// Returns the files of a sample. Simulated samples are written to the cache folder.
engine::Result<QStringList> sampleFiles(const Sample& sample);

// A recent run, as a row of its table.
struct StartRow
{
    LedgerRun run;
    QString when; // it was opened
    Thumbnail thumbnail{};
};

// The first page: the devices of this machine, what to begin with, recent runs, and samples that
// open without a GPU.
class StartPage : public Page
{
    Q_OBJECT

public:
    // `runs` returns all known runs, and those under way.
    StartPage(const ThemeController& theme, Settings& settings,
              std::function<std::vector<LedgerRun>()> runs = {});

    QString title() const override { return tr("Start"); }
    bool isClosable() const override { return false; }
    QStringList statusTexts() const override;
    QString statusNote() const override { return tr("samples open without a GPU"); }

    void refresh();      // updates the list of recent runs
    void refreshLater(); // soon, and once for several changes
    void showError(const QString& bold, const QString& sentence);
    // Offers to start runs that were queued when the program ended.
    void offerQueue(int runs);

Q_SIGNALS:
    void deviceCheckRequested();
    void queueAnswered(bool start);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeTop();
    QWidget* makeBegin();
    QWidget* makeRecent();
    QWidget* makeSamples();
    void open(const Sample& sample);

    const ThemeController& m_theme;
    Settings& m_settings;
    TableModel<StartRow> m_recent;
    std::vector<Sample> m_samples = samples();
    Band *m_error, *m_queue;
    EmptyState* m_empty; // in place of recent runs
    DataTable* m_recentTable;
    QPushButton *m_all, *m_clear;
    std::function<std::vector<LedgerRun>()> m_runs;
    QTimer m_late;
};

} // namespace app
