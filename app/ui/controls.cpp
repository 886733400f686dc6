#include "app/ui/controls.h"

#include "app/ui/text.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QDialog>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <QVariant>

#include <array>
#include <memory>
#include <utility>

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

QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind)
{
    auto* button = new QPushButton(text);
    button->setObjectName(objectName);
    button->setProperty("kind", QString::fromLatin1(kind));
    return button;
}

QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind,
                        QObject* receiver, const Clicked& clicked)
{
    QPushButton* button = makeButton(text, objectName, kind);
    QObject::connect(button, &QPushButton::clicked, receiver, clicked);
    return button;
}

QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind,
                        QAction* action)
{
    QPushButton* button = makeButton(text, objectName, kind);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::enabledChanged, button, &QWidget::setEnabled);
    button->setEnabled(action->isEnabled());
    return button;
}

template<class Action>
requires std::is_same_v<Action, QAction> QPushButton*
makeButton(Action* action, const char* objectName, const char* kind)
{
    QPushButton* button = makeButton(action->text(), objectName, kind, action);
    QObject::connect(action, &QAction::changed, button, [=] { button->setText(action->text()); });
    return button;
}
template QPushButton* makeButton(QAction*, const char*, const char*);

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

void copyText(const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
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

namespace {

template<class Target>
void follow(Target* target, Icon icon, const ThemeController& theme)
{
    const auto draw = [target, icon, &theme] {
        const Chrome& chrome = theme.theme().chrome;
        target->setIcon(makeIcon(icon, chrome.text2, chrome.lineStrong));
    };
    QObject::connect(&theme, &ThemeController::changed, target, draw);
    draw();
}

} // namespace

void followTheme(QAction* target, Icon icon, const ThemeController& theme)
{
    follow(target, icon, theme);
}

void followTheme(QAbstractButton* target, Icon icon, const ThemeController& theme)
{
    follow(target, icon, theme);
}

QToolButton* makeToolButton(QAction* action)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setFixedSize(28, 28);
    button->setIconSize({16, 16});
    return button;
}

QPushButton* makeActionButton(QAction* action)
{
    QPushButton* button = makeButton(
        action->text(), action->objectName() + QStringLiteral("Button"), "tool", action);
    const auto update = [action, button] {
        button->setChecked(action->isChecked());
        button->setIcon(action->icon());
        button->setToolTip(action->toolTip());
    };
    button->setCheckable(action->isCheckable());
    QObject::connect(action, &QAction::changed, button, update);
    update();
    return button;
}

QToolButton* makeIconButton(const char* name, Icon icon, const QString& tip,
                            const ThemeController& theme, QObject* receiver, const Clicked& clicked)
{
    auto* button = named(new QToolButton, name, tip);
    button->setAutoRaise(true);
    button->setFixedSize(24, 24);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(tip);
    followTheme(button, icon, theme);
    if (receiver != nullptr)
        QObject::connect(button, &QToolButton::clicked, receiver, clicked);
    return button;
}

namespace {

struct Look
{
    Icon icon;
    QColor Chrome::*ink;
    QColor Chrome::*tint;
};

const Look& lookOf(Band::Kind kind)
{
    static constexpr std::array<Look, 4> kLooks
        = {Look{Icon::Check, &Chrome::ok, &Chrome::okTint},
           Look{Icon::Warning, &Chrome::warning, &Chrome::warningTint},
           Look{Icon::Error, &Chrome::error, &Chrome::errorTint},
           Look{Icon::Info, &Chrome::text2, &Chrome::hover}};
    return kLooks[static_cast<std::size_t>(kind)];
}

} // namespace

