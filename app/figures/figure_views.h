#pragma once

#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <QWidget>

namespace app {

// The figure at its true size on a mock page with text around it. The page is white in both themes.
// A figure wider than the view is scaled down; pageText() states the scale.
class FigurePageView : public QWidget
{
    Q_OBJECT

public:
    explicit FigurePageView(const ThemeController& theme, QWidget* parent = nullptr);

    void setScene(const profiler::Scene& scene);
    QString pageText() const; // "in a two-column page, this screen at 96 dpi"
    QSize sizeHint() const override { return {736, 372}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    // Pixels per point of this screen; less if the figure would not fit.
    double pixelsPerPoint() const;
    bool isColumn() const;
    bool isSlide() const;
    void paintMeasure(QPainter& painter, double left, double width) const;
    void paintText(QPainter& painter, double left, double below) const;
    double paintCaption(QPainter& painter, const QRectF& place) const;

    const ThemeController& m_theme;
    profiler::Scene m_scene;
};

class FigureZoomView : public QWidget
{
    Q_OBJECT

public:
    explicit FigureZoomView(const ThemeController& theme, QWidget* parent = nullptr);

    void setScene(const profiler::Scene& scene);
    void setZoom(double zoom); // 1 is the true size
    double zoom() const { return m_zoom; }
    // The largest zoom, up to 2.5, at which the whole figure fits into `width` pixels.
    double fittingZoom(int width) const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    profiler::Scene m_scene;
    double m_zoom = 2.5;
};

} // namespace app
