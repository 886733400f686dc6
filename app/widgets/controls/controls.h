#pragma once

#include "app/models/theme.h"
#include "app/widgets/controls/icons.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>

class QBoxLayout;
class QScrollArea;
class QSplitter;

namespace app {

// Factories for common widgets. Roles, kinds and surfaces are selectors in
// resources/style/window.qss. The parent owns the result.

QLabel* makeLabel(const QString& text, const char* role = "", QWidget* parent = nullptr);
// kind: "", "primary", "tool" (24 high) or "link".
QPushButton* makeButton(const QString& text, const QString& objectName, const char* kind = "");
QFrame* makeLine(Qt::Orientation orientation);
// A vertical scroll area whose content gets the focus.
QScrollArea* makeScroll(QWidget* content);
QSplitter* makeSplitter(Qt::Orientation orientation); // one pixel wide; parts do not collapse
// surface: "plain", "alt", "card", "card-alt", "window".
QWidget* makeSurface(const char* surface, QWidget* parent = nullptr);
// Sets a dynamic property and re-applies the style sheet.
void setLook(QWidget* widget, const char* property, const QVariant& value);

// Sets the preferred size, limited to the screen but not below the minimum of the content. Call
// before showing.
void fitToScreen(QWidget& window);

// Margins and spacing in one call.
template<class Layout>
Layout* spaced(Layout* layout, const QMargins& margins, int spacing)
{
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}

// An icon that follows the theme.
class IconLabel : public QWidget
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
    const ThemeController& m_theme;
    Icon m_icon;
    Colour m_colour;
};

// The mode next to a number: "emulated". The tag of `live` is filled, others are outlined.
class Tag : public QWidget
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
    const ThemeController& m_theme;
    QString m_text;
};
void paintTag(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme);
int tagWidth(const QString& text);

} // namespace app
