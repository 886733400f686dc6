#include "app/timeline/view/why_words.h"

#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/data_flow.h"

#include <QStringList>

namespace app {
namespace {

// Marks the ops that are drawn as part of the path together with `op`: the other op of a joint
// pair, and the SEND of a message.
void markPartners(const engine::Run& run, const profiler::DataFlow& flow, std::uint32_t op,
                  std::vector<bool>& marks)
{
    const engine::Op& what = flow.op(op);
    if (engine::isTransfer(what.kind)) {
        if (const auto send = flow.send(engine::transferredValue(what, run.schedule.shape)))
            marks[*send] = true;
        return;
    }
    if (what.flags == engine::OpFlag::JointWithNext)
        marks[op + 1] = true;
    if (flow.index().positionOf(op) > 0 && flow.op(op - 1).flags == engine::OpFlag::JointWithNext)
        marks[op - 1] = true;
}

} // namespace

engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration)
{
    auto why = TRY(profiler::whyNotFaster(run, iteration));
    auto marks = std::make_shared<PathMarks>();
    marks->why = std::move(why);
    const profiler::DataFlow flow(run.schedule);
    marks->ops.assign(flow.index().count(), false);
    for (const profiler::PathPart& part : marks->why.path.parts) {
        if (part.kind == profiler::PathPart::Kind::Wait)
            continue;
        marks->ops[part.op] = true;
        markPartners(run, flow, part.op, marks->ops);
    }
    return marks;
}

int reasonOf(const PathMarks& marks, std::uint32_t op)
{
    int found = -1;
    const auto& reasons = marks.why.reasons;
    for (std::size_t r = 0; r < reasons.size(); ++r)
        for (const std::size_t part : reasons[r].parts)
            if (marks.why.path.parts[part].op == op
                && (found < 0 || reasons[r].time > reasons[static_cast<std::size_t>(found)].time))
                found = static_cast<int>(r);
    return found;
}

using profiler::Phrase;
using profiler::WhyReason;

namespace {

QString reasonWord(WhyReason::Kind kind)
{
    switch (kind) {
    case WhyReason::Kind::Fill:
        return tr("fill");
    case WhyReason::Kind::Order:
        return tr("order");
    case WhyReason::Kind::SlowStage:
        return tr("slow stage");
    case WhyReason::Kind::Messages:
        return tr("messages");
    case WhyReason::Kind::Waits:
        return tr("waits");
    case WhyReason::Kind::AllReduces:
        return tr("all-reduces");
    case WhyReason::Kind::Recompute:
        return tr("recomputation");
    case WhyReason::Kind::Copies:
        return tr("evicts and loads");
    case WhyReason::Kind::Drain:
        break;
    }
    return tr("drain");
}

} // namespace

QString plainSentence(const profiler::Sentence& sentence, const Scale& scale)
{
    QString text;
    for (const Phrase& phrase : sentence)
        text += phrase.kind == Phrase::Kind::Time
            ? scale.withUnit(static_cast<double>(phrase.ticks))
            : fromUtf8(phrase.text);
    return text;
}

QString richSentence(const profiler::Sentence& sentence, const Scale& scale, const QColor& ink)
{
    QString text;
    for (const Phrase& phrase : sentence) {
        const QString words = fromUtf8(phrase.text).toHtmlEscaped();
        switch (phrase.kind) {
        case Phrase::Kind::Time:
            text += QStringLiteral("<b>%1</b>")
                        .arg(scale.withUnit(static_cast<double>(phrase.ticks)));
            break;
        case Phrase::Kind::Op:
            text += QStringLiteral("<a href='#%1' style='color:%2;font-family:monospace'>%3</a>")
                        .arg(phrase.op)
                        .arg(ink.name(), words);
            break;
        case Phrase::Kind::Text:
            text += words;
        }
    }
    return text;
}

QString effectText(const engine::Run& run, const profiler::Why& why, std::size_t reason,
                   const WhyEffect& effect, const Scale& scale)
{
    const auto& change = why.reasons[reason].change;
    if (effect.state == WhyEffect::State::Computing)
        return tr("computing…");
    if (!change || effect.state != WhyEffect::State::Known
        || !profiler::isNotable(effect.difference, why.iteration()))
        return {};
    const QString text
        = QStringLiteral("%1: %2 %3")
              .arg(fromUtf8(profiler::changeText(run, *change)),
                   scale.difference(static_cast<double>(effect.difference)), scale.unit());
    return effect.difference > 0 ? tr("%1, worse").arg(text) : text;
}

QString reasonPlate(const profiler::Why& why, std::size_t reason, const Scale& scale)
{
    const WhyReason& of = why.reasons[reason];
    return QStringLiteral("%1 %2 %3")
        .arg(reason + 1)
        .arg(reasonWord(of.kind), scale.withUnit(static_cast<double>(of.time)));
}

std::vector<WhyLine> whyLines(const profiler::PathShares& shares, const Scale& scale)
{
    const auto time
        = [&scale](std::int64_t ticks) { return scale.text(static_cast<double>(ticks)); };
    std::vector<WhyLine> lines;
    QStringList names, times;
    for (const engine::OpKind kind : shares.work.enumerators())
        if (shares.work[kind] != 0) {
            names << (kind == engine::OpKind::OptimizerStep   ? tr("optimizer")
                          : kind == engine::OpKind::Recompute ? tr("recompute")
                                                              : fromUtf8(engine::kindName(kind)));
            times << time(shares.work[kind]);
        }
    if (!names.isEmpty())
        lines.push_back({tr("Work on the path: %1").arg(names.join(QStringLiteral(", "))),
                         times.join(QStringLiteral(" + "))});
    if (shares.waits != 0)
        lines.push_back({tr("Waits: ready, not started"), time(shares.waits)});
    if (shares.messageCount != 0)
        lines.push_back({tr("Messages, %1").arg(shares.messageCount), time(shares.messages)});
    if (shares.otherTransfers != 0)
        lines.push_back({tr("All-reduces, evicts, loads"), time(shares.otherTransfers)});
    return lines;
}

QString whyClipboardText(const engine::Run& run, const profiler::Why& why,
                         const std::vector<WhyEffect>& effects)
{
    const Scale scale = timeScale(run.info, why.iteration());
    QStringList lines;
    lines << tr("Why not faster? %1, %2")
                 .arg(QString::fromStdString(run.info.label),
                      scale.withUnit(static_cast<double>(why.iteration())))
          << plainSentence(profiler::boundSentence(why.bound), scale);
    for (const WhyLine& line : whyLines(why.shares, scale))
        lines << QStringLiteral("%1: %2 %3").arg(line.name, line.value, scale.unit());
    for (std::size_t r = 0; r < why.reasons.size(); ++r) {
        QString line = QStringLiteral("%1. %2").arg(r + 1).arg(
            plainSentence(profiler::reasonSentence(run, why, why.reasons[r]), scale));
        const QString effect = effectText(run, why, r, effects[r], scale);
        lines << (effect.isEmpty() ? line : line + QStringLiteral("; ") + effect);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace app
