#include "app/run/run_palette.h"

#include "app/range/range_text.h"
#include "app/run/run_range.h"
#include "app/shell/command_palette.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QAction>
#include <QRegularExpression>

#include <optional>

namespace app {
namespace {

constexpr int kMostOps = 6;

// The op that the user searches for; `stage` is nullopt for any stage.
struct WantedOp
{
    engine::OpKind kind = engine::OpKind::Forward;
    int microBatch = -1;
    std::optional<int> stage;
};

// Parses the name of an op, in upper or lower case: "2B3", "F5", "F5 stage 1".
std::optional<WantedOp> wantedOp(const QString& text)
{
    static const QRegularExpression kName(
        QStringLiteral(R"(^(?<stage>\d*)(?<kind>F|B|I|W|RC)(?<mb>\d+)(?: stage (?<of>\d+))?$)"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kName.match(text.simplified());
    if (!match.hasMatch())
        return std::nullopt;
    const std::string kind = match.captured(QStringLiteral("kind")).toUpper().toStdString();
    for (int k = 0; k < engine::kOpKinds; ++k)
        if (engine::kindShortName(static_cast<engine::OpKind>(k)) == kind) {
            WantedOp wanted{static_cast<engine::OpKind>(k),
                            match.captured(QStringLiteral("mb")).toInt(), std::nullopt};
            for (const char* stage : {"stage", "of"})
                if (const QString number = match.captured(QString::fromLatin1(stage));
                    !number.isEmpty())
                    wanted.stage = number.toInt();
            return wanted;
        }
    return std::nullopt;
}

} // namespace

RunPalette::RunPalette(const Parts& parts, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
{ }

QAction* RunPalette::add(const QString& text, const std::function<void()>& trigger)
{
    auto* action = new QAction(text, m_found.get());
    connect(action, &QAction::triggered, this, trigger);
    return action;
}

QList<QAction*> RunPalette::find(const QString& text)
{
    m_found = std::make_unique<QObject>();
    QList<QAction*> found;
    const RunViewPointer& view = m_parts.timeline->view();
    if (!view || view->isEmpty() || text.trimmed().isEmpty())
        return found;
    findOps(text, found);
    findRange(text, found);
    findSettings(text, found);
    return found;
}

// Appends the ops of the shown iteration that match `text`.
void RunPalette::findOps(const QString& text, QList<QAction*>& found)
{
    const auto wanted = wantedOp(text);
    if (!wanted)
        return;
    const RunView& view = *m_parts.timeline->view();
    const int iteration = m_parts.timeline->iteration();
    std::uint32_t number = 0;
    for (const auto& program : view.run().schedule.program) {
        for (const engine::Op& op : program) {
            const std::uint32_t own = number++;
            if (op.kind != wanted->kind || op.microBatch.value != wanted->microBatch
                || (wanted->stage && op.stage.value != *wanted->stage) || found.size() >= kMostOps)
                continue;
            const auto to = selectOp(view, own, iteration);
            if (to)
                found.append(add(tr("Show %1 on device %2")
                                     .arg(opName(view.run().info, op))
                                     .arg(to->device.value),
                                 [this, to = *to] {
                                     m_parts.timeline->select(to);
                                     m_parts.timeline->setFocus();
                                 }));
        }
    }
}

void RunPalette::findRange(const QString& text, QList<QAction*>& found)
{
    const engine::Run& run = m_parts.timeline->view()->run();
    const auto range = parseRange(text, run, m_parts.timeline->iteration());
    if (range)
        found.append(add(tr("Mark the range %1").arg(rangeName(run, *range)),
                         [this, range = *range] { m_parts.range->mark(range); }));
}

void RunPalette::findSettings(const QString& text, QList<QAction*>& found)
{
    const auto offer = [&](const QString& name, const TimelineLook& look) {
        if (matchQuality(name, text) >= 0)
            found.append(add(name, [this, look] { m_parts.timeline->setLook(look); }));
    };
    const QStringList colours = colourByNames();
    TimelineLook look = m_parts.timeline->look();
    for (int by = 0; by < colours.size(); ++by) {
        look.colourBy = static_cast<ColourBy>(by);
        offer(tr("Colour by %1").arg(colours.at(by)), look);
    }
    look.colourBy = m_parts.timeline->look().colourBy;
    using Arrows = TimelineLook::Flow;
    for (const auto& [flow, name] :
         {std::pair(Arrows::Off, tr("Flow arrows off")),
          std::pair(Arrows::Selected, tr("Flow arrows of the selection")),
          std::pair(Arrows::All, tr("Flow arrows of all micro-batches"))}) {
        look.flow = flow;
        offer(name, look);
    }
}

} // namespace app
