#pragma once

#include "app/shell/page.h"
#include "app/start/samples.h"
#include "app/ui/settings.h"

class QSpacerItem;
class QVBoxLayout;

namespace app {

class Band;
class EmptyState;

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
