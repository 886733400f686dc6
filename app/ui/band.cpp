#include "app/ui/band.h"

#include "app/ui/controls.h"

#include <QHBoxLayout>
#include <QPainter>

#include <array>

namespace app {
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

QPushButton* Band::addAction(const QString& text, const QString& objectName)
{
    QPushButton* button = makeButton(text, objectName, "tool");
    m_layout->addWidget(button, 0, Qt::AlignTop);
    return button;
}

QString Band::text() const
{
    return accessibleName();
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

} // namespace app
