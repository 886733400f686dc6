#pragma once

#include "app/ui/theme.h"

#include <QAbstractButton>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QString>
#include <QStringList>

#include <functional>
#include <initializer_list>
#include <type_traits>

class QAction;
class QBoxLayout;
class QDialog;
class QHBoxLayout;
class QLayout;
class QMimeData;
class QPainter;
class QScrollArea;
class QSplitter;
class QToolButton;
class QWidget;

namespace app {

// Factories for common widgets. Roles, kinds and surfaces are selectors in
// resources/style/window.qss. The parent owns the result.

// Sets the object name, for tests and style sheets, and the accessible name.
template<class Object>
Object* named(Object* object, const char* name, const QString& accessibleName = {})
{
    object->setObjectName(QString::fromLatin1(name));
    if constexpr (std::is_base_of_v<QWidget, Object>)
        if (!accessibleName.isEmpty())
            object->setAccessibleName(accessibleName);
    return object;
}

QLabel* makeLabel(const QString& text, const char* role = "", QWidget* parent = nullptr);
// Makes a label that wraps plain text.
QLabel* makeWrapped(const char* role = "", const char* objectName = "", const QString& text = {});
// Makes a button. `kind` selects its look: "", "primary", "tool" (24 px high) or "link".
QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind = "");
// What a click on a button calls, as long as the receiver exists.
using Clicked = std::function<void()>;
QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind,
                        QObject* receiver, const Clicked& clicked);
// A button that triggers `action` and is enabled with it.
QPushButton* makeButton(const QString& text, QAnyStringView objectName, const char* kind,
                        QAction* action);
// A button with the text of `action`. A template, so that {} is a text and no action.
template<class Action>
requires std::is_same_v<Action, QAction> QPushButton*
makeButton(Action* action, const char* objectName, const char* kind = "");
QFrame* makeLine(Qt::Orientation orientation);
// A vertical scroll area that does not take the focus; its content does.
QScrollArea* makeScroll(QWidget* content);
// One pixel wide; parts do not collapse.
QSplitter* makeSplitter(Qt::Orientation orientation);
struct Pane // of a splitter: its first size in pixels, and its share when the splitter grows
{
    QWidget* widget;
    int size;
    int stretch = 0;
};
QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<Pane> panes);
// Makes a widget with a background. `surface` selects it: "plain", "alt", "card", "card-alt",
// "window".
QWidget* makeSurface(const char* surface, QWidget* parent = nullptr);
// Sets a dynamic property and re-applies the style sheet.
void setLook(QWidget* widget, const char* property, const QVariant& value);

void copyText(const QString& text);            // to the clipboard
QStringList localFiles(const QMimeData& data); // paths of the dragged files and folders

// Shrinks the window, and its minimum size, to the screen. Call before showing.
void fitToScreen(QWidget& window);

// An element of a layout: a widget or a layout, and its share of the remaining space.
struct Cell
{
    Cell(QWidget* of, int share = 0, Qt::Alignment at = {}) // NOLINT: {label, {field, 1}}
        : widget(of)
        , stretch(share)
        , alignment(at)
    { }
    Cell(QLayout* of, int share = 0) // NOLINT
        : layout(of)
        , stretch(share)
    { }

    QWidget* widget = nullptr;
    QLayout* layout = nullptr; // both null: a stretch
    int stretch = 0;
    Qt::Alignment alignment;
};
inline const Cell kStretch(static_cast<QWidget*>(nullptr), 1);
void fill(QBoxLayout& layout, std::initializer_list<Cell> cells);
void clearLayout(QLayout& layout); // deletes its widgets later

// Sets margins, spacing and contents of a layout.
template<class Layout>
Layout* spaced(Layout* layout, const QMargins& margins, int spacing,
               std::initializer_list<Cell> cells = {})
{
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    if constexpr (std::is_convertible_v<Layout*, QBoxLayout*>)
        fill(*layout, cells);
    return layout;
}
// A widget with its parts below each other, or beside each other.
QWidget* makeColumn(const QMargins& margins, int spacing, std::initializer_list<Cell> cells,
                    const char* surface = "plain");
QWidget* makeRow(const QMargins& margins, int spacing, std::initializer_list<Cell> cells,
                 const char* surface = "plain");
// Makes a title bar for a page, `height` px high.
QWidget* makeBar(int height, int spacing, std::initializer_list<Cell> cells);

// Stacks parts from top to bottom, with lines between them.
QWidget* makeLined(std::initializer_list<Cell> parts);
QWidget* makeFoot(std::initializer_list<Cell> buttons); // the last part of a dock

// A widget painted in the colours of the theme; repainted when the theme changes.
class ThemedWidget : public QWidget
{
    Q_OBJECT

public:
    explicit ThemedWidget(const ThemeController& theme, QWidget* parent = nullptr);

protected:
    const Theme& theme() const { return m_theme.theme(); }
    // The tooltip at a point, as plain text; "": the widget's own tooltip.
    virtual QString toolTipAt(QPoint) const { return {}; }
    bool event(QEvent* event) override;

private:
    const ThemeController& m_theme;
};

// A label of one line of plain text. If it is too narrow, the text ends in an ellipsis and the
// tooltip shows all of it. text() is always complete.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(const char* role = "", QWidget* parent = nullptr);
    QSize minimumSizeHint() const override { return {1, QLabel::minimumSizeHint().height()}; }
    QString shownText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
};

