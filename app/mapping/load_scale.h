#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/controls.h"

#include <array>

namespace app {

// The kinds of load that a picture shows.
struct ShownLoads
{
    bool messages = true; // includes copies of stashes
    bool allReduces = true;

    template<class Load>
    double of(const Load& load) const
    {
        return (messages ? load.messages + load.copies : 0) + (allReduces ? load.allReduces : 0);
    }
};

// Colour and width of a link by its load, in four classes. The upper bound of the highest class is
// the largest load between two nodes in all compared mappings. Each other bound is a third of the
// next one.
class LoadScale
{
public:
    static constexpr int kClasses = 4;

    LoadScale() = default;
    explicit LoadScale(const MappingStudy& study);

    double bound(int index) const; // largest load of a class, in bytes
    int classOf(double bytes) const;
    static QColor colour(int index, const Theme& theme);
    static double width(int index); // width of the line, in pixels

private:
    double m_most = 0;
};

// The classes of a LoadScale with their bounds in GB.
class LoadLegend : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LoadLegend(const ThemeController& theme, QWidget* parent = nullptr);
    void show(const LoadScale& scale);
    QSize sizeHint() const override { return {420, 20}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    LoadScale m_scale;
};

} // namespace app
