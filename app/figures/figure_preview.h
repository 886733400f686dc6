#pragma once

#include "app/figures/figure_recipe.h"
#include "app/ui/theme.h"
#include "profiler/figure/checks.h"
#include "profiler/figure/scene.h"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace app {

class Band;

class FigurePageView;
class FigureZoomView;

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
    QGridLayout* m_checks;
};

} // namespace app
