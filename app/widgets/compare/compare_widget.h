#pragma once

#include "app/widgets/compare/compare_scene.h"
#include "app/widgets/timeline/time_canvas.h"

#include <vector>

namespace app {

// Several runs below each other with one ruler and one time scale, with end markers, the gap to the
// baseline, and key numbers. Few runs show their devices; many have one lane each, are ranked, and
// show the devices of the runs that the user expands. Runs in abstract units have a ruler of their
// own, with a note.
class CompareWidget : public TimeCanvas
{
    Q_OBJECT

public:
    explicit CompareWidget(const ThemeController& theme, QWidget* parent = nullptr);

    // `titles` has names for runs with equal labels; may be empty.
    void setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                  const QStringList& titles = {});
    // Replaces one run. The selection stays, and follows its op, if the op exists in `view`.
    void replaceView(std::size_t run, RunViewPointer view);
    // The run whose ops end where the user drags them, in its row or in that of a run with the same
    // schedule; -1: none. Emits opScaled().
    void setEditable(int run);
    // Prepares the runs synchronously; ignores nullptr.
    void setRuns(std::vector<std::shared_ptr<const engine::Run>> runs, std::size_t baseline);
    // The numbers of the runs of setViews(); nullptr: unknown. Compact rows follow the ranking.
    void setNumbers(CompareNumbersPointer numbers);
    void setBaseline(std::size_t run);
    void setCurrent(int run); // chooses a run without a signal; -1: none
    int current() const { return m_scene.current; }
    void setExpanded(std::size_t run, bool isExpanded); // only compact rows change
    bool isExpanded(std::size_t run) const;
    void setLane(LaneOf lane);
    void setAlign(CompareAlign align);
    void setGhost(bool hasGhost); // outlines of the baseline over the other runs
    // Selects an item of a run and scrolls to it.
    void select(std::size_t run, const Selection& selection);
    bool isCompact() const { return m_scene.rows.isCompact(); }
    const CompareLayout& rows() const { return m_scene.rows; }
    const RunViewPointer& view(std::size_t run) const { return m_scene.runs[run]; }
    int greatestHeight() const; // the widget has no use for more height
    QSize sizeHint() const override { return {1384, 582}; }
    QSize minimumSizeHint() const override { return {400, 200}; }

public Q_SLOTS:
    void zoomToFit() override { moveTo(m_scene.fit(), Remember::Yes); }
    void zoomToAll() override;
    void zoomToSelection() override; // zooms out if nothing is selected
    void blink();                    // key B: exchanges the first two runs in place

Q_SIGNALS:
    void selectionChanged(int run, const app::Selection& selection);
    void runChosen(int run); // by the user
    void rankRequested(profiler::RankBy by);
    void baselineRequested(int run);
    void openRequested(int run);
    void styleChanged(); // isCompact() changed
    // The selected op takes `ratio` times as long as before the signal. `isLast`: the button was
    // released.
    void opScaled(double ratio, bool isLast);

protected:
    bool isEmpty() const override { return m_scene.rows.rows.empty(); }
    QRectF timeArea() const override { return m_scene.rowsArea(); }
    engine::Window extent() const override
    {
        return {0, static_cast<std::int64_t>(compareEnd(m_scene.rows))};
    }
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;

    bool hover(QPointF at) override;
    bool isHovering() const override { return m_scene.hover.row >= 0; }
    void endHover() override { m_scene.hover = {}; }
    QString toolTip() const override;
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
    void relayout();
    void orderRows();
    void paintRows(QPainter& painter);
    void paintRow(QPainter& painter, const CompareRow& row);
    void setSelected(const CompareScene::Mark& mark);
    void choose(int run);
    void stepRun(int by);
    void reveal(const CompareScene::Mark& mark);
    void showMenu(std::size_t run, const QPoint& at);
    QString rowToolTip(const CompareRow& row) const;

    // The op whose end is at a point, in the editable run or one of the same schedule; nullopt:
    // none.
    std::optional<CompareScene::Mark> endAt(QPointF at) const;
    // The same op in the editable run; nullopt if the schedules differ.
    std::optional<CompareScene::Mark> editableOf(const CompareScene::Mark& mark) const;

    // An op whose end is dragged.
    struct Resize
    {
        double ticksPerPixel = 1;
        std::int64_t before = 0, now = 0; // the duration pressed and as last reported
    };

    CompareScene m_scene;
    int m_editable = -1;
    std::optional<Resize> m_resize;
    std::vector<CachedPicture> m_pictures; // [run] of its row
};

} // namespace app
