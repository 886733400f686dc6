#include "app/start/start_hints.h"

#include "app/ui/controls.h"

#include <QVBoxLayout>

namespace app {
namespace {

struct Hint
{
    Icon icon;
    QString text;
};

QWidget* makeHintLine(const ThemeController& theme, const Hint& hint)
{
    QLabel* text = makeLabel(hint.text, "small");
    text->setWordWrap(true);
    auto* line = new QWidget;
    spaced(new QHBoxLayout(line), {}, 10,
           {{new IconLabel(theme, hint.icon, &Chrome::text3), 0, Qt::AlignTop}, {text, 1}});
    return line;
}

} // namespace

StartHints::StartHints(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("startHints"));
    QPushButton* hide = makeButton(tr("Hide"), QStringLiteral("hideHints"), "link");
    hide->setFixedHeight(16);
    hide->setAccessibleName(tr("Hide the hints"));
    hide->setToolTip(tr("Hide the hints; Settings (Ctrl+,) shows them again"));
    connect(hide, &QPushButton::clicked, this, &StartHints::dismissed);
    auto* head = spaced(new QHBoxLayout, {}, 8, {{makeLabel(tr("Hints"), "section"), 1}, hide});
    auto* column = spaced(new QVBoxLayout(this), {0, 12, 0, 0}, 8, {head});
    const Hint hints[] = {
        {Icon::Chart,
         tr("Open a sample and click a hatched bubble: Details names the op that it waits for.")},
        {Icon::Compare,
         tr("Change a number of a new run: its schedule, bubble and memory are predicted at "
            "once.")},
        {Icon::Search,
         tr("Ctrl+K finds every command, run, scheme and setting; ? lists the keys.")},
    };
    for (const Hint& hint : hints)
        column->addWidget(makeHintLine(theme, hint));
}

} // namespace app
