#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/ui/controls.h"
#include "app/why/why_analysis.h"
#include "profiler/analysis/metrics.h"

#include <optional>
#include <vector>

namespace app {

class RunActions;

// A part of the bar of the time by category.
struct TimePart
{
    profiler::TimeCategory category = profiler::TimeCategory::Compute;
    QString name, value; // "wait", "6.8"
    QString tip;
    double ticks = 0;
};
// The parts side by side, to scale. The category of a part is its mark. If all of Bubble is
// selected, its causes are framed.
profiler::MarkedScene drawTimeBar(const std::vector<TimePart>& parts,
                                  std::optional<profiler::TimeCategory> selected,
                                  const ChartLook& look);

// The answer that a run's page gives first: how large the bubble is, where the time of the shown
// iteration goes, and which scheme would be faster.
class AnswerStrip : public QWidget
{
    Q_OBJECT

public:
    static constexpr int kHeight = 51;

    AnswerStrip(const ThemeController& theme, const RunActions& actions, QWidget* parent = nullptr);

    // Without metrics, shows what is awaited.
    void show(const RunDocument& document, const profiler::RunMetrics* metrics);
    // Shows the fastest scheme that fits in the memory of the run; nullptr: it is being searched.
    void showNext(const engine::Run& run, const FasterSchemesAnswer* answer);
    void setSelected(std::optional<profiler::TimeCategory> category);
    const std::vector<TimePart>& parts() const { return m_parts; } // of the bar

Q_SIGNALS:
    void chosen(profiler::TimeCategory category); // Bubble: all its causes
    void opened(profiler::TimeCategory category); // the user wants to see the longest one

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showBubble(const engine::Run& run, const profiler::RunMetrics& metrics);
    void showTimes(const engine::Run& run, const profiler::RunMetrics& metrics);
    void showParts(std::vector<TimePart> parts);
    void setNext(const QString& text, const QString& tip, bool isPrediction);

    const ThemeController& m_theme;
    QPushButton* m_bubble;
    QLabel *m_caption, *m_where, *m_scale;
    ElidedLabel *m_detail, *m_next;
    SceneView* m_bar;
    std::vector<TimePart> m_parts;
    std::optional<profiler::TimeCategory> m_selected;
    QLabel* m_gain;
    Tag* m_mode;
    QWidget *m_left, *m_right, *m_prediction, *m_captions;
};

} // namespace app
