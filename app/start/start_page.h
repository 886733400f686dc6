#pragma once

#include "app/ledger/run_ledger.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/data_table.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"

#include <functional>
#include <string_view>
#include <vector>

namespace app {

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
    using Page::Page;
    // `runs` returns all known runs, and those under way.
    static StartPage* make(const ThemeController& theme, Settings& settings,
                           std::function<std::vector<LedgerRun>()> runs = {});
    virtual void refresh() = 0;      // updates the list of recent runs
    virtual void refreshLater() = 0; // soon, and once for several changes
    virtual void showError(const QString& bold, const QString& sentence) = 0;
    // Offers to start runs that were queued when the program ended.
    virtual void offerQueue(int runs) = 0;

Q_SIGNALS:
    void deviceCheckRequested();
    void queueAnswered(bool start);
};

} // namespace app
