#pragma once

#include "app/start/samples.h"
#include "app/ui/card_button.h"
#include "app/ui/icons.h"
#include "app/ui/settings.h"

namespace app {

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

} // namespace app
