#include "app/cluster/check_list.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QGridLayout>

#include <algorithm>

namespace app {
namespace {

using Level = ClusterCheck::Level;

Icon iconOf(Level level)
{
    return level == Level::Pass   ? Icon::Check
        : level == Level::Warning ? Icon::Warning
                                  : Icon::Error;
}

IconLabel::Colour colourOf(Level level)
{
    return level == Level::Pass   ? &Chrome::ok
        : level == Level::Warning ? &Chrome::warning
                                  : &Chrome::error;
}

QString levelText(Level level)
{
    return level == Level::Pass   ? CheckList::tr("passed")
        : level == Level::Warning ? CheckList::tr("warning")
                                  : CheckList::tr("problem");
}

} // namespace

QString checksText(const std::vector<ClusterCheck>& checks)
{
    const auto count = [&](Level level) {
        return static_cast<std::int64_t>(std::ranges::count(checks, level, &ClusterCheck::level));
    };
    QStringList parts;
    if (count(Level::Problem) > 0)
        parts.append(countOf(count(Level::Problem), "problem"));
    if (count(Level::Pass) > 0)
        parts.append(CheckList::tr("%1 pass").arg(count(Level::Pass)));
    if (count(Level::Warning) > 0)
        parts.append(countOf(count(Level::Warning), "warning"));
    return parts.join(QStringLiteral(", "));
}

CheckList::CheckList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_grid(spaced(new QGridLayout(this), QMargins(), 8))
{
    setObjectName(QStringLiteral("clusterChecks"));
    m_grid->setHorizontalSpacing(24);
}

void CheckList::show(const std::vector<ClusterCheck>& checks)
{
    for (QWidget* row : m_rows) {
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    QStringList spoken;
    for (const ClusterCheck& check : checks) {
        auto* row = new QWidget;
        auto* bold = makeLabel(check.bold, "dock");
        auto* text = makeLabel(check.text, "small");
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        auto* words = spaced(new QVBoxLayout, {}, 1, {bold, text});
        auto* icon = new IconLabel(m_theme, iconOf(check.level), colourOf(check.level));
        spaced(new QHBoxLayout(row), {}, 10, {{icon, 0, Qt::AlignTop}, {words, 1}});
        const QString said
            = QStringLiteral("%1: %2, %3").arg(levelText(check.level), check.bold, check.text);
        row->setAccessibleName(said);
        spoken.append(said);
        m_rows.append(row);
    }
    setAccessibleName(tr("Checks"));
    setAccessibleDescription(spoken.join(QStringLiteral(". ")));
    arrange();
}

void CheckList::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    m_columns = columns;
    arrange();
}

void CheckList::arrange()
{
    while (QLayoutItem* item = m_grid->takeAt(0))
        delete item;
    for (int i = 0; i < 2; ++i)
        m_grid->setColumnStretch(i, i < m_columns ? 1 : 0);
    for (int i = 0; i < m_rows.size(); ++i)
        m_grid->addWidget(m_rows.at(i), i / m_columns, i % m_columns, Qt::AlignTop);
}

} // namespace app
