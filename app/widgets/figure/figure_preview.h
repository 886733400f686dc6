#pragma once

#include "app/figures/figure_draft.h"
#include "app/models/theme.h"
#include "profiler/figure/sight.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace app {

class Band;
class FigurePageView;
class FigureZoomView;

// A drafted figure at its true size and enlarged, as seen by readers, with the checks of its print.
class FigurePreview : public QWidget
{
    Q_OBJECT

public:
    explicit FigurePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(FigureDraft draft);
    const FigureDraft& draft() const { return m_draft; }
    Band& band() { return *m_band; } // why there is no figure or no file; hidden

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
    bool m_isZoomed = false; // by the user, so no longer fitted to the width
    FigurePageView* m_page;
    FigureZoomView* m_zoom;
    QLabel *m_pageText, *m_zoomText;
    Band* m_band;
    QHBoxLayout* m_checks;
};

} // namespace app
