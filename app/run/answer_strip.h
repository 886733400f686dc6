#pragma once

#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/why/why_analysis.h"
#include "profiler/analysis/metrics.h"

#include <optional>
#include <vector>

namespace app {

class RunActions;

// A bar of the time by category, mean of the devices, to scale. A category is clicked, or reached
// with Left and Right.
class TimeBar : public ThemedWidget
{
    Q_OBJECT

public:
    using Category = profiler::TimeCategory;
    struct Part
    {
        Category category = Category::Compute;
        QString name, value; // "wait", "6.8"
        QString tip;
        double ticks = 0;
    };

    explicit TimeBar(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<Part> parts);
    const std::vector<Part>& parts() const { return m_parts; }
    QRect rectOf(Category category) const; // empty: there is no such part
    void setSelected(std::optional<Category> category);
    QSize sizeHint() const override { return {418, 22}; }

Q_SIGNALS:
    void chosen(app::TimeBar::Category category);
    void opened(app::TimeBar::Category category); // Enter

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    struct Place
    {
        double left = 0, width = 0;
    };
    std::vector<Place> places() const; // of m_parts
    const Part* partAt(QPoint at) const;
    void paintPart(QPainter& painter, const Part& part, const QRectF& box) const;

    std::vector<Part> m_parts;
    std::optional<Category> m_selected;
};

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
    void setSelected(std::optional<profiler::TimeCategory> category)
    {
        m_bar->setSelected(category);
    }

Q_SIGNALS:
    void chosen(profiler::TimeCategory category); // Bubble: all its causes
    void opened(profiler::TimeCategory category); // the user wants to see the longest one

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showBubble(const engine::Run& run, const profiler::RunMetrics& metrics);
    void showTimes(const engine::Run& run, const profiler::RunMetrics& metrics);
    void setNext(const QString& text, const QString& tip, bool isPrediction);

    const ThemeController& m_theme;
    QPushButton* m_bubble;
    QLabel *m_caption, *m_where, *m_scale;
    ElidedLabel *m_detail, *m_next;
    TimeBar* m_bar;
    QLabel* m_gain;
    Tag* m_mode;
    QWidget *m_left, *m_right, *m_prediction, *m_captions;
};

} // namespace app
