#include "app/ui/controls.h"

#include "app/ui/text.h"

#include <QAction>
#include <QBoxLayout>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QMimeData>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QToolTip>
#include <QVariant>

namespace app {

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("role", QString::fromLatin1(role));
    return label;
}

QLabel* makeWrapped(const char* role, const char* objectName, const QString& text)
{
    QLabel* label = named(makeLabel(text, role), objectName);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QPushButton* makeButton(const QString& text, const QString& objectName, const char* kind)
{
    auto* button = new QPushButton(text);
    button->setObjectName(objectName);
    button->setProperty("kind", QString::fromLatin1(kind));
    return button;
}

QPushButton* makeButton(const QString& text, const QString& objectName, const char* kind,
                        QAction* action)
{
    QPushButton* button = makeButton(text, objectName, kind);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::enabledChanged, button, &QWidget::setEnabled);
    button->setEnabled(action->isEnabled());
    return button;
}

QPushButton* makeButton(QAction* action, const char* objectName, const char* kind)
{
    QPushButton* button = makeButton(action->text(), QString::fromLatin1(objectName), kind, action);
    QObject::connect(action, &QAction::changed, button, [=] { button->setText(action->text()); });
    return button;
}

QFrame* makeLine(Qt::Orientation orientation)
{
    auto* line = new QFrame;
    line->setProperty("line",
                      orientation == Qt::Horizontal ? QStringLiteral("h") : QStringLiteral("v"));
    if (orientation == Qt::Horizontal)
        line->setFixedHeight(1);
    else
        line->setFixedWidth(1);
    return line;
}

QScrollArea* makeScroll(QWidget* content)
{
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(content);
    return scroll;
}

QSplitter* makeSplitter(Qt::Orientation orientation)
{
    auto* made = new QSplitter(orientation);
    made->setHandleWidth(1);
    made->setChildrenCollapsible(false);
    return made;
}

QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<Pane> panes)
{
    QSplitter* made = makeSplitter(orientation);
    QList<int> sizes;
    for (const Pane& pane : panes) {
        made->addWidget(pane.widget);
        made->setStretchFactor(made->count() - 1, pane.stretch);
        sizes.append(pane.size);
    }
    made->setSizes(sizes);
    return made;
}

QWidget* makeSurface(const char* surface, QWidget* parent)
{
    auto* widget = new QWidget(parent);
    widget->setAttribute(Qt::WA_StyledBackground);
    widget->setProperty("surface", QString::fromLatin1(surface));
    return widget;
}

void fill(QBoxLayout& layout, std::initializer_list<Cell> cells)
{
    for (const Cell& cell : cells) {
        if (cell.widget != nullptr)
            layout.addWidget(cell.widget, cell.stretch, cell.alignment);
        else if (cell.layout != nullptr)
            layout.addLayout(cell.layout, cell.stretch);
        else
            layout.addStretch(cell.stretch);
    }
}

void clearLayout(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

QWidget* makeColumn(const QMargins& margins, int spacing, std::initializer_list<Cell> cells,
                    const char* surface)
{
    QWidget* column = makeSurface(surface);
    spaced(new QVBoxLayout(column), margins, spacing, cells);
    return column;
}

QWidget* makeRow(const QMargins& margins, int spacing, std::initializer_list<Cell> cells,
                 const char* surface)
{
    QWidget* row = makeSurface(surface);
    spaced(new QHBoxLayout(row), margins, spacing, cells);
    return row;
}

QWidget* makeBar(int height, int spacing, std::initializer_list<Cell> cells)
{
    QWidget* bar = makeRow({12, 0, 12, 0}, spacing, cells, "alt");
    bar->setFixedHeight(height);
    return bar;
}

QWidget* makeLined(std::initializer_list<Cell> parts)
{
    QWidget* all = makeSurface("plain");
    auto* layout = spaced(new QVBoxLayout(all), {}, 0);
    for (const Cell& part : parts) {
        if (layout->count() > 0)
            layout->addWidget(makeLine(Qt::Horizontal));
        fill(*layout, {part});
    }
    return all;
}

QWidget* makeFoot(std::initializer_list<Cell> buttons)
{
    QWidget* foot = makeRow({12, 0, 12, 0}, 8, buttons);
    foot->setFixedHeight(53);
    return foot;
}

QStringList localFiles(const QMimeData& data)
{
    QStringList files;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    return files;
}

void fitToScreen(QWidget& window)
{
    constexpr int kFrame = 64; // pixels for the window manager's frame and a margin
    const QSize room = window.screen()->availableGeometry().size() - QSize(0, kFrame);
    window.setMinimumSize(window.minimumSize().boundedTo(room));
    const QSize fitting = window.size().boundedTo(room);
    if (fitting != window.size() && !(window.windowState() & Qt::WindowMaximized))
        window.resize(fitting);
}

void setLook(QWidget* widget, const char* property, const QVariant& value)
{
    if (widget->property(property) == value)
        return;
    widget->setProperty(property, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

ThemedWidget::ThemedWidget(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

bool ThemedWidget::event(QEvent* event)
{
    const auto* help = event->type() == QEvent::ToolTip ? static_cast<QHelpEvent*>(event) : nullptr;
    const QString text = help != nullptr ? toolTipAt(help->pos()) : QString();
    if (text.isEmpty()) {
        if (help != nullptr && toolTip().isEmpty())
            QToolTip::hideText();
        return QWidget::event(event);
    }
    QToolTip::showText(help->globalPos(), toolTipText(text), this);
    return true;
}

ElidedLabel::ElidedLabel(const char* role, QWidget* parent)
    : QLabel(parent)
{
    setProperty("role", QString::fromLatin1(role));
    setTextFormat(Qt::PlainText);
}

QString ElidedLabel::shownText() const
{
    return fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(),
                          isEnabled(), shownText(), foregroundRole());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || shownText() == text())
        return QLabel::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), toolTipText(text()), this);
    return true;
}

IconLabel::IconLabel(const ThemeController& theme, Icon icon, Colour colour, int size,
                     QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_icon(icon)
    , m_colour(colour)
{
    setFixedSize(size, size);
}

void IconLabel::setIcon(Icon icon, Colour colour)
{
    m_icon = icon;
    m_colour = colour;
    update();
}

void IconLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintIcon(painter, m_icon, rect(), theme().chrome.*m_colour);
}

Tag::Tag(const ThemeController& theme, const QString& text, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(18);
    setText(text);
}

void Tag::setText(const QString& text)
{
    m_text = text;
    setFixedWidth(tagWidth(text));
    if (text.isEmpty() || parentWidget() != nullptr) // without a parent it would be a window
        setVisible(!text.isEmpty());
    setAccessibleName(text);
    update();
}

QSize Tag::sizeHint() const
{
    return {tagWidth(m_text), 18};
}

void Tag::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintTag(painter, rect(), m_text, theme());
}

int tagWidth(const QString& text)
{
    return QFontMetrics(uiFont(11)).horizontalAdvance(text) + 13;
}

void paintTag(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme)
{
    const Chrome& c = theme.chrome;
    const bool filled = text.startsWith(QStringLiteral("live"));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(filled ? c.primary : c.lineStrong, 1));
    painter.setBrush(filled ? QBrush(c.primary) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(filled ? c.primaryText : c.text2);
    painter.setFont(uiFont(11));
    painter.drawText(box, Qt::AlignCenter, text);
    painter.restore();
}

} // namespace app
