#include "app/widgets/run/find_controller.h"

#include "app/models/numbers.h"
#include "app/models/text.h"
#include "app/timeline/view/labels.h"
#include "app/widgets/run/find_bar.h"

#include <algorithm>

namespace app {

FindController::FindController(FindBar& bar, QObject* parent)
    : QObject(parent)
    , m_bar(bar)
{
    connect(&bar, &FindBar::searched, this, &FindController::search);
    connect(&bar, &FindBar::stepped, this, &FindController::step);
    connect(&bar, &FindBar::closed, this, &FindController::close);
}

void FindController::setRun(RunViewPointer view, KernelViewPointer kernels)
{
    m_view = std::move(view);
    m_kernels = std::move(kernels);
    search();
}

void FindController::setPlace(const Selection& selection, int iteration)
{
    m_selection = selection;
    m_iteration = iteration;
}

void FindController::open()
{
    m_bar.open();
    search();
}

void FindController::openWith(const QString& facets)
{
    m_bar.open();
    m_bar.setText(facets);
    step(1);
}

void FindController::search()
{
    if (m_bar.isHidden())
        return;
    const auto facets = parseFind(m_bar.text());
    m_found.reset();
    m_hit = 0;
    if (!facets)
        m_bar.showProblem(QString::fromStdString(facets.error().message));
    else if (facets->empty() || !m_view)
        m_bar.showHits({});
    else
        m_found = std::make_shared<const Found>(*m_view, *facets, m_kernels.get());
    const bool hasHits = m_found && !m_found->hits().empty();
    if (hasHits)
        m_bar.showHits(
            tr("%1%2").arg(countOf(static_cast<std::int64_t>(m_found->hits().size()), "hit"),
                           m_found->isCut() ? tr(", and more") : QString()));
    else if (m_found)
        m_bar.showProblem(m_found->blame());
    Q_EMIT found(hasHits ? m_found : nullptr);
}

void FindController::step(int by)
{
    if (!m_found || m_found->hits().empty())
        return;
    const std::vector<Selection>& hits = m_found->hits();
    const auto count = static_cast<std::ptrdiff_t>(hits.size());
    if (m_hit < hits.size() && hits[m_hit] == m_selection) {
        const auto to = (static_cast<std::ptrdiff_t>(m_hit) + by + count) % count;
        m_hit = static_cast<std::size_t>(to);
    } else {
        const auto next = std::ranges::find_if(
            hits, [this](const Selection& hit) { return hit.iteration >= m_iteration; });
        m_hit = next == hits.end() ? 0 : static_cast<std::size_t>(next - hits.begin());
    }
    Q_EMIT chosen(hits[m_hit]);
    m_bar.showHits(tr("%1, hit %2 of %3").arg(nameOf(hits[m_hit])).arg(m_hit + 1).arg(hits.size()));
}

QString FindController::nameOf(const Selection& hit) const
{
    if (hit.kind != Selection::Kind::Kernel)
        return opName(m_view->run().info, m_view->op(hit.op));
    const auto& activity = m_kernels->activity();
    return QString::fromStdString(activity.nameOf(activity.work()[hit.work]).label);
}

void FindController::close()
{
    m_bar.hide();
    m_found.reset();
    Q_EMIT found(nullptr);
    Q_EMIT closed();
}

} // namespace app
