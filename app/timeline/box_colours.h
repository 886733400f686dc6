#pragma once

#include "app/models/theme.h"
#include "app/timeline/hatch.h"
#include "engine/schedule/schedule.h"

namespace app {

// The colours a lane is painted with, resolved once per theme: fills of all ops and chunks, dimmed
// ones, and the better ink on each.
class BoxColours
{
public:
    enum class Emphasis { Normal, Dimmed };
    struct Look
    {
        QColor fill, ink, edge; // edge: invalid, or the inner edge of the optimizer
    };

    BoxColours(const Theme& theme, double dpr);

    const Look& look(engine::OpKind kind, int chunk, Emphasis emphasis) const;
    const Look& exposed(Emphasis emphasis) const { return m_exposed[index(emphasis)]; }
    const Theme& theme() const { return m_theme; }
    QColor surface() const { return m_theme.chrome.surface; }
    const Hatch& bubble() const { return m_bubble; }
    const Hatch& selectedBubble() const { return m_selected; }
    QColor bubbleGround() const { return toQt(m_theme.palette.bubble); }

private:
    static constexpr int kChunks = 3; // later ones look like the third
    static std::size_t index(Emphasis emphasis) { return static_cast<std::size_t>(emphasis); }
    Look resolve(profiler::Colour fill, Emphasis emphasis) const;

    const Theme& m_theme;
    Look m_looks[engine::kOpKinds][kChunks][2];
    Look m_exposed[2];
    Hatch m_bubble, m_selected;
};

QColor mixed(QColor from, QColor to, double share); // share 0: from

} // namespace app
