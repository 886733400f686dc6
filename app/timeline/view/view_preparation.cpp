#include "app/timeline/view/view_preparation.h"

#include <algorithm>
#include <utility>

namespace app {
namespace {

using Views = std::vector<RunViewPointer>;

const RunViewPointer* findView(const Views& views, const RunPointer& run)
{
    const auto found = std::ranges::find(views, run, &RunView::shared);
    return found == views.end() ? nullptr : &*found;
}

std::size_t spansToPrepare(const std::vector<RunPointer>& runs, const Views& known)
{
    std::size_t spans = 0;
    for (const RunPointer& run : runs) {
        if (findView(known, run) != nullptr)
            continue;
        for (const engine::Track& track : run->timeline.tracks)
            spans += track.spans.size();
    }
    return spans;
}

Views viewsOf(const std::vector<RunPointer>& runs, const Views& known)
{
    Views views;
    for (const RunPointer& run : runs) {
        const RunViewPointer* view = findView(known, run);
        views.push_back(view != nullptr ? *view : std::make_shared<const RunView>(run));
    }
    return views;
}

} // namespace

ViewPreparation::ViewPreparation(QObject* parent)
    : QObject(parent)
    , m_preparing(
          this,
          [](const auto& request, const auto&) {
              const auto& [runs, known] = request;
              Views views = viewsOf(runs, known);
              // Computes the metrics for the first paint. Views that are already shown have them.
              for (const RunViewPointer& view : views)
                  if (findView(known, view->shared()) == nullptr)
                      view->metrics(engine::reportedIteration(view->timeline()));
              return views;
          },
          [this](Views views) {
              m_last = std::move(views);
              Q_EMIT ready(m_last);
          })
{ }

void ViewPreparation::ask(std::vector<RunPointer> runs)
{
    if (m_preparing.isBusy() || spansToPrepare(runs, m_last) > kInstantSpans)
        return m_preparing.ask({std::move(runs), m_last});
    m_last = viewsOf(runs, m_last);
    Q_EMIT ready(m_last);
}

} // namespace app
