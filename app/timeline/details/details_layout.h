#pragma once

#include "app/timeline/details/details.h"
#include "app/timeline/paint/box_colours.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace app {

// A small picture of the details, in the colours of the lanes.
class DetailsPicture : public QWidget
{
public:
    using Paint
        = std::function<void(QPainter& painter, const BoxColours& colours, const QSize& size)>;

    DetailsPicture(const ThemeController& theme, Paint paint);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    Paint m_paint;
};

class ShareBarPicture : public DetailsPicture
{
public:
    ShareBarPicture(const ThemeController& theme, std::vector<DetailsBar::Part> parts);
};

// Creates a widget without a parent that shows `details`. `follow` is called when a link is
// clicked.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
