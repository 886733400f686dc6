#include "app/ui/theme.h"

#include "engine/base/check.h"
#include "profiler/figure/font_metrics.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QStringList>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace app {
namespace {

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

// The colours are in the order of the members.
Chrome lightChrome()
{
    return {rgb(0xF3F4F6), rgb(0xFFFFFF), rgb(0xF8F9FA), rgb(0xE2E5EA), rgb(0xC9CED6),
            rgb(0xEDEFF2), rgb(0x1A1F27), rgb(0x525B68), rgb(0x646D7A), rgb(0xEEF0F3),
            rgb(0xE6E9EE), rgb(0xD9DEE6), rgb(0x1F2530), rgb(0xFFFFFF), rgb(0x146C43),
            rgb(0x8F5B00), rgb(0xB42318), rgb(0xE8F4EE), rgb(0xFBF1DD), rgb(0xFBEAE8)};
}

Chrome darkChrome()
{
    return {rgb(0x101317), rgb(0x15181D), rgb(0x191D23), rgb(0x282D35), rgb(0x3A414C),
            rgb(0x20252C), rgb(0xE7EAEE), rgb(0xA7AFBB), rgb(0x8B94A1), rgb(0x1F242B),
            rgb(0x262C35), rgb(0x313945), rgb(0xE7EAEE), rgb(0x14171C), rgb(0x5CC492),
            rgb(0xE0AE4F), rgb(0xF2877C), rgb(0x17271F), rgb(0x2B2415), rgb(0x2E1A18)};
}

profiler::ThemeMode modeFor(ThemeController::Choice choice, profiler::ThemeMode desktop)
{
    switch (choice) {
    case ThemeController::Choice::Light:
        return profiler::ThemeMode::Light;
    case ThemeController::Choice::Dark:
        return profiler::ThemeMode::Dark;
    case ThemeController::Choice::System:
        break;
    }
    return desktop;
}

// Qt before 6.5 cannot query the colour scheme, but on a dark desktop the window colour is dark.
profiler::ThemeMode desktopMode()
{
    const QColor window = QGuiApplication::palette().color(QPalette::Window);
    return window.lightness() < 128 ? profiler::ThemeMode::Dark : profiler::ThemeMode::Light;
}

} // namespace

Theme makeTheme(profiler::ThemeMode mode, const QString& palette)
{
    auto loaded = profiler::loadPalette(palette.toStdString(), mode);
    CHECK(loaded.has_value()); // palettes are compiled in
    return {mode, mode == profiler::ThemeMode::Dark ? darkChrome() : lightChrome(), *loaded};
}

QColor toQt(profiler::Colour colour)
{
    return {colour.red, colour.green, colour.blue};
}

void addProgramFonts()
{
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(profiler::programFonts(), ignored))
        QFontDatabase::addApplicationFont(QString::fromStdString(file.path().string()));
}

QFont uiFont(int pixelSize, QFont::Weight weight)
{
    // Cached, because a fontconfig query takes longer than drawing a cell.
    static const QFont kBase = QFontDatabase::hasFamily(QStringLiteral("Roboto"))
        ? QFont(QStringLiteral("Roboto"))
        : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    QFont font = kBase;
    font.setPixelSize(pixelSize);
    font.setWeight(weight);
    return font;
}

QFont codeFont(int pixelSize)
{
    QFont font(QStringLiteral("monospace")); // an alias that fontconfig resolves
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPixelSize(pixelSize);
    return font;
}

ThemeController::ThemeController(QObject* parent)
    : QObject(parent)
    , m_desktop(desktopMode())
    , m_theme(makeTheme(m_desktop))
{ }

void ThemeController::setChoice(Choice choice)
{
    setLook(choice, m_palette);
}

void ThemeController::setLook(Choice choice, const QString& palette)
{
    const auto names = profiler::paletteNames();
    const bool isKnown = std::ranges::find(names, palette.toStdString()) != names.end();
    const QString known = isKnown ? palette : QString::fromStdString(names.front());
    m_choice = choice;
    const bool isOtherMode = modeFor(choice, m_desktop) != m_theme.mode;
    const bool isOtherPalette = known != std::exchange(m_palette, known);
    if (isOtherMode || isOtherPalette)
        remake();
}

void ThemeController::setUnits(Units units)
{
    if (units == app::units())
        return;
    app::setUnits(units);
    Q_EMIT unitsChanged();
    Q_EMIT changed();
}

void ThemeController::remake()
{
    m_theme = makeTheme(modeFor(m_choice, m_desktop), m_palette);
    Q_EMIT changed();
}

profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette)
{
    using profiler::Colour;
    using enum profiler::KernelKind;
    const bool isDark = palette.mode == profiler::ThemeMode::Dark;
    switch (kind) {
    case Matmul:
        return isDark ? Colour{0xA7, 0xAF, 0xBB} : Colour{0x52, 0x5B, 0x68};
    case Norm: // between matmul and attention, because closer tones would be hard to distinguish
        return isDark ? Colour{0x86, 0x8F, 0x9D} : Colour{0x6E, 0x78, 0x86};
    case Attention:
        return isDark ? Colour{0x66, 0x70, 0x81} : Colour{0x8B, 0x95, 0xA4};
    case Elementwise:
        return isDark ? Colour{0x48, 0x51, 0x5E} : Colour{0xBC, 0xC3, 0xCD};
    case Other:
        return isDark ? Colour{0x33, 0x3A, 0x44} : Colour{0xDD, 0xE1, 0xE7};
    case Copy:
        return profiler::mix(palette.communication, palette.surface, 0.42);
    case Memset:
        return profiler::mix(palette.communication, palette.surface, 0.72);
    case Nccl:
        break;
    }
    return palette.communication;
}

namespace {

// Paths in a subset of SVG's language on a 16 x 16 grid, in absolute coordinates: M L C Z, and "O x
// y r" for a circle. A path that starts with "fill" is filled instead of drawn as a line.
struct Drawing
{
    Icon icon;
    std::string_view path;
};

constexpr std::array kDrawings = {
    Drawing{Icon::Run, "fill M 5 3 L 13 8 L 5 13 Z"},
    Drawing{Icon::Stop, "fill M 4 4 L 12 4 L 12 12 L 4 12 Z"},
    Drawing{Icon::Pause, "fill M 4 3 L 7 3 L 7 13 L 4 13 Z M 9 3 L 12 3 L 12 13 L 9 13 Z"},
    Drawing{Icon::Open, "M 2 13 L 2 3.5 L 6 3.5 L 7.5 5.5 L 14 5.5 L 14 13 Z"},
    Drawing{Icon::Search, "O 7 7 4 M 10 10 L 14 14"},
    Drawing{Icon::Close, "M 4.5 4.5 L 11.5 11.5 M 11.5 4.5 L 4.5 11.5"},
    Drawing{Icon::Plus, "M 8 3.5 L 8 12.5 M 3.5 8 L 12.5 8"},
    Drawing{Icon::Check, "M 3 8.5 L 6.5 12 L 13 4.5"},
    Drawing{Icon::Warning, "M 8 2.2 L 14.6 13.6 L 1.4 13.6 Z M 8 6.4 L 8 9.8 M 8 11.3 L 8 12.1"},
    Drawing{Icon::Error, "O 8 8 6 M 5.8 5.8 L 10.2 10.2 M 10.2 5.8 L 5.8 10.2"},
    Drawing{Icon::Info, "O 8 8 6 M 8 7.2 L 8 11.2 M 8 4.8 L 8 5.6"},
    Drawing{Icon::ChevronLeft, "M 10 3.5 L 5.5 8 L 10 12.5"},
    Drawing{Icon::ChevronRight, "M 6 3.5 L 10.5 8 L 6 12.5"},
    Drawing{Icon::ChevronUp, "M 4 10 L 8 6 L 12 10"},
    Drawing{Icon::ChevronDown, "M 4 6 L 8 10 L 12 6"},
    Drawing{Icon::Copy,
            "M 5.5 5.5 L 13.5 5.5 L 13.5 13.5 L 5.5 13.5 Z M 10.5 3 L 10.5 2.5 L 2.5 2.5 "
            "L 2.5 10.5 L 3 10.5"},
    Drawing{Icon::Export,
            "M 2.5 9.5 L 2.5 13.5 L 13.5 13.5 L 13.5 9.5 M 8 10.5 L 8 2.5 M 4.8 5.7 L 8 "
            "2.5 L 11.2 5.7"},
    Drawing{Icon::Fit,
            "M 2.5 5.5 L 2.5 2.5 L 5.5 2.5 M 10.5 2.5 L 13.5 2.5 L 13.5 5.5 M 13.5 10.5 L "
            "13.5 13.5 L 10.5 13.5 M 5.5 13.5 L 2.5 13.5 L 2.5 10.5 M 5.5 8 L 10.5 8"},
    Drawing{Icon::Compare,
            "M 2.5 3.5 L 10.5 3.5 M 4.5 6.5 L 13.5 6.5 M 2.5 9.5 L 8.5 9.5 M 4.5 12.5 L "
            "11.5 12.5"},
    Drawing{Icon::Chip,
            "M 4 4 L 12 4 L 12 12 L 4 12 Z M 6.5 6.5 L 9.5 6.5 L 9.5 9.5 L 6.5 9.5 Z M 6 4 "
            "L 6 1.8 M 10 4 L 10 1.8 M 6 12 L 6 14.2 M 10 12 L 10 14.2 M 4 6 L 1.8 6 M 4 "
            "10 L 1.8 10 M 12 6 L 14.2 6 M 12 10 L 14.2 10"},
    Drawing{Icon::Chart, "M 2.5 2.5 L 2.5 13.5 L 13.5 13.5 M 4.5 10.5 L 7.5 6.5 L 10 9 L 13 4"},
    Drawing{Icon::More, "fill O 3.5 8 1.2 O 8 8 1.2 O 12.5 8 1.2"},
    Drawing{Icon::Refresh,
            "M 13 8 C 13 14.5 3 14.5 3 8 C 3 1.5 11 1.5 12.5 6 M 12.8 2.8 L 12.6 6.2 L "
            "9.3 5.8"},
    Drawing{Icon::Disk,
            "M 3 4 C 3 1.8 13 1.8 13 4 C 13 6.2 3 6.2 3 4 Z M 3 4 L 3 12 C 3 14.2 13 14.2 "
            "13 12 L 13 4"},
    Drawing{Icon::Note, "M 2.5 3 L 13.5 3 L 13.5 11 L 7.5 11 L 4.5 14 L 4.5 11 L 2.5 11 Z"},
    Drawing{Icon::Path, "M 2 12.5 L 6 12.5 L 6 8 L 10 8 L 10 3.5 L 14 3.5"},
    Drawing{Icon::ZoomIn, "O 7 7 4 M 10 10 L 14 14 M 7 5.2 L 7 8.8 M 5.2 7 L 8.8 7"},
};

QPainterPath parsePath(const QStringList& words)
{
    QPainterPath path;
    const auto number = [&](qsizetype i) { return words.at(i).toDouble(); };
    const auto point = [&](qsizetype i) { return QPointF(number(i), number(i + 1)); };
    for (qsizetype i = 0; i < words.size();) {
        const char command = words.at(i).at(0).toLatin1();
        if (command == 'M')
            path.moveTo(point(i + 1));
        if (command == 'L')
            path.lineTo(point(i + 1));
        if (command == 'C')
            path.cubicTo(point(i + 1), point(i + 3), point(i + 5));
        if (command == 'O')
            path.addEllipse(point(i + 1), number(i + 3), number(i + 3));
        if (command == 'Z')
            path.closeSubpath();
        i += command == 'C' ? 7 : command == 'O' ? 4 : command == 'Z' || command == 'f' ? 1 : 3;
    }
    return path;
}

class PathIconEngine : public QIconEngine
{
public:
    PathIconEngine(Icon icon, const QColor& colour, const QColor& disabled)
        : m_icon(icon)
        , m_colour(colour)
        , m_disabled(disabled.isValid() ? disabled : colour)
    { }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        paintIcon(*painter, m_icon, rect, mode == QIcon::Disabled ? m_disabled : m_colour);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new PathIconEngine(*this); }

private:
    Icon m_icon;
    QColor m_colour, m_disabled;
};

} // namespace

