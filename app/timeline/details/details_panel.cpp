#include "app/timeline/details/details_panel.h"

#include "app/timeline/details/details_layout.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

namespace app {

DetailsPanel::DetailsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_scroll(new QScrollArea)
{
    setObjectName(QStringLiteral("details"));
    setAccessibleName(tr("Details"));
    m_scroll->setAccessibleName(tr("Details"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    spaced(new QVBoxLayout(this), {}, 0, {m_scroll});
    connect(&theme, &ThemeController::changed, this, [this] {
        m_shown.reset();
        refresh();
    });
}

void DetailsPanel::show(RunViewPointer view, const Selection& selection)
{
    m_view = std::move(view);
    m_selection = selection;
    refresh();
}

Details DetailsPanel::details() const
{
    if (!m_view && m_facts.running && m_facts.progress)
        return runningDetails(*m_facts.running, *m_facts.progress);
    DetailsContext context(m_facts.kernels.get());
    context.range = m_facts.range ? &*m_facts.range : nullptr;
    context.notes = m_facts.notes;
    context.hits = m_facts.hits.get();
    context.predicted = m_facts.prediction.get();
    context.file = m_facts.file;
    context.progress = m_facts.progress ? &*m_facts.progress : nullptr;
    return m_view ? detailsOf(*m_view, m_selection, context) : Details();
}

QString DetailsPanel::text() const
{
    return plainText(details());
}

void DetailsPanel::showEvent(QShowEvent* event)
{
    refresh();
    QWidget::showEvent(event);
}

// Hidden details are laid out when they are shown.
void DetailsPanel::refresh()
{
    if (!isVisible())
        return;
    if (Details now = details(); now != m_shown) {
        m_shown = std::move(now);
        layOut();
    }
}

void DetailsPanel::layOut()
{
    if (!m_shown->isEmpty()) {
        m_scroll->setWidget(layOutDetails(
            m_theme, *m_shown, [this](const Selection& target) { Q_EMIT jumpTo(target); }));
        setAccessibleDescription(
            QStringList{m_shown->title, m_shown->value, m_shown->unit}.join(QLatin1Char(' ')));
        return;
    }
    const EmptyState::Texts texts{Icon::Info,
                                  tr("Nothing selected"),
                                  tr("Click an op, a bubble or a device to see its details."),
                                  {}};
    auto* empty = named(new EmptyState(m_theme, texts), "detailsEmpty");
    empty->setMinimumHeight(132);
    auto* body = makeSurface("plain");
    spaced(new QVBoxLayout(body), {12, 12, 12, 12}, 0, {empty, kStretch});
    m_scroll->setWidget(body);
    setAccessibleDescription(texts.fact);
}

} // namespace app
