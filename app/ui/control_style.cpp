#include "app/ui/control_style.h"

#include "app/ui/text.h"
#include "engine/base/check.h"
#include "resources/resources.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QHash>
#include <QHelpEvent>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolTip>

namespace app {
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
