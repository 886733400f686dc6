#include "app/shell/notice_bar.h"

#include "app/ui/controls.h"

#include <QVBoxLayout>

namespace app {

NoticeBar::NoticeBar(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_band(named(new Band(theme, Band::Shape::State), "notice"))
    , m_action(m_band->addAction(tr("Open"), QStringLiteral("noticeAction")))
{
    setObjectName(QStringLiteral("noticeBar"));
    QPushButton* close = m_band->addAction(tr("Close"), QStringLiteral("closeNotice"));
    close->setAccessibleName(tr("Close the notice"));
    spaced(new QVBoxLayout(this), {}, 0, {m_band, makeLine(Qt::Horizontal)});
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_action, &QPushButton::clicked, this, [this] {
        hide();
        m_run();
    });
    hide();
}

void NoticeBar::say(Band::Kind kind, const QString& bold, const QString& sentence,
                    const Action& action)
{
    m_run = action.run;
    m_action->setVisible(!action.text.isEmpty());
    if (!action.text.isEmpty())
        m_action->setText(action.text);
    m_band->show(kind, bold, sentence);
    show();
}

} // namespace app
