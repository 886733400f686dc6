#pragma once

#include "app/widgets/compare/compare_scene.h"
#include "app/widgets/timeline/time_canvas.h"

namespace app {

// Several runs below each other with one ruler and one time scale, with end markers, the gap to the
// baseline, and a column of key numbers. Runs in abstract units have a ruler of their own, with a
// note.
class CompareWidget : public TimeCanvas
{
    Q_OBJECT

public:
    explicit CompareWidget(const ThemeController& theme, QWidget* parent = nullptr);

    void setViews(std::vector<RunViewPointer> views, std::size_t baseline);
    // Prepares the runs synchronously; ignores nullptr.
    void setRuns(std::vector<std::shared_ptr<const engine::Run>> runs, std::size_t baseline);
    void setBaseline(std::size_t run);
    int greatestHeight() const; // the widget has no use for more height
    QSize sizeHint() const override { return {1384, 582}; }
    QSize minimumSizeHint() const override { return {400, 200}; }

public Q_SLOTS:
    void zoomToFit() override { moveTo(m_scene.fit(), Remember::Yes); }
    void zoomToAll() override { zoomToFit(); }
    void zoomToSelection() override; // zooms out if nothing is selected
    void blink();                    // key B: exchanges the first two runs in place

Q_SIGNALS:
    void selectionChanged(int run, const app::Selection& selection);

protected:
    bool isEmpty() const override { return m_scene.rows.rows.empty(); }
    QRectF timeArea() const override { return m_scene.rowsArea(); }
    engine::Window extent() const override { return {0, static_cast<std::int64_t>(kCompareWhole)}; }
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;

    bool hover(QPointF at) override;
    bool isHovering() const override { return m_scene.hover.row >= 0; }
    void endHover() override { m_scene.hover = {}; }
    QString toolTip() const override;
    void click(QPointF at) override { setSelected(m_scene.hit(at)); }
    void selectRange(QPointF from, double toX) override;
    void clearSelection() override { setSelected({}); }
    std::optional<ViewWindow> openAt(QPointF at) override;
    bool ownKey(int key, Qt::KeyboardModifiers modifiers) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void relayout();
    void setSelected(const CompareScene::Mark& mark);
    void reveal(const CompareScene::Mark& mark);

    CompareScene m_scene;
    CachedPicture m_rows;
};

} // namespace app
