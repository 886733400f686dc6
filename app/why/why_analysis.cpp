#include "app/why/why_analysis.h"

#include "app/ui/side_threads.h"

#include <utility>

namespace app {
namespace {

enum WhyPriority { NextSchemeLast, EffectsThen, PathFirst };

struct ExplainedPath
{
    PathMarksPointer marks;
    QString reason;
};

std::shared_ptr<std::atomic<bool>> newWhyFlag()
{
    return std::make_shared<std::atomic<bool>>(false);
}

} // namespace

WhyAnalysis::WhyAnalysis(QObject* parent)
    : QObject(parent)
    , m_isDropped(newWhyFlag())
    , m_isNextDropped(newWhyFlag())
    , m_background(this, sideThreads())
{ }

WhyAnalysis::~WhyAnalysis()
{
    cancel();
    cancelNextScheme();
}

void WhyAnalysis::cancel()
{
    *m_isDropped = true;
}

void WhyAnalysis::cancelNextScheme()
{
    *m_isNextDropped = true;
}

void WhyAnalysis::ask(const RunPointer& run, int iteration)
{
    cancel();
    m_isDropped = newWhyFlag();
    m_run = run;
    const auto job = [run, iteration] {
        const auto marks = makePathMarks(*run, iteration);
        return marks ? ExplainedPath{*marks, {}}
                     : ExplainedPath{nullptr, QString::fromStdString(marks.error().message)};
    };
    m_background.run(
        job,
        [this, isDropped = m_isDropped](const ExplainedPath& explained) {
            if (*isDropped)
                return;
            Q_EMIT this->explained(explained.marks, explained.reason);
            if (explained.marks == nullptr || *isDropped)
                return;
            askEffects(explained.marks);
            askNext(m_run);
        },
        PathFirst);
}

// Simulates each change in a separate job, so that each effect is shown as soon as it is known.
void WhyAnalysis::askEffects(const PathMarksPointer& marks)
{
    using Simulator = std::shared_ptr<const profiler::WhyEffects>;
    const auto prepare = [run = m_run, iteration = marks->why.path.iteration] {
        return Simulator(std::make_shared<const profiler::WhyEffects>(*run, iteration));
    };
    const auto start
        = [this, marks, run = m_run, isDropped = m_isDropped](const Simulator& simulator) {
              if (*isDropped)
                  return;
              const auto accuracy = simulator->accuracy();
              Q_EMIT accuracyKnown(accuracy.value_or(0),
                                   accuracy ? QString()
                                            : QString::fromStdString(accuracy.error().message));
              const auto& reasons = marks->why.reasons;
              for (std::size_t r = 0; r < reasons.size(); ++r) {
                  if (!reasons[r].change)
                      continue;
                  const auto job = [simulator, run, change = *reasons[r].change, isDropped] {
                      WhyEffect effect{WhyEffect::State::Failed, 0};
                      if (*isDropped)
                          return effect;
                      if (const auto difference = simulator->of(change))
                          effect = {WhyEffect::State::Known, *difference};
                      return effect;
                  };
                  m_background.run(
                      job,
                      [this, r, isDropped](const WhyEffect& effect) {
                          if (!*isDropped)
                              Q_EMIT effectKnown(static_cast<int>(r), effect);
                      },
                      EffectsThen);
              }
          };
    m_background.run(prepare, start, EffectsThen);
}

void WhyAnalysis::askNext(const RunPointer& run)
{
    if (run == m_nextOf && !*m_isNextDropped) {
        if (m_next)
            Q_EMIT nextKnown(*m_next);
        return;
    }
    cancelNextScheme(); // of another run
    m_isNextDropped = newWhyFlag();
    m_nextOf = run;
    m_next.reset();
    const auto job = [run, isNextDropped = m_isNextDropped] {
        NextSchemeAnswer answer;
        auto next = profiler::nextScheme(*run, [isNextDropped] { return isNextDropped->load(); });
        if (!next)
            answer.reason = QString::fromStdString(next.error().message);
        else if (*next)
            answer.next = std::make_shared<const profiler::NextScheme>(**std::move(next));
        return answer;
    };
    m_background.run(
        job,
        [this, isNextDropped = m_isNextDropped](const NextSchemeAnswer& answer) {
            if (isNextDropped != m_isNextDropped)
                return;
            m_next = answer;
            Q_EMIT nextKnown(answer);
        },
        NextSchemeLast);
}

} // namespace app
