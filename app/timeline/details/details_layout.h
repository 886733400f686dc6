#pragma once

#include "app/timeline/details/details.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <functional>

class QWidget;

namespace app {

class BoxColours;

// The small pictures of the details panel, in the colours of the lanes.

class SwatchPicture : public QWidget
{
    Q_OBJECT

public:
    // Position of the picture in a chain; a line connects it to its neighbours.
    enum class Chain { None, First, Middle, Last };

    SwatchPicture(const ThemeController& theme, const Swatch& swatch, int size, Chain chain);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    Swatch m_swatch;
    int m_size;
    Chain m_chain;
};

class ShareBarPicture : public QWidget
{
    Q_OBJECT

public:
    ShareBarPicture(const ThemeController& theme, std::vector<DetailsBar::Part> parts);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    std::vector<DetailsBar::Part> m_parts;
};

// The two bars of a pair, with `before` above `after`.
class PairPicture : public QWidget
{
    Q_OBJECT

public:
    PairPicture(const ThemeController& theme, const DetailsPair& pair, double limit);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    DetailsPair m_pair;
    double m_limit;
};

class StageStripPicture : public QWidget
{
    Q_OBJECT

public:
    StageStripPicture(const ThemeController& theme, StageStrip strip);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF boxOf(const StageStrip::Box& box) const;
    void paintBox(QPainter& painter, const BoxColours& colours, const StageStrip::Box& box) const;

    const ThemeController& m_theme;
    StageStrip m_strip;
};

class DotsPicture : public QWidget
{
    Q_OBJECT

public:
    using Follow = std::function<void(const Selection&)>;
    DotsPicture(const ThemeController& theme, DetailsDots dots, Follow follow);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override; // the tooltip of a dot

private:
    double x(double at) const;
    const DetailsDots::Dot* dotAt(QPointF at) const;

    const ThemeController& m_theme;
    DetailsDots m_dots;
    Follow m_follow;
};

// Creates a widget without a parent that shows `details`. `follow` is called when a link is
// clicked.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
