#pragma once

#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <QAbstractScrollArea>
#include <QPixmap>

#include <functional>
#include <memory>
#include <optional>

namespace app {

// Shows a scene and lets the user choose its marks. A click, the arrow keys, Home and End select a
// mark, a double click or Enter opens it, and the tooltip describes it. We draw only the ring
// around a mark here, so that what is on the screen is what is exported. A scene that is too high
// scrolls.
class SceneView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    SceneView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::MarkedScene> scene); // nullptr: nothing
    using QWidget::show;
    void select(std::optional<std::size_t> point);
    // The arrow keys step through the marks in their order, and Esc clears the selection.
    void setListed() { m_isListed = true; }
    const profiler::MarkedScene* scene() const { return m_scene.get(); }
    // The mark under the mouse, or else the selected one; nullopt: none.
    std::optional<std::size_t> highlighted() const;
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a mark, in the viewport; empty if the scene does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void cleared();
    void highlightChanged();
    void resized();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    using Mark = profiler::SceneMark;
    const Mark* markAt(const QPoint& position) const; // nullptr: none
    const Mark* selected() const;
    const Mark* next(int key) const;
    void choose(const Mark* mark);
    void hover(const Mark* mark);
    void paintRing(QPainter& painter, const Mark& mark, double width) const;
    void describeSelection();
    void fitScrollBar();

    const ThemeController& m_theme;
    Describe m_describe;
    std::shared_ptr<const profiler::MarkedScene> m_scene;
    QPixmap m_picture; // picture of the whole scene
    std::optional<std::size_t> m_point = 0;
    const Mark* m_hovered = nullptr;
    bool m_isListed = false;
};

} // namespace app
