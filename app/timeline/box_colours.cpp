#include "app/timeline/box_colours.h"

#include <algorithm>

namespace app {
namespace {

constexpr double kDimLight = 0.44, kDimDark = 0.46;

profiler::Colour fromQt(QColor colour)
{
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

} // namespace

QColor mixed(QColor from, QColor to, double share)
{
    return toQt(profiler::mix(fromQt(from), fromQt(to), share));
}

BoxColours::BoxColours(const Theme& theme, double dpr)
    : m_theme(theme)
    , m_bubble(toQt(theme.palette.bubble), toQt(theme.palette.bubbleLine), dpr)
    , m_selected(toQt(theme.palette.bubble),
                 theme.isDark() ? QColor(0x7A, 0x83, 0x91) : QColor(0x8C, 0x93, 0x9D), dpr)
{
    for (const Emphasis emphasis : {Emphasis::Normal, Emphasis::Dimmed}) {
        for (int kind = 0; kind < engine::kOpKinds; ++kind) {
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                engine::Op op;
                op.kind = static_cast<engine::OpKind>(kind);
                m_looks[kind][chunk][index(emphasis)]
                    = resolve(theme.palette.fill(op, chunk), emphasis);
            }
        }
        m_exposed[index(emphasis)] = resolve(theme.palette.exposed(), emphasis);
    }
    for (auto& byChunk : m_looks[static_cast<int>(engine::OpKind::OptimizerStep)])
        byChunk[0].edge = toQt(theme.palette.optimizerEdge);
}

BoxColours::Look BoxColours::resolve(profiler::Colour fill, Emphasis emphasis) const
{
    if (emphasis == Emphasis::Dimmed)
        fill = profiler::mix(fill, fromQt(surface()), m_theme.isDark() ? kDimDark : kDimLight);
    return {toQt(fill), toQt(m_theme.palette.inkOn(fill)), {}};
}

const BoxColours::Look& BoxColours::look(engine::OpKind kind, int chunk, Emphasis emphasis) const
{
    return m_looks[static_cast<int>(kind)][std::clamp(chunk, 0, kChunks - 1)][index(emphasis)];
}

} // namespace app
