#pragma once

#include "app/figures/figure_draft.h"
#include "app/ui/theme.h"
#include "profiler/figure/checks.h"
#include "profiler/figure/scene.h"

#include <QLayout>
#include <QWidget>

class QLabel;

namespace app {

class Band;

// Places items from left to right. An item that does not fit starts the next line.
class FlowLayout : public QLayout
{
    Q_OBJECT

public:
    explicit FlowLayout(int spacing, QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    // Calls `place` with every shown item and its position; returns the height.
    template<class Place>
    int arrange(int width, const Place& place) const;

    QList<QLayoutItem*> m_items;
};

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

// Shows a figure at its true size and enlarged, in normal, grey or simulated colour-blind colours,
// with the results of the print checks.
class FigurePreview : public QWidget
{
    Q_OBJECT

public:
    explicit FigurePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(FigureDraft draft);
    void addChecks(const std::vector<profiler::FigureCheck>& checks); // checks of the shown figure
    const FigureDraft& draft() const { return m_draft; }
    // The band that shows why there is no figure or no file; initially hidden.
    Band& band() { return *m_band; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePageHeader();
    QWidget* makeZoomHeader();
    void showScene();
    void showChecks();
    void setZoom(double zoom);

    const ThemeController& m_theme;
    FigureDraft m_draft;
    profiler::Sight m_sight = profiler::Sight::Colour;
    bool m_isZoomed = false; // the user has zoomed, so the figure is no longer fitted
    FigurePageView* m_page;
    FigureZoomView* m_zoom;
    QLabel *m_pageText, *m_zoomText;
    Band* m_band;
    FlowLayout* m_checks;
};

} // namespace app
