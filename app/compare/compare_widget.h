#pragma once

#include "app/compare/compare_scene.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/widget/time_canvas.h"

#include <QPainter>

namespace app {

// The memory scales of a comparison, shared by all its runs: one for bytes, one for M_a.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// Draws a CompareScene that is not empty.
class ComparePainter
{
public:
    ComparePainter(QPainter& painter, const CompareScene& scene, const BoxColours& colours)
        : m_painter(painter)
        , m_scene(scene)
        , m_colours(colours)
    { }

    void paintFrame() const; // everything except the rows
    void paintRows() const;  // slow, so cache the result; the area of the rows begins at y = 0
    void paintMarks() const;
    void paintLegend() const;

protected:
    const Theme& theme() const { return m_colours.theme(); }
    const Chrome& chrome() const { return theme().chrome; }
    void fill(const QRectF& area, const QColor& colour) const { m_painter.fillRect(area, colour); }
    void write(const QRectF& area, const QString& text, const QFont& font, const QColor& ink,
               int flags = Qt::AlignLeft | Qt::AlignVCenter) const
    {
        paintText(m_painter, area, text, font, ink, flags);
    }

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;

private:
    void paintRow(const CompareRow& row) const; // in coordinates of the rows before scrolling
    void paintRulerOf(const CompareRow& row, const QRectF& strip) const;
    void paintTitles() const;
    void paintHead(const CompareGroup& group, const CompareRow& first) const;
    void paintBaselineEnd() const;
    void paintTie(const profiler::Ranking::Tie& tie) const;
    QString hiddenRuns() const; // "": all runs are visible
};

// Changes the duration of an op of one run while the user drags the end of the op, in the row of
// this run or of a run with the same schedule.
class OpEndDrag
{
public:
    void setRun(int run) { m_run = run; } // the run that changes; -1: none

    bool isAt(const CompareScene& scene, QPointF at) const { return find(scene, at).has_value(); }
    // Returns the op of the run that changes; nullopt: `at` is not at the end of an op.
    std::optional<CompareScene::Mark> begin(const CompareScene& scene, QPointF at);
    // The new duration divided by that of the last call; `pixels` count from the start of the drag.
    double moved(double pixels);
    bool end(); // whether a drag was active

private:
    struct Found
    {
        // at: the op under the pointer; changed: the same op in the run whose times are edited
        CompareScene::Mark at, changed;
    };
    std::optional<Found> find(const CompareScene& scene, QPointF at) const;

    int m_run = -1;
    bool m_isActive = false;
    double m_ticksPerPixel = 1;
    // Durations in ticks: of the dragged op at the start, and of the changed op at the last call.
    std::int64_t m_before = 0, m_now = 0;
};

// Several runs below each other on one time scale, with end markers, the gap to the baseline and
// key numbers. Few runs show their devices. Many runs are ranked and have one lane each; the user
// can expand the devices of a run. Runs in another unit have their own ruler and a note.
class CompareWidget : public TimeCanvas
{
    Q_OBJECT

public:
    explicit CompareWidget(const ThemeController& theme, QWidget* parent = nullptr);

    // `names` distinguish runs with equal labels; may be empty.
    void setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                  const RunNames& names = {});
    // A selection in this run stays only if it is an op that exists in `view`.
    void replaceView(std::size_t run, RunViewPointer view);
    // The run whose ops can be lengthened by dragging their ends, in its row or in that of a run
    // with the same schedule; -1: none. Dragging emits opScaled().
    void setEditable(int run);
    // nullptr: unknown. Compact rows follow the ranking.
    void setNumbers(CompareNumbersPointer numbers);
    // In bytes, of a run that recorded no memory, until setViews(); 0: unknown.
    void setPredictedPeak(std::size_t run, std::int64_t bytes);
    void setBaseline(std::size_t run);
    void setCurrent(int run); // chooses a run without a signal; -1: none
    int current() const { return m_scene.current; }
    void setExpanded(std::size_t run, bool isExpanded); // has no effect on tall rows
    bool isExpanded(std::size_t run) const { return m_scene.arrangement.expanded.contains(run); }
    void setLane(LaneOf lane);
    void setAlign(CompareAlign align);
    void setGhost(bool hasGhost); // outlines of the baseline over the other runs
    void select(std::size_t run, const Selection& selection);
    bool isCompact() const { return m_scene.rows.isCompact; }
    const CompareLayout& rows() const { return m_scene.rows; }
    const RunViewPointer& view(std::size_t run) const { return m_scene.runs[run]; }
    int greatestHeight() const { return heightFor(m_scene.rows.greatestHeight()); }
    int legibleHeight() const { return heightFor(m_scene.rows.legibleHeight()); }
    QSize sizeHint() const override { return {1384, 582}; }
    QSize minimumSizeHint() const override { return {400, 200}; }

Q_SIGNALS:
    void selectionChanged(int run, const app::Selection& selection);
    void runChosen(int run); // the user chose a run
    void rankRequested(profiler::RankBy by);
    void baselineRequested(int run);
    void openRequested(int run);
    void styleChanged(); // isCompact() changed
    // The selected op now takes `ratio` times as long as before this signal. `isLast`: the drag has
    // ended.
    void opScaled(double ratio, bool isLast);

protected:
    bool isEmpty() const override { return m_scene.rows.rows.empty(); }
    QRectF timeArea() const override { return m_scene.area; }
    engine::Window extent() const override
    {
        return {0, static_cast<std::int64_t>(compareEnd(m_scene.rows))};
    }
    double fitWidth() const override { return m_scene.fitWidth(); }
    std::optional<ViewWindow> fit() const override { return m_scene.fit(); }
    std::optional<ViewWindow> selectedBox() const override;
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;

    bool hover(QPointF at) override;
    bool isHovering() const override { return m_scene.hover.row >= 0; }
    void endHover() override { m_scene.hover = {}; }
    QString toolTip() const override { return m_scene.toolTip(); }
    void click(QPointF at) override;
    void selectRange(QPointF from, double toX) override;
    void clearSelection() override { setSelected({}); }
    std::optional<ViewWindow> openAt(QPointF at) override;
    bool ownPress(QMouseEvent& event) override;
    void ownDrag(QPointF from, QPointF to) override;
    bool ownKey(int key, Qt::KeyboardModifiers modifiers) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    static int heightFor(double rows); // of the widget, in pixels
    void relayout();
    void orderRows(); // empties the order, so that layout() sets it again
    void setSelected(const CompareScene::Mark& mark);
    void selectAndReveal(const CompareScene::Mark& mark);
    void choose(int run);

    CompareScene m_scene;
    OpEndDrag m_opEnd;
    CachedPicture m_rows;
};

} // namespace app
