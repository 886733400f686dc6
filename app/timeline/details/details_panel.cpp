#include "app/timeline/details/details_panel.h"

#include "app/timeline/details/details_layout.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

namespace app {

struct DetailsPanel::Impl
{
    explicit Impl(const ThemeController& controller)
        : theme(controller)
    { }
    Details details() const;
    void update(DetailsPanel& panel); // lays the details out if they have changed
    void rebuild(DetailsPanel& panel);

    const ThemeController& theme;
    RunViewPointer view;
    Selection selection;
    QString file;
    KernelViewPointer kernels;
    std::optional<profiler::RangeMetrics> range;
    std::vector<engine::Note> notes;
    FoundPointer hits;
    RunPointer prediction;
    std::optional<RunProgress> progress;
    RunPointer waiting;           // the run in progress, until it has a view
    std::optional<Details> shown; // the displayed details; nullopt: none, or the theme changed
    QScrollArea* scroll = new QScrollArea;
};

DetailsPanel::DetailsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m(std::make_unique<Impl>(theme))
{
    setObjectName(QStringLiteral("details"));
    setAccessibleName(tr("Details"));
    m->scroll->setAccessibleName(tr("Details"));
    m->scroll->setWidgetResizable(true);
    m->scroll->setFrameShape(QFrame::NoFrame);
    m->scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    spaced(new QVBoxLayout(this), {}, 0, {m->scroll});
    connect(&theme, &ThemeController::changed, this, [this] {
        m->shown.reset();
        m->update(*this);
    });
}

DetailsPanel::~DetailsPanel() = default;

QSize DetailsPanel::sizeHint() const
{
    return {292, 600};
}

void DetailsPanel::show(RunViewPointer view, const Selection& selection)
{
    if (m->view == view && m->selection == selection)
        return;
    m->view = std::move(view);
    m->selection = selection;
    m->update(*this);
}

void DetailsPanel::setFile(const QString& file)
{
    m->file = file;
}

void DetailsPanel::setKernels(KernelViewPointer kernels)
{
    if (m->kernels == kernels)
        return;
    m->kernels = std::move(kernels);
    m->update(*this);
}

void DetailsPanel::setRange(const profiler::RangeMetrics& metrics)
{
    m->range = metrics;
    if (m->selection.kind == Selection::Kind::Range && m->selection.window == metrics.range)
        m->update(*this);
}

void DetailsPanel::setPrediction(RunPointer prediction)
{
    m->prediction = std::move(prediction);
    if (m->selection.kind == Selection::Kind::Op || m->progress)
        m->update(*this);
}

void DetailsPanel::setProgress(const std::optional<RunProgress>& progress, const RunPointer& run)
{
    const RunPointer waiting = m->view == nullptr ? run : nullptr;
    if (m->progress == progress && m->waiting == waiting)
        return;
    m->progress = progress;
    m->waiting = waiting;
    if (m->selection.kind == Selection::Kind::None)
        m->update(*this);
}

void DetailsPanel::setHits(FoundPointer hits)
{
    if (m->hits == hits)
        return;
    m->hits = std::move(hits);
    if (m->selection.kind == Selection::Kind::None)
        m->update(*this);
}

void DetailsPanel::setNotes(std::vector<engine::Note> notes)
{
    if (m->notes == notes)
        return;
    m->notes = std::move(notes);
    if (m->selection.kind == Selection::Kind::Range)
        m->update(*this);
}

Details DetailsPanel::Impl::details() const
{
    DetailsContext context(kernels.get());
    context.range = range ? &*range : nullptr;
    context.notes = notes;
    context.hits = hits.get();
    context.predicted = prediction.get();
    context.file = file;
    context.progress = progress ? &*progress : nullptr;
    if (!view && waiting && progress)
        return runningDetails(*waiting, *progress);
    return view ? detailsOf(*view, selection, context) : Details();
}

QString DetailsPanel::text() const
{
    return plainText(m->details());
}

void DetailsPanel::showEvent(QShowEvent* event)
{
    m->update(*this);
    QWidget::showEvent(event);
}

// Hidden details are laid out when they are shown.
void DetailsPanel::Impl::update(DetailsPanel& panel)
{
    if (!panel.isVisible())
        return;
    if (Details now = details(); now != shown) {
        shown = std::move(now);
        rebuild(panel);
    }
}

void DetailsPanel::Impl::rebuild(DetailsPanel& panel)
{
    const Details& details = *shown;
    if (!details.isEmpty()) {
        scroll->setWidget(layOutDetails(
            theme, details, [&panel](const Selection& target) { Q_EMIT panel.jumpTo(target); }));
        panel.setAccessibleDescription(details.title + QLatin1Char(' ') + details.value
                                       + QLatin1Char(' ') + details.unit);
        return;
    }
    EmptyState::Texts texts;
    texts.icon = Icon::Info;
    texts.fact = tr("Nothing selected");
    texts.advice = tr("Click an op, a bubble or a device to see its details.");
    auto* empty = named(new EmptyState(theme, texts), "detailsEmpty");
    empty->setMinimumHeight(132);
    auto* body = makeSurface("plain");
    spaced(new QVBoxLayout(body), {12, 12, 12, 12}, 0, {empty, kStretch});
    scroll->setWidget(body);
    panel.setAccessibleDescription(texts.fact);
}

} // namespace app
