#include "app/ui/theme.h"

#include "engine/base/check.h"
#include "profiler/figure/font_metrics.h"
#include "resources/resources.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHash>
#include <QHelpEvent>
#include <QIconEngine>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStringList>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolTip>

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

namespace {

class Frame : public QWidget
{
public:
    Frame(const ThemeController& theme, QWidget* around)
        : QWidget(around)
        , m_theme(theme)
    {
        setObjectName(QStringLiteral("focusFrame"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        around->installEventFilter(this);
        setGeometry(around->rect());
        raise();
        show();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            setGeometry(parentWidget()->rect());
        return QWidget::eventFilter(watched, event);
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        // Lighter than the ring of a button, because it is around a large area.
        painter.setPen(QPen(m_theme.theme().chrome.text3, 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

private:
    const ThemeController& m_theme;
};

// Returns whether a widget would paint over a frame that the style draws around its content. Scroll
// areas and opaque widgets (the timelines) do.
bool framesNothingItself(const QObject* object)
{
    const auto* widget = qobject_cast<const QWidget*>(object);
    return widget != nullptr
        && (qobject_cast<const QAbstractScrollArea*>(widget) != nullptr
            || widget->testAttribute(Qt::WA_OpaquePaintEvent));
}

} // namespace

FocusRing::FocusRing(const ThemeController& theme, QObject* application)
    : QObject(application)
    , m_theme(theme)
{
    application->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    const bool isMouse = event->type() == QEvent::MouseButtonPress;
    if (event->type() == QEvent::FocusIn) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        const bool isByKeyboard = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
        if (isByKeyboard && framesNothingItself(watched) && !m_frame)
            m_frame = new Frame(m_theme, static_cast<QWidget*>(watched));
    } else if ((event->type() == QEvent::FocusOut || isMouse) && m_frame
               && (watched == m_frame->parent() || isMouse)) {
        m_frame->hide();
        m_frame->deleteLater();
        m_frame.clear();
    }
    return QObject::eventFilter(watched, event);
}

namespace {

QHash<QString, QString> tokens(const Chrome& c)
{
    const std::pair<const char*, QColor> colours[] = {{"window", c.window},
                                                      {"surface", c.surface},
                                                      {"surface-alt", c.surfaceAlt},
                                                      {"line", c.line},
                                                      {"line-strong", c.lineStrong},
                                                      {"grid", c.grid},
                                                      {"text", c.text},
                                                      {"text-2", c.text2},
                                                      {"text-3", c.text3},
                                                      {"hover", c.hover},
                                                      {"selected", c.selected},
                                                      {"pressed", c.pressed},
                                                      {"primary", c.primary},
                                                      {"primary-text", c.primaryText},
                                                      {"ok", c.ok},
                                                      {"warning", c.warning},
                                                      {"error", c.error},
                                                      {"ok-tint", c.okTint},
                                                      {"warning-tint", c.warningTint},
                                                      {"error-tint", c.errorTint}};
    QHash<QString, QString> result;
    for (const auto& [name, colour] : colours)
        result.insert(QString::fromLatin1(name), colour.name());
    return result;
}

bool isTokenCharacter(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('-');
}

} // namespace

QString styleSheet(const Theme& theme)
{
    const std::string_view text = resources::find("style/window.qss");
    const QString source = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    const QHash<QString, QString> values = tokens(theme.chrome);
    QString result;
    for (qsizetype i = 0; i < source.size();) {
        if (source[i] != QLatin1Char('@')) {
            result += source[i++];
            continue;
        }
        qsizetype end = i + 1;
        while (end < source.size() && isTokenCharacter(source[end]))
            ++end;
        const auto value = values.constFind(source.mid(i + 1, end - i - 1));
        CHECK(value != values.constEnd()); // fails if the sheet has an unknown token
        result += *value;
        i = end;
    }
    return result;
}

QPalette chromePalette(const Theme& theme)
{
    const Chrome& c = theme.chrome;
    QPalette palette(c.surface, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.surface);
    palette.setColor(QPalette::AlternateBase, c.surfaceAlt);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::Button, c.surface);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::PlaceholderText, c.text3);
    palette.setColor(QPalette::ToolTipBase, c.surface);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.primary);
    palette.setColor(QPalette::HighlightedText, c.primaryText);
    palette.setColor(QPalette::Link, c.text);
    palette.setColor(QPalette::LinkVisited, c.text);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, c.text3);
    return palette;
}

namespace {

constexpr int kFieldHeight = 28;
constexpr int kSpinWidth = 20;

// Shows tooltips as plain text unless the widget has the property kHtmlToolTip.
class PlainToolTips : public QObject
{
public:
    using QObject::QObject;

