#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/compare_painter.h"
#include "app/timeline/view/compare_layout.h"
#include "app/widgets/compare/compare_widget.h"

#include <QPixmap>
#include <QPointF>
#include <QTimer>

#include <optional>

class QPainter;
class QScrollBar;

namespace app {

class EmptyState;

// The state of a CompareWidget; painting and input stand in their own files.
struct CompareWidget::Impl
{
    static constexpr double kHeader = 140, kColumn = 128, kRuler = 26, kLegend = 28;
    enum class Drag { None, Press, Range, Pan };
    enum class Remember { No, Yes };
    struct Mark // what lies under the pointer or is selected: a run (index of rows) and in it
    {
        int row = -1;
        Selection selection;
        friend bool operator==(const Mark&, const Mark&) = default;
    };
    struct PictureKey
    {
        ViewWindow window;
        QSizeF size;
        double dpr = 0;
        int scroll = 0, serial = 0;
        profiler::ThemeMode theme = profiler::ThemeMode::Light;
        friend bool operator==(const PictureKey&, const PictureKey&) = default;
    };

    Impl(CompareWidget& widget, const ThemeController& theme);

    // compare_widget.cpp
    QRectF rowsArea() const; // of the time area
    void relayout();
    void updateEmptyState();
    void show(ViewWindow to, Remember remember);
    void fit(Remember remember);
    TimeAxis axisOf(const CompareRow& row) const;
    const CompareRow* baselineOf(const CompareRow& row) const;
    void setSelected(const Mark& mark);

    // compare_paint.cpp
    void paint(QPainter& painter);
    void paintFrame(QPainter& painter) const;
    void paintFirstRuler(QPainter& painter) const;
    void paintOtherRuler(QPainter& painter, const CompareGroup& group,
                         const CompareRow& first) const;
    void paintRows(QPainter& painter) const;
    void paintBaselineEnd(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    QRectF boxOf(const Mark& mark) const;
    QRectF columnOf(const CompareRow& row) const; // its key numbers, unscrolled
    const QPixmap& rowsPicture();
    BoxColours& boxColours();

    // compare_input.cpp
    int deviceAt(const CompareRow& row, QPointF at) const;
    Selection hitIn(const CompareRow& row, QPointF at) const;
    Mark hit(QPointF at) const;
    void drag(QPointF to);
    void hoverAt(QPointF at);
    void wheel(QWheelEvent& event);
    void showToolTip();

    // compare_keys.cpp
    ViewWindow shareOf(const CompareRow& row, engine::Window window) const; // of the widget's view
    bool key(int key, Qt::KeyboardModifiers modifiers);
    bool walkKey(int key);
    std::optional<Mark> walkedTo(int key) const;
    std::optional<Mark> neighbour(int step) const; // of the selection, in the run above or below
    void zoomToSelected();
    void reveal(const Mark& mark);

    CompareWidget& widget;
    const ThemeController& theme;
    std::vector<RunViewPointer> runs;
    std::vector<std::size_t> order;
    std::size_t baseline = 0;
    CompareLayout layout;
    int serial = 0; // of the layout
    ViewWindow window{0, kCompareWhole};
    ZoomHistory history;
    Mark selected, hover;

    Drag dragging = Drag::None;
    QPointF pressedAt, pointer;
    ViewWindow pressedWindow;
    QTimer toolTipTimer;
    QScrollBar* scrollBar = nullptr;
    EmptyState* empty = nullptr;
    std::unique_ptr<BoxColours> colours;
    double coloursDpr = 0;
    PictureKey pictureKey;
    QPixmap picture;
};

} // namespace app
