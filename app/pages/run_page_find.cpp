// Looking for ops in a run: the bar asks, the timeline shows, Enter walks the hits.
#include "app/models/numbers.h"
#include "app/pages/run_page_parts.h"
#include "app/timeline/view/labels.h"
#include "app/widgets/run/find_bar.h"
#include "app/widgets/timeline/timeline_widget.h"

#include <QAction>

#include <algorithm>

namespace app {

void RunPage::connectFind()
{
    connect(m->actions.find, &QAction::triggered, this, [this] {
        m->findBar->open();
        search(); // what stands in the field from before
    });
    connect(m->findNext, &QAction::triggered, this, [this] { stepHit(1); });
    connect(m->findPrevious, &QAction::triggered, this, [this] { stepHit(-1); });
    connect(m->findBar, &FindBar::searched, this, &RunPage::search);
    connect(m->findBar, &FindBar::stepped, this, &RunPage::stepHit);
    connect(m->findBar, &FindBar::closed, this, &RunPage::endSearch);
}

void RunPage::search()
{
    if (m->findBar->isHidden())
        return;
    const auto facets = parseFind(m->findBar->text());
    m->found.reset();
    m->hit = 0;
    if (!facets)
        m->findBar->showProblem(QString::fromStdString(facets.error().message));
    else if (facets->empty() || !m_view)
        m->findBar->showHits({});
    else
        m->found = std::make_shared<const Found>(*m_view, *facets, m->timeline->kernels().get());
    if (m->found && m->found->hits().empty())
        m->findBar->showProblem(m->found->blame());
    else if (m->found)
        m->findBar->showHits(
            tr("%1%2").arg(countOf(static_cast<std::int64_t>(m->found->hits().size()), "hit"),
                           m->found->isCut() ? tr(", and more") : QString()));
    const bool hasHits = m->found && !m->found->hits().empty();
    m->timeline->setFound(hasHits ? m->found : nullptr);
}

// The first step goes to the hit that is selected or comes next in the view; later ones walk on.
void RunPage::stepHit(int by)
{
    if (!m->found || m->found->hits().empty())
        return;
    const std::vector<Selection>& hits = m->found->hits();
    const Selection& now = m->timeline->selection();
    const bool isOnHit = m->hit < hits.size() && hits[m->hit] == now;
    const auto count = static_cast<std::ptrdiff_t>(hits.size());
    if (isOnHit) {
        const auto to = (static_cast<std::ptrdiff_t>(m->hit) + by + count) % count;
        m->hit = static_cast<std::size_t>(to);
    } else {
        const int iteration = m->timeline->iteration();
        const auto next = std::ranges::find_if(
            hits, [iteration](const Selection& hit) { return hit.iteration >= iteration; });
        m->hit = next == hits.end() ? 0 : static_cast<std::size_t>(next - hits.begin());
    }
    m->timeline->select(hits[m->hit]);
    m->findBar->showHits(hitText());
}

QString RunPage::hitName(const Selection& hit) const
{
    if (hit.kind != Selection::Kind::Kernel)
        return opText(m_view->op(hit.op));
    const auto& activity = m->timeline->kernels()->activity();
    return QString::fromStdString(activity.nameOf(activity.work()[hit.work]).label);
}

QString RunPage::hitText() const
{
    const Selection& hit = m->found->hits()[m->hit];
    return tr("%1, hit %2 of %3").arg(hitName(hit)).arg(m->hit + 1).arg(m->found->hits().size());
}

void RunPage::endSearch()
{
    m->findBar->hide();
    m->found.reset();
    m->timeline->setFound(nullptr);
    m->timeline->setFocus();
}

} // namespace app