Band::Band(const ThemeController& theme, Shape shape, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_shape(shape)
    , m_icon(new IconLabel(theme, Icon::Check, &Chrome::ok, 14))
    , m_label(makeLabel({}, "band"))
    , m_layout(spaced(new QHBoxLayout(this), QMargins(12, 8, 12, 8), 8))
{
    m_label->setWordWrap(true);
    m_label->setTextFormat(Qt::RichText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_layout->addWidget(m_icon, 0, Qt::AlignTop);
    m_layout->addWidget(m_label, 1);
}

void Band::show(Kind kind, const QString& bold, const QString& sentence)
{
    m_kind = kind;
    m_icon->setIcon(lookOf(kind).icon, lookOf(kind).ink);
    m_label->setText(
        QStringLiteral("<b>%1</b> %2")
            .arg(bold.toHtmlEscaped(),
                 sentence.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"))));
    setAccessibleName(bold + QLatin1Char(' ') + sentence);
    QWidget::show();
    update();
}

QPushButton* Band::addAction(const QString& text, QAnyStringView objectName, QObject* receiver,
                             const Clicked& clicked)
{
    QPushButton* button = receiver == nullptr
        ? makeButton(text, objectName, "tool")
        : makeButton(text, objectName, "tool", receiver, clicked);
    m_layout->addWidget(button, 0, Qt::AlignTop);
    return button;
}

void Band::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().chrome.*lookOf(m_kind).tint);
    const double radius = m_shape == Shape::Verdict ? 4 : 0;
    painter.drawRoundedRect(rect(), radius, radius);
}

EmptyState::EmptyState(const ThemeController& theme, const Texts& texts, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_fact(makeLabel(texts.fact, "section"))
    , m_advice(makeLabel(texts.advice, "small"))
{
    auto* column = spaced(new QVBoxLayout(this), QMargins(16, 16, 16, 16), 4);
    auto* icon = new IconLabel(theme, texts.icon,
                               texts.icon == Icon::Error ? &Chrome::error : &Chrome::text3, 22);
    column->addStretch();
    column->addWidget(icon, 0, Qt::AlignHCenter);
    column->addWidget(m_fact);
    column->addWidget(m_advice);
    for (QLabel* label : {m_fact, m_advice}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
    }
    if (!texts.action.isEmpty()) {
        m_button = makeButton(texts.action, "emptyAction", "tool", this, [this] { activated(); });
        column->addSpacing(4);
        column->addWidget(m_button, 0, Qt::AlignHCenter);
    }
    column->addStretch();
}

void EmptyState::setTexts(const QString& fact, const QString& advice, const QString& action)
{
    m_fact->setText(fact);
    m_advice->setText(advice);
    if (m_button != nullptr && !action.isEmpty())
        m_button->setText(action);
}

void EmptyState::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().chrome.lineStrong, 1, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

namespace {

constexpr int kTextPadding = 10; // left and right of the text

QFont fontOf(bool current)
{
    return uiFont(12, current ? QFont::Medium : QFont::Normal);
}

} // namespace

SegmentControl::SegmentControl(const ThemeController& theme, QStringList choices, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_choices(std::move(choices))
{
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setFixedHeight(28);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    speak();
}

void SegmentControl::setCurrent(int choice)
{
    if (choice == m_current || choice < 0 || choice >= m_choices.size())
        return;
    m_current = choice;
    speak();
    update();
    Q_EMIT currentChanged(choice);
}

void SegmentControl::setName(const QString& name)
{
    m_name = name;
    speak();
}

void SegmentControl::setText(int choice, const QString& text)
{
    m_choices[choice] = text;
    speak();
    updateGeometry();
    update();
}

// Sets the accessible name: "Times: measured".
void SegmentControl::speak()
{
    const QString choice = m_choices.value(m_current);
    setAccessibleName(m_name.isEmpty() ? choice : tr("%1: %2").arg(m_name, choice));
}

QSize SegmentControl::sizeHint() const
{
    const QRect last = segment(static_cast<int>(m_choices.size()) - 1);
    return {last.right() + 1, height()};
}

// Widths are measured with the bold font, so that nothing moves when the choice changes.
QRect SegmentControl::segment(int choice) const
{
    const QFontMetrics metrics(fontOf(true));
    int x = 0, width = 0;
    for (int i = 0; i <= choice; ++i) {
        x += width;
        width = metrics.horizontalAdvance(m_choices.at(i)) + 2 * kTextPadding;
    }
    return {x, 0, width, height()};
}

int SegmentControl::choiceAt(const QPoint& position) const
{
    for (int i = 0; i < m_choices.size(); ++i) {
        if (segment(i).contains(position))
            return i;
    }
    return -1;
}

void SegmentControl::paintEvent(QPaintEvent*)
{
    const Chrome& c = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath clip;
    clip.addRoundedRect(frame, 4, 4);
    painter.fillPath(clip, c.surface);
    for (int i = 0; i < m_choices.size(); ++i) {
        const QRect box = segment(i);
        painter.save();
        painter.setClipPath(clip);
        if (i == m_current || i == m_hovered)
            painter.fillRect(box, i == m_current ? c.pressed : c.hover);
        if (i > 0)
            painter.fillRect(QRect(box.left(), 0, 1, height()), c.lineStrong);
        painter.restore();
        painter.setFont(fontOf(i == m_current));
        painter.setPen(i == m_current ? c.text : c.text2);
        painter.drawText(box, Qt::AlignCenter, m_choices.at(i));
    }
    painter.setPen(QPen(hasFocus() ? c.text : c.lineStrong, hasFocus() ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(hasFocus() ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, 4, 4);
}

void SegmentControl::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int choice = choiceAt(event->position().toPoint());
    choice == m_current ? Q_EMIT chosenAgain(choice) : setCurrent(choice);
}

void SegmentControl::mouseMoveEvent(QMouseEvent* event)
{
    m_hovered = choiceAt(event->position().toPoint());
    update();
}

void SegmentControl::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void SegmentControl::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step != 0)
        setCurrent(m_current + step);
    else if (event->key() == Qt::Key_Space)
        Q_EMIT chosenAgain(m_current);
    else
        QWidget::keyPressEvent(event);
}

CardButton::CardButton(const ThemeController& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void CardButton::paintEvent(QPaintEvent*)
{
    const Chrome& c = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool strong = hasFocus() || isChecked();
    const double width = strong ? 2 : 1, half = width / 2;
    const bool hover = isEnabled() && underMouse();
    QColor fill = isDown() && isEnabled() ? c.pressed : hover ? c.hover : c.surface;
    if (m_isPrimary)
        fill = hover ? c.text2 : c.primary;
    const QColor frame = strong ? (m_isPrimary ? c.lineStrong : c.text)
        : m_isPrimary           ? fill
                                : c.line;
    painter.setBrush(fill);
    painter.setPen(m_hasFrame || hasFocus() ? QPen(frame, width) : QPen(Qt::NoPen));
    painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), m_hasFrame ? 6 : 0,
                            m_hasFrame ? 6 : 0);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintContent(painter);
}

void CardButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

void CardButton::text(QPainter& painter, const QRectF& box, const QString& text, const Type& type,
                      Qt::Alignment alignment) const
{
    painter.setFont(type.font);
    painter.setPen(type.ink);
    const QString shown = QFontMetrics(type.font).elidedText(text, Qt::ElideRight,
                                                             static_cast<int>(box.width()) + 1);
    painter.drawText(box, static_cast<int>(alignment | Qt::AlignVCenter), shown);
}

namespace {

enum Choice { Stay = QDialog::Rejected, Discard, Save };

} // namespace

QDialog* makeUnsavedDialog(const QString& what, int changes, QWidget* parent)
{
    constexpr int kWidth = 460;
    auto* dialog = named(new QDialog(parent), "unsavedDialog");
    const auto tr = [](const char* text) { return QDialog::tr(text); };
    dialog->setWindowTitle(tr("%1 has changes").arg(what));
    dialog->setFixedWidth(kWidth);
    const QString text = changes > 0
        ? tr("Discarding loses %1 and leaves the file on disk as it is.")
              .arg(countOf(changes, "change"))
        : tr("Discarding loses unsaved changes and leaves the file on disk as it is.");
    const auto button = [&](const QString& title, const char* name, int choice) {
        QPushButton* made = makeButton(title, name, choice == Save ? "primary" : "");
        made->setDefault(choice == Save);
        QObject::connect(made, &QPushButton::clicked, dialog, [=] { dialog->done(choice); });
        return made;
    };
    auto* buttons = spaced(new QHBoxLayout, {}, 8,
                           {button(tr("Discard"), "discardChanges", Discard), kStretch,
                            button(tr("Keep editing"), "keepEditing", Stay),
                            button(tr("Save"), "saveChanges", Save)});
    spaced(new QVBoxLayout(dialog), {20, 16, 20, 16}, 12,
           {makeLabel(dialog->windowTitle(), "heading"), makeWrapped("", "", text), buttons});
    return dialog;
}

bool mayDiscard(const QString& what, int changes, QWidget* parent,
                const std::function<bool()>& save)
{
    const std::unique_ptr<QDialog> dialog(makeUnsavedDialog(what, changes, parent));
    const int choice = dialog->exec();
    return choice == Save ? save() : choice == Discard;
}

} // namespace app