void paintIcon(QPainter& painter, Icon icon, const QRectF& box, const QColor& colour)
{
    for (const Drawing& drawing : kDrawings) {
        if (drawing.icon != icon)
            continue;
        const QString text
            = QString::fromLatin1(drawing.path.data(), static_cast<qsizetype>(drawing.path.size()));
        const bool filled = text.startsWith(QStringLiteral("fill"));
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.translate(box.topLeft());
        painter.scale(box.width() / 16, box.height() / 16);
        painter.setPen(filled ? QPen(Qt::NoPen)
                              : QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(filled ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawPath(parsePath(text.split(QLatin1Char(' '))));
        painter.restore();
    }
}

QIcon makeIcon(Icon icon, const QColor& colour, const QColor& disabled)
{
    return QIcon(new PathIconEngine(icon, colour, disabled));
}

void paintLogo(QPainter& painter, const QRectF& box, bool dark)
{
    struct Bar
    {
        double x, y, width;
        QRgb light, dark;
    };
    // The rows of a small pipeline: forward in blue, backward in teal, weight gradient in yellow.
    constexpr Bar kBars[] = {{0, 1, 6, 0x315AC2, 0x5B7CDE},  {7, 1, 8, 0x315AC2, 0x5B7CDE},
                             {1, 5, 4, 0x315AC2, 0x5B7CDE},  {6, 5, 6, 0x23AA9C, 0x3CC2BB},
                             {13, 5, 3, 0x315AC2, 0x5B7CDE}, {2, 9, 5, 0x23AA9C, 0x3CC2BB},
                             {8, 9, 4, 0x315AC2, 0x5B7CDE},  {13, 9, 3, 0x23AA9C, 0x3CC2BB},
                             {3, 13, 4, 0xFEBD29, 0xF5C549}, {8, 13, 8, 0x23AA9C, 0x3CC2BB}};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    const double sx = box.width() / 16, sy = box.height() / 16;
    for (const Bar& bar : kBars)
        painter.fillRect(QRectF(box.x() + bar.x * sx, box.y() + bar.y * sy, bar.width * sx, 3 * sy),
                         QColor::fromRgb(dark ? bar.dark : bar.light));
    painter.restore();
}

QIcon applicationIcon()
{
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintLogo(painter, QRectF(0, 0, size, size), false);
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace app
