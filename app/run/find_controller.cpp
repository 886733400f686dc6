#include "app/run/find_controller.h"

#include "app/run/find_bar.h"
#include "app/timeline/view/labels.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <algorithm>

namespace app {

FindController::FindController(FindBar& bar, QObject* parent)
    : QObject(parent)
    , m_bar(bar)
{
    connect(&bar, &FindBar::searched, this, [this] {
        m_areAllSelected = false;
        search();
    });
    connect(&bar, &FindBar::stepped, this, &FindController::step);
    connect(&bar, &FindBar::allRequested, this, &FindController::selectAll);
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
    if (m_areAllSelected && selection.kind != Selection::Kind::None && !isHit(selection))
        forgetAll();
}

// In a search for kernels, the ops that launched them are also hits.
bool FindController::isHit(const Selection& selection) const
{
    if (selection.kind == Selection::Kind::Op)
        return m_found->has({selection.window.begin, selection.window.end, selection.op,
                             static_cast<std::uint32_t>(selection.iteration)});
    return std::ranges::find(m_found->hits(), selection) != m_found->hits().end();
}

void FindController::selectAll()
{
    if (!m_found || m_found->hits().empty())
        return;
    showCount();
    forgetAll(); // otherwise a second call would not show all hits again
    Q_EMIT chosen({});
    m_areAllSelected = true;
    Q_EMIT allSelected(m_found);
}

void FindController::forgetAll()
{
    m_areAllSelected = false;
    Q_EMIT allSelected(nullptr);
}

void FindController::showCount()
{
    m_bar.showHits(tr("%1%2").arg(countOf(static_cast<std::int64_t>(m_found->hits().size()), "hit"),
                                  m_found->isCut() ? tr(", and more") : QString()));
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
        showCount();
    else if (m_found)
        m_bar.showProblem(m_found->blame());
    Q_EMIT found(hasHits ? m_found : nullptr);
    m_areAllSelected = m_areAllSelected && hasHits;
    Q_EMIT allSelected(m_areAllSelected ? m_found : nullptr);
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
    forgetAll();
    m_found.reset();
    Q_EMIT found(nullptr);
    Q_EMIT closed();
}

} // namespace app
