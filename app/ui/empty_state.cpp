#include "app/ui/empty_state.h"

#include "app/ui/controls.h"

#include <QPainter>
#include <QVBoxLayout>

namespace app {

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
        m_button = makeButton(texts.action, QStringLiteral("emptyAction"), "tool");
        column->addSpacing(4);
        column->addWidget(m_button, 0, Qt::AlignHCenter);
        connect(m_button, &QPushButton::clicked, this, &EmptyState::activated);
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

} // namespace app
