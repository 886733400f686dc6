#pragma once

#include "app/plan/run_plan.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "profiler/figure/scene.h"

#include <QFontMetricsF>

#include <memory>
#include <optional>
#include <vector>

namespace app {

// A group of a scene in the colours and fonts of the window. Texts are placed by the centre of
// their line, because a box is labelled in its middle.
struct SceneSheet
{
    using Anchor = profiler::Text::Anchor;
    struct Type
    {
        double size = 11;
        QColor ink;
        bool isBold = false;
        Anchor anchor = Anchor::Start;
    };

    static profiler::Rect rect(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }
    void box(const QRectF& r, const QColor& fill, const QColor& edge = {}, double cut = 0)
    {
        group.shapes.emplace_back(profiler::Box{
            rect(r), fromQt(fill), edge.isValid() ? 1.0 : 0.0, fromQt(edge), cut, {}, {}, {}});
    }
    void line(QPointF from, QPointF to, double width, profiler::Colour colour,
              bool isDashed = false)
    {
        group.shapes.emplace_back(
            profiler::Line{from.x(), from.y(), to.x(), to.y(), width, colour, isDashed, {}});
    }
    void text(double x, double centre, const QString& text, const Type& type)
    {
        group.shapes.emplace_back(profiler::Text{x,
                                                 centre + 0.36 * type.size,
                                                 type.size,
                                                 text.toStdString(),
                                                 fromQt(type.ink),
                                                 type.anchor,
                                                 type.isBold,
                                                 {}});
    }
    // Writes a line that is elided at the right. Returns the width of the text.
    double elided(const QRectF& r, const QString& all, const Type& type)
    {
        const QFontMetricsF metrics(
            uiFont(static_cast<int>(type.size), type.isBold ? QFont::Medium : QFont::Normal));
        const QString shown = metrics.elidedText(all, Qt::ElideRight, r.width() + 1);
        text(type.anchor == Anchor::Start     ? r.left()
                 : type.anchor == Anchor::End ? r.right()
                                              : r.center().x(),
             r.center().y(), shown, type);
        return metrics.horizontalAdvance(shown);
    }

    profiler::Group group;
};

class BoxColours;

// Iteration, bubble, messages and memory of a prediction; 90 px high.
class KeyNumbers : public ThemedWidget
{
    Q_OBJECT

public:
    explicit KeyNumbers(const ThemeController& theme, QWidget* parent = nullptr);

    struct Item
    {
        QString title, value, unit, hint;
        QString brief = {}; // shown in place of a hint that does not fit

        friend bool operator==(const Item&, const Item&) = default;
    };
    void show(const Prediction* prediction); // nullptr: shows dashes
    const QList<Item>& items() const { return m_items; }

protected:
    QString toolTipAt(QPoint at) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    double itemWidth() const;
    void paintItem(QPainter& painter, const QRectF& box, const Item& item) const;
    void paintBars(QPainter& painter, const QRectF& box) const;

    QList<Item> m_items;
    std::vector<std::pair<double, double>> m_bars; // for each device: the two parts of its bar
    double m_limit = 0;                            // memory of a device in bytes; 0: unknown
    bool m_isOfBytes = false;
};

QList<KeyNumbers::Item> keyNumbers(const Prediction* prediction);

// Draws one iteration with the painters of the timeline: a ruler and a row per device. Draws at
// most sixteen devices, then the number of the others.
class SchedulePreview : public ThemedWidget
{
    Q_OBJECT

public:
    explicit SchedulePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view); // nullptr: no schedule
    // Shows a schedule that has not run yet: outlines its ops. setDone() fills the ops that have
    // run since.
    void showOutlines(RunViewPointer view);
    // `devices` has the number of complete ops of each device; empty: unknown.
    void setDone(std::vector<int> devices);
    // A window of time on a device, outlined over the boxes.
    struct Mark
    {
        int device = 0;
        engine::Window window;
        int number = 0; // on a plate over the box; 0: none
    };
    struct Marks
    {
        int iteration = 0;           // index into Timeline::iterations; 0 if out of range
        std::vector<Mark> parts;     // in any order
        std::optional<Mark> current; // has a thicker outline
        bool areUncertain = false;   // outlined in the colour of uncertain time
    };
    void setMarks(Marks marks); // also shows the iteration of the marks
    const Marks& marks() const { return m_marks; }
    void setName(const QString& name);        // beside the ruler, to tell several pictures apart
    void setPlaceholder(const QString& text); // the reason to show while there is no schedule
    void setRowsHeight(int height);           // height of the rows, without the ruler
    // The least time that the width stands for, so that pictures have one time axis.
    void setAxis(std::int64_t ticks);
    // Keeps the last picture until the next show(). Fades it if that takes long.
    void setWaiting();
    void setStale(); // fades the picture at once, because no new picture will replace it
    bool hasPicture() const { return m_view != nullptr; }
    QSize sizeHint() const override { return {600, height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Geometry;
    Geometry geometry() const;
    void paintNothing(QPainter& painter) const;
    void paintMarks(QPainter& painter, const Geometry& g) const;
    void paintNumber(QPainter& painter, const QRectF& box, int number) const;
    void paintRuler(QPainter& painter, const Geometry& g) const;
    void paintNames(QPainter& painter, const Geometry& g) const;

    RunViewPointer m_view;
    PlanPointer m_plan;      // the outlined ops; nullptr: the ops are filled
    std::vector<int> m_done; // complete ops of each device
    Marks m_marks;           // sorted by device, then by start
    Later m_fadeTimer{200, [this] {
                          m_isWaiting = true;
                          update();
                      }}; // started by setWaiting()
    QString m_name, m_nothing;
    int m_rowsHeight;
    std::int64_t m_axis = 0;
    bool m_isWaiting = false, m_isStale = false;
};

} // namespace app
