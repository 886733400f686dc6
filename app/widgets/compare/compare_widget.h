#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace app {

// Several runs stacked under one ruler at one scale (never stretched to flatter a slower run), end
// markers, the gap to the baseline measured in the empty space, a column of key numbers (mockup
// compare.png). Runs in abstract units stand under a ruler of their own, which says so.
class CompareWidget : public QWidget
{
    Q_OBJECT

public:
    explicit CompareWidget(const ThemeController& theme, QWidget* parent = nullptr);
    ~CompareWidget() override;

    void setViews(std::vector<RunViewPointer> views, std::size_t baseline);
    // Prepares them here and now; null ones are left out.
    void setRuns(std::vector<std::shared_ptr<const engine::Run>> runs, std::size_t baseline);
    void setBaseline(std::size_t run);
    int greatestHeight() const; // more would be left blank
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void zoomToFit();
    void zoomBack();
    void zoomForward();
    void blink(); // B: swaps the first two runs in place

Q_SIGNALS:
    void selectionChanged(int run, const app::Selection& selection);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