    bool eventFilter(QObject* object, QEvent* event) override
    {
        const auto* widget = qobject_cast<QWidget*>(object);
        if (event->type() != QEvent::ToolTip || widget == nullptr || widget->toolTip().isEmpty()
            || widget->property(kHtmlToolTip).toBool())
            return false;
        const QString text = toolTipText(widget->toolTip());
        if (text == widget->toolTip())
            return false;
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text);
        return true;
    }
};

// Sets the style sheet of its parent to that of the theme. Updates a hidden parent when it is
// shown, because Qt then polishes all widgets below it.
class SheetOfTheme : public QObject
{
public:
    SheetOfTheme(QWidget& root, const ThemeController& theme)
        : QObject(&root)
        , m_root(root)
        , m_theme(theme)
    {
        root.installEventFilter(this);
        connect(&theme, &ThemeController::changed, this, [this] {
            if (m_root.isVisible())
                update();
        });
        update();
    }

    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Show)
            update();
        return false;
    }

private:
    void update()
    {
        if (const QString sheet = styleSheet(m_theme.theme()); sheet != m_root.styleSheet())
            m_root.setStyleSheet(sheet);
    }

    QWidget& m_root;
    const ThemeController& m_theme;
};

// Gives dialogs and other windows the style sheet before they are shown, unless they have inherited
// it from their parent.
class SheetsOfWindows : public QObject
{
public:
    using QObject::QObject;

    bool eventFilter(QObject* object, QEvent* event) override
    {
        auto* widget
            = event->type() == QEvent::WinIdChange ? qobject_cast<QWidget*>(object) : nullptr;
        if (widget != nullptr && widget->isWindow() && widget->internalWinId() != 0
            && widget->style() == QApplication::style()
            && qobject_cast<QMainWindow*>(widget) == nullptr)
            followStyleSheet(*widget);
        return false;
    }
};

} // namespace

ControlStyle::ControlStyle(const ThemeController& theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    , m_theme(theme)
{ }

void ControlStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) != nullptr
        && widget->focusPolicy() == Qt::StrongFocus)
        widget->setFocusPolicy(Qt::TabFocus);
    if (qobject_cast<QComboBox*>(widget) != nullptr)
        widget->setAttribute(Qt::WA_Hover);
    if (qobject_cast<QAbstractSpinBox*>(widget) != nullptr)
        widget->setFixedHeight(kFieldHeight - 2); // Qt 6.8 would make it higher
    // Text that comes from a file is never interpreted as HTML; labels with our own HTML set
    // Qt::RichText. PlainToolTips handles tooltips.
    if (auto* label = qobject_cast<QLabel*>(widget);
        label != nullptr && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
        label->setTextFormat(Qt::PlainText);
}

// Draws the frame of a field: 2 px if it has the focus, otherwise 1 px. The frame has the error
// colour if the value is invalid, and otherwise the text colour if it has the focus.
void ControlStyle::drawField(QPainter& painter, const QStyleOption& option,
                             const QWidget* widget) const
{
    const Chrome& c = m_theme.theme().chrome;
    const bool enabled = option.state.testFlag(State_Enabled);
    const bool focus = option.state.testFlag(State_HasFocus);
    const bool invalid = widget != nullptr && widget->property("invalid").toBool();
    const QColor line = invalid ? c.error : focus ? c.text : enabled ? c.lineStrong : c.line;
    const double width = focus ? 2 : 1;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, width));
    painter.setBrush(enabled ? c.surface : c.surfaceAlt);
    const double half = width / 2;
    painter.drawRoundedRect(QRectF(option.rect).adjusted(half, half, -half, -half), 4, 4);
}

void ControlStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                      QPainter* painter, const QWidget* widget) const
{
    const Chrome& c = m_theme.theme().chrome;
    const bool enabled = option->state.testFlag(State_Enabled);
    if (control == CC_ComboBox) {
        painter->save();
        drawField(*painter, *option, widget);
        const QRect r = option->rect;
        paintIcon(*painter, Icon::ChevronDown, QRectF(r.right() - 20, r.center().y() - 6.5, 13, 13),
                  enabled ? c.text2 : c.text3);
        painter->restore();
        return;
    }
    if (control == CC_SpinBox) {
        painter->save();
        drawField(*painter, *option, widget);
        const QRect up = subControlRect(control, option, SC_SpinBoxUp, widget);
        if (up.isValid()) {
            const QRect down = subControlRect(control, option, SC_SpinBoxDown, widget);
            painter->fillRect(
                QRect(up.left() - 1, option->rect.top() + 3, 1, option->rect.height() - 6), c.line);
            const auto box = [](const QRect& r) {
                return QRectF(QRectF(r).center() - QPointF(5, 5), QSizeF(10, 10));
            };
            paintIcon(*painter, Icon::ChevronUp, box(up), enabled ? c.text2 : c.text3);
            paintIcon(*painter, Icon::ChevronDown, box(down), enabled ? c.text2 : c.text3);
        }
        painter->restore();
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void ControlStyle::drawControl(ControlElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const
{
    if (element == CE_ComboBoxLabel) {
        const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        if (combo->editable)
            return; // its line edit draws the text
        const Chrome& c = m_theme.theme().chrome;
        painter->setPen(option->state.testFlag(State_Enabled) ? c.text : c.text3);
        const QRect box = option->rect.adjusted(9, 0, -24, 0);
        painter->drawText(
            box, Qt::AlignVCenter | Qt::AlignLeft,
            option->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, box.width()));
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void ControlStyle::drawIndicator(QPainter& painter, const QStyleOption& option, bool round) const
{
    const Chrome& c = m_theme.theme().chrome;
    const bool enabled = option.state.testFlag(State_Enabled);
    const bool on = option.state.testFlag(State_On);
    const QRectF box = QRectF(QRectF(option.rect).center() - QPointF(7, 7), QSizeF(14, 14))
                           .adjusted(.5, .5, -.5, -.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool filled = on && !round;
    painter.setPen(QPen(on ? (enabled ? c.primary : c.text3) : c.lineStrong, 1));
    painter.setBrush(filled ? (enabled ? c.primary : c.text3) : c.surface);
    if (round)
        painter.drawEllipse(box);
    else
        painter.drawRoundedRect(box, 3, 3);
    if (filled)
        paintIcon(painter, Icon::Check, box.adjusted(1.5, 1.5, -1.5, -1.5), c.primaryText);
    if (on && round) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(enabled ? c.primary : c.text3);
        painter.drawEllipse(box.adjusted(3, 3, -3, -3));
    }
    painter.restore();
}

void ControlStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawIndicator(*painter, *option, false);
        return;
    case PE_IndicatorRadioButton:
        drawIndicator(*painter, *option, true);
        return;
    case PE_FrameFocusRect: {
        if (qobject_cast<const QTabBar*>(widget) != nullptr
            || qobject_cast<const QPushButton*>(widget) != nullptr)
            return; // the style sheet draws the focus of tabs and buttons
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(m_theme.theme().chrome.text, 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 4, 4);
        painter->restore();
        return;
    }
    case PE_PanelItemViewRow:
        return; // the style sheet paints hover and selection
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

QRect ControlStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                   SubControl subControl, const QWidget* widget) const
{
    const QRect r = option->rect;
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control == CC_SpinBox && spin != nullptr) {
        const bool buttons = spin->buttonSymbols != QAbstractSpinBox::NoButtons;
        const int side = buttons ? kSpinWidth : 0;
        const int half = r.height() / 2;
        switch (subControl) {
        case SC_SpinBoxUp:
            return buttons ? QRect(r.right() - side, r.top() + 2, side, half - 2) : QRect();
        case SC_SpinBoxDown:
            return buttons ? QRect(r.right() - side, r.top() + half, side, half - 2) : QRect();
        case SC_SpinBoxEditField:
            return r.adjusted(8, 2, -side - 3, -2);
        case SC_SpinBoxFrame:
            return r;
        default:
            break;
        }
    }
    // From Qt 6.8 on, the style sheet's style draws the text of a combo box into this rectangle.
    if (control == CC_ComboBox && subControl == SC_ComboBoxEditField)
        return r.adjusted(9, 2, -24, -2);
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

QSize ControlStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                     const QSize& size, const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_ComboBox)
        return {size.width() + 38, kFieldHeight};
    if (type == CT_SpinBox)
        result.setHeight(kFieldHeight);
    return result;
}

int ControlStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                              const QWidget* widget) const
{
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 14;
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return 8;
    case PM_ToolTipLabelFrameWidth:
        return 1;
    case PM_SmallIconSize:
        return 16;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int ControlStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_ComboBox_Popup:
        return 0; // opens the list below the combo box, not over it
    case SH_ToolTip_WakeUpDelay:
        return 300;
    case SH_EtchDisabledText:
        return 0;
    case SH_ItemView_ActivateItemOnSingleClick:
        return 0; // a click selects a row, a double click opens it
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void followStyleSheet(QWidget& root)
{
    if (const auto* style = qobject_cast<ControlStyle*>(QApplication::style()))
        new SheetOfTheme(root, style->theme());
}

void applyLook(QApplication& application, ThemeController& theme)
{
    QApplication::setStyle(new ControlStyle(theme)); // the application owns it
    const auto apply = [&theme] {
        QApplication::setFont(uiFont(13));
        QApplication::setPalette(chromePalette(theme.theme()));
    };
    apply();
    new FocusRing(theme, &application);
    application.installEventFilter(new PlainToolTips(&application));
    application.installEventFilter(new SheetsOfWindows(&application));
    QObject::connect(&theme, &ThemeController::changed, &application, apply);
}

} // namespace app
