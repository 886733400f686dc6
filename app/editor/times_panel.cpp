#include "app/editor/times_panel.h"

#include "app/plan/key_numbers.h"
#include "app/plan/prediction.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QVBoxLayout>

namespace app {

TimesPanel::TimesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_preview(named(new SchedulePreview(theme), "preview"))
    , m_numbers(named(new KeyNumbers(theme), "keyNumbers"))
    , m_note(named(makeLabel({}, "small"), "timesNote"))
{
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(32, 8, {makeLabel(tr("Times of this order"), "dock"), {m_note, 1}}),
            makeLine(Qt::Horizontal), spaced(new QVBoxLayout, {14, 4, 8, 4}, 0, {m_preview}),
            makeLine(Qt::Horizontal), m_numbers});
}

void TimesPanel::show(const ScheduleCheck& check, const PredictionRequest& request)
{
    const Prediction& prediction = check.prediction;
    if (!check.isValid()) {
        m_preview->setPlaceholder(tr("No times: the schedule is not valid"));
        m_preview->setStale();
        m_numbers->show(nullptr);
        m_note->setText(m_preview->hasPicture() ? tr("of the last valid order") : tr("none yet"));
        return;
    }
    m_preview->show(std::make_shared<RunView>(prediction.run));
    m_numbers->show(&prediction);
    m_note->setText(tr("%1, bubble %2, peak stash %3 Mₐ. %4")
                        .arg(timeText(prediction.metrics.duration, prediction.info),
                             percent(prediction.metrics.bubbleRatio),
                             number(largestStash(prediction.metrics), 1), costsText(request)));
}

void TimesPanel::setLow(bool low)
{
    constexpr int kPicture = 184, kLowPicture = 84;
    m_preview->setRowsHeight(low ? kLowPicture : kPicture);
    m_numbers->setVisible(!low);
}

} // namespace app
