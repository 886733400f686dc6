#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/view_keys.h"
#include "app/timeline/view/walk_keys.h"
#include "app/widgets/compare/compare_impl.h"

#include <QKeyEvent>
#include <QScrollBar>

namespace app {

ViewWindow CompareWidget::Impl::shareOf(const CompareRow& row, engine::Window time) const
{
    const TimeAxis axis = axisOf(row);
    const double share = window.duration() / (axis.end - axis.begin);
    const auto at = [&](std::int64_t tick) {
        return window.begin + (static_cast<double>(tick) - axis.begin) * share;
    };
    return {at(time.begin), at(time.end)};
}

// Up from the first lane of a run to the last one of the run above, at the same time of both.
std::optional<CompareWidget::Impl::Mark> CompareWidget::Impl::neighbour(int step) const
{
    const int to = selected.row + step;
    if (to < 0 || to >= static_cast<int>(layout.rows.size()))
        return std::nullopt;
    const CompareRow& from = layout.rows[static_cast<std::size_t>(selected.row)];
    const CompareRow& row = layout.rows[static_cast<std::size_t>(to)];
    if (row.iteration < 0)
        return std::nullopt;
    const engine::Window here = selected.selection.window, whole = row.window();
    const std::int64_t middle = here.begin + here.duration() / 2;
    const double past = static_cast<double>(middle - from.window().begin) / from.ticksPerUnit();
    const auto time
        = static_cast<std::int64_t>(static_cast<double>(whole.begin) + past * row.ticksPerUnit());
    const engine::DeviceId device{step > 0 ? 0 : row.view->devices() - 1};
    const Piece piece = pieceAt(*row.view, device, std::clamp(time, whole.begin, whole.end - 1));
    const Selection found = pieceSelection(*row.view, device, piece);
    return found.kind == Selection::Kind::None ? std::nullopt : std::optional(Mark{to, found});
}

std::optional<CompareWidget::Impl::Mark> CompareWidget::Impl::walkedTo(int key) const
{
    const int at = std::max(0, selected.row);
    const CompareRow& row = layout.rows[static_cast<std::size_t>(at)];
    auto to = walked(*row.view, selected.selection, row.iteration, key);
    while (to && to->lane != engine::Track::Kind::Compute) // back through what is not drawn
        to = walked(*row.view, *to, row.iteration, key);
    if (to && to->iteration == row.iteration) // no other one is drawn
        return Mark{at, *to};
    if (!to && selected.row >= 0 && (key == Qt::Key_Up || key == Qt::Key_Down))
        return neighbour(key == Qt::Key_Up ? -1 : 1);
    return std::nullopt;
}

void CompareWidget::Impl::reveal(const Mark& mark)
{
    const CompareRow& row = layout.rows[static_cast<std::size_t>(mark.row)];
    const ViewWindow box = shareOf(row, mark.selection.window);
    if (box.end <= window.begin || box.begin >= window.end)
        show(window.moved(box.centre() - window.centre()), Remember::Yes);
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    if (top - CompareLayout::kTitle < scrollBar->value())
        scrollBar->setValue(static_cast<int>(top - CompareLayout::kTitle));
    if (top + row.pitch > scrollBar->value() + rowsArea().height())
        scrollBar->setValue(static_cast<int>(std::ceil(top + row.pitch - rowsArea().height())));
}

bool CompareWidget::Impl::walkKey(int key)
{
    if (!isWalkKey(key) || layout.rows.empty())
        return false;
    if (const auto to = walkedTo(key)) {
        setSelected(*to);
        reveal(*to);
    }
    return true;
}

// Everything where nothing is selected.
void CompareWidget::Impl::zoomToSelected()
{
    if (selected.row < 0 || selected.selection.window.duration() <= 0) {
        widget.zoomToFit();
        return;
    }
    const CompareRow& row = layout.rows[static_cast<std::size_t>(selected.row)];
    show(centredThenFitted(window, shareOf(row, selected.selection.window)), Remember::Yes);
}

bool CompareWidget::Impl::key(int key, Qt::KeyboardModifiers modifiers)
{
    const bool isOfView = perform(viewKey(key, modifiers), window,
                                  {[this](ViewWindow to, bool isRemembered) {
                                       show(to, isRemembered ? Remember::Yes : Remember::No);
                                   },
                                   [this] { widget.zoomBack(); }, [this] { widget.zoomForward(); },
                                   [this] { zoomToSelected(); }, [this] { widget.zoomToFit(); },
                                   [this] { widget.zoomToFit(); }, [this] { setSelected({}); }});
    if (isOfView)
        return true;
    if (key != Qt::Key_B)
        return walkKey(key);
    widget.blink();
    return true;
}

void CompareWidget::keyPressEvent(QKeyEvent* event)
{
    if (!m->key(event->key(), event->modifiers()))
        QWidget::keyPressEvent(event);
}

} // namespace app
