#pragma once

#include "app/plan/prediction.h"
#include "app/shell/page.h"
#include "app/ui/card_button.h"
#include "app/ui/icons.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"

#include <QStringList>
#include <QWidget>

#include <string_view>
#include <vector>

class QSpacerItem;
class QVBoxLayout;

namespace app {

class Band;
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

// A card for a first step, 50 px high: "New run - Choose a scheme and preview it - Ctrl+N".
class BeginButton : public CardButton
{
    Q_OBJECT

public:
    enum class Rank { Primary, Other };
    struct Texts
    {
        Icon icon;
        QString title, line, keys;
    };
    BeginButton(const ThemeController& theme, const Texts& texts, Rank rank);

protected:
    void paintContent(QPainter& painter) override;

private:
    Texts m_texts;
};

// A recent run, 44 px high: thumbnail, name, iteration, bubble, mode, date.
class RecentRow : public CardButton
{
    Q_OBJECT

public:
    RecentRow(const ThemeController& theme, RecentRun run, const QDateTime& now);

protected:
    void paintContent(QPainter& painter) override;

private:
    double paintFacts(QPainter& painter) const;

    RecentRun m_run;
    QString m_when;
};

// A sample with its thumbnail, 160 px high. Thumbnails of compared runs are stacked.
class SampleCard : public CardButton
{
    Q_OBJECT

public:
    SampleCard(const ThemeController& theme, const Sample& sample);

    double duration() const; // duration of the longest run: in cost units, or in ms if recorded
    bool isRecorded() const { return m_isRecorded; }
    // Sets the duration that the full width represents. All simulated cards get the same one.
    void setFullWidth(double units) { m_fullWidth = units; }

protected:
    void paintContent(QPainter& painter) override;

private:
    void addRecorded(const QStringList& files);
    void addPredicted(const std::vector<engine::ScheduleRequest>& requests);
    void addRun(const engine::Run& run, const profiler::RunMetrics& metrics);
    void paintFoot(QPainter& painter, const QRectF& foot) const;

    bool m_isRecorded;
    QStringList m_timeOfRuns, m_bubbleOfRuns;
    QString m_title, m_line, m_kind, m_times, m_bubbles;
    std::vector<Thumbnail> m_thumbnails;
    double m_fullWidth = 1;
};

// Three things to try first, which the start page shows until the user hides them.
class StartHints : public QWidget
{
    Q_OBJECT

public:
    explicit StartHints(const ThemeController& theme, QWidget* parent = nullptr);

Q_SIGNALS:
    void dismissed();
};

// The first page: the devices of this machine, first steps, recent runs, and samples that open
// without a GPU.
class StartPage : public Page
{
    Q_OBJECT

public:
    StartPage(const ThemeController& theme, Settings& settings, QWidget* parent = nullptr);

    QString title() const override { return tr("Start"); }
    bool isClosable() const override { return false; }
    QStringList statusTexts() const override;
    QString statusNote() const override { return tr("samples open without a GPU"); }

    void refresh();              // updates the list of recent runs
    void setKnownRuns(int runs); // number of runs under "All runs"
    void showError(const QString& bold, const QString& sentence);
    // Offers to start runs that were queued when the program ended.
    void offerQueue(int runs);

Q_SIGNALS:
    void deviceCheckRequested();
    void queueAnswered(bool start);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTitle();
    QWidget* makeDeviceLine();
    QWidget* makeBegin();
    QWidget* makeRecent();
    QWidget* makeSamples();
    void fillRecent();
    void describeEmpty();
    void openSample(const Sample& sample);

    const ThemeController& m_theme;
    Settings& m_settings;
    Band *m_error = nullptr, *m_queue = nullptr;
    QWidget* m_hints = nullptr;
    EmptyState* m_empty = nullptr; // in place of recent runs; null if there are some
    int m_knownRuns = 0;
    bool m_isLow = false; // whether the page has little height
    QVBoxLayout *m_column = nullptr, *m_recent = nullptr;
    std::array<QSpacerItem*, 2> m_gaps{}; // space between the rows of the page
};

} // namespace app
