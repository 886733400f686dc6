#pragma once

#include "app/ui/icons.h"
#include "app/ui/theme.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include <initializer_list>
#include <type_traits>

class QAction;
class QBoxLayout;
class QLayout;
class QMimeData;
class QScrollArea;
class QSplitter;

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
QPushButton* makeButton(const QString& text, const QString& objectName, const char* kind = "");
// A button that triggers `action` and is enabled with it.
QPushButton* makeButton(const QString& text, const QString& objectName, const char* kind,
                        QAction* action);
QPushButton* makeButton(QAction* action, const char* objectName, const char* kind = ""); // its text
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

// An icon that follows the theme.
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

} // namespace app