class IconLabel : public ThemedWidget
{
    Q_OBJECT

public:
    using Colour = QColor Chrome::*;

    IconLabel(const ThemeController& theme, Icon icon, Colour colour, int size = 16,
              QWidget* parent = nullptr);
    void setIcon(Icon icon, Colour colour);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Icon m_icon;
    Colour m_colour;
};

// The mode next to a number: "emulated". The tag "live" is filled; others are outlined.
class Tag : public ThemedWidget
{
    Q_OBJECT

public:
    explicit Tag(const ThemeController& theme, const QString& text = {}, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return m_text; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
};
void paintTag(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme);
int tagWidth(const QString& text);

// Gives `target` an icon in the theme's secondary text colour.
void followTheme(QAction* target, Icon icon, const ThemeController& theme);
void followTheme(QAbstractButton* target, Icon icon, const ThemeController& theme);

// Makes a toolbar button, 28 x 28 px, for `action`. The parent widget owns the button.
QToolButton* makeToolButton(QAction* action);
// An icon button, 24 x 24 px, with `tip` as tooltip and accessible name; its parent owns it.
QToolButton* makeIconButton(const char* name, Icon icon, const QString& tip,
                            const ThemeController& theme, QObject* receiver = nullptr,
                            const Clicked& clicked = {});
// Makes a text button, 24 px high, with the icon, state and tooltip of the action.
QPushButton* makeActionButton(QAction* action);

// A verdict on a schedule or a notice about a run: an icon, bold text, a sentence and a few
// actions. A verdict is a rounded frame in a page; a notice has the full width.
class Band : public ThemedWidget
{
    Q_OBJECT

public:
    enum class Kind { Ok, Warning, Error, Neutral };
    enum class Shape { Verdict, State };

    Band(const ThemeController& theme, Shape shape, QWidget* parent = nullptr);

    void show(Kind kind, const QString& bold, const QString& sentence);
    QPushButton* addAction(const QString& text, QAnyStringView objectName,
                           QObject* receiver = nullptr, const Clicked& clicked = {});
    // plain text, for screen readers
    QString text() const { return accessibleName(); }
    Kind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Shape m_shape;
    Kind m_kind = Kind::Ok;
    IconLabel* m_icon;
    QLabel* m_label;
    QHBoxLayout* m_layout;
};

// Shown in place of missing content: a dashed frame with an icon, a fact, advice and a button.
class EmptyState : public ThemedWidget
{
    Q_OBJECT

public:
    struct Texts
    {
        Icon icon = Icon::Compare;
        QString fact, advice, action; // without an action there is no button
    };

    EmptyState(const ThemeController& theme, const Texts& texts, QWidget* parent = nullptr);
    // Replaces the texts but not the icon. If `action` is empty, the button keeps its text.
    void setTexts(const QString& fact, const QString& advice, const QString& action = {});
    QPushButton* button() const { return m_button; } // nullptr without an action

Q_SIGNALS:
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel *m_fact, *m_advice;
    QPushButton* m_button = nullptr;
};

// Two to four exclusive choices in one frame; the left and right arrow keys change the choice. The
// tooltip of a disabled choice states why it is disabled.
class SegmentControl : public ThemedWidget
{
    Q_OBJECT

public:
    SegmentControl(const ThemeController& theme, QStringList choices, QWidget* parent = nullptr);

    void setName(const QString& name); // accessible name: "Times"
    int current() const { return m_current; }
    void setCurrent(int choice); // emits no signal if unchanged
    void setText(int choice, const QString& text);
    // 24 px high, for toolbars
    void setCompact() { setFixedHeight(24); }
    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged(int choice);
    void chosenAgain(int choice); // a click on the current choice, or the space bar

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void speak();
    QRect segment(int choice) const;
    int choiceAt(const QPoint& position) const; // -1: none

    QStringList m_choices;
    QString m_name;
    int m_current = 0, m_hovered = -1;
};

// A card that can be pressed, with radius 6, hover and keyboard focus, and a frame of 2 px if it is
// chosen. Derived classes paint the content.
class CardButton : public QAbstractButton
{
    Q_OBJECT

public:
    explicit CardButton(const ThemeController& theme, QWidget* parent = nullptr);

protected:
    virtual void paintContent(QPainter& painter) = 0;
    void paintEvent(QPaintEvent* event) final;
    void keyPressEvent(QKeyEvent* event) override; // Enter also presses
    const Theme& theme() const { return m_theme.theme(); }
    // Font, size and colour of a line of text.
    struct Type
    {
        QFont font;
        QColor ink;
    };
    // Draws a line of text that is elided at the right.
    void text(QPainter& painter, const QRectF& box, const QString& text, const Type& type,
              Qt::Alignment alignment = Qt::AlignLeft) const;

    bool m_isPrimary = false; // the card is filled with the ink colour
    bool m_hasFrame = true;

private:
    const ThemeController& m_theme;
};

// Asks what to do with unsaved changes. `what` is the name of what changed: "mine.csv"; `changes`
// is the number of steps since it was saved; 0: unknown. Returns whether they may be lost: the user
// discards them, or `save` has saved them.
QDialog* makeUnsavedDialog(const QString& what, int changes, QWidget* parent = nullptr);
bool mayDiscard(const QString& what, int changes, QWidget* parent,
                const std::function<bool()>& save);

} // namespace app
