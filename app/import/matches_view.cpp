#include "app/import/matches_view.h"

#include "app/import/import_model.h"
#include "app/import/report_section.h"
#include "app/ui/data_table.h"

#include <QItemSelectionModel>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

QString whyNoMatches(const engine::ImportReport& report, const CoverageRow* rule)
{
    if (report.matches.empty())
        return MatchesView::tr("This file has no list of matches, because an older version wrote "
                               "it. Import the traces again.");
    return rule == nullptr ? MatchesView::tr("Select a rule to list what it matches.")
                           : MatchesView::tr("No match of this rule is in this file.");
}

// Returns "1 000 of 5 420 shown" or, for the unclassified time, whose total is unknown, "All 12
// shown" or "The 1 000 longest shown".
QString shownText(int shown, const CoverageRow& rule)
{
    constexpr auto kMost = static_cast<int>(engine::ImportReport::kMostMatches);
    const QString count = number(shown, 0);
    if (rule.isClassified)
        return MatchesView::tr("%1 of %2 shown")
            .arg(count,
                 number(static_cast<double>(std::max<std::int64_t>(rule.rule.matches, shown)), 0));
    return shown < kMost ? MatchesView::tr("All %1 shown").arg(count)
                         : MatchesView::tr("The %1 longest shown").arg(count);
}

} // namespace

MatchesView::MatchesView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new MatchesModel(this))
    , m_title(named(new ElidedLabel("dock"), "matchesTitle"))
    , m_table(named(new DataTable(theme, kReportRow), "matchesTable", tr("Matches of the rule")))
    , m_empty(named(makeEmptyText({}), "noMatches"))
    , m_count(named(makeLabel({}, "hint"), "matchesCount"))
{
    m_table->setModel(m_model);
    m_table->setRestColumn(0);
    m_table->setDispensable({MatchesModel::kIteration, MatchesModel::kAt});
    m_count->setContentsMargins({kSectionPadding.left(), 6, kSectionPadding.right(), 6});
    QWidget* section
        = makeSection(m_title, makeSectionHint(tr("longest first, Enter opens it in the run")),
                      {m_table, m_empty, m_count});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(section);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &MatchesView::currentChanged);
    connect(m_table, &QTableView::activated, this, &MatchesView::openRequested);
}

void MatchesView::show(const engine::Run& run, const CoverageRow* rule)
{
    constexpr int kTallest = 212; // pixels: seven rows
    const std::string name = rule == nullptr || !rule->isClassified ? "" : rule->rule.name;
    if (rule == nullptr)
        m_model->clear();
    else
        m_model->show(run, name);
    m_title->setText(rule == nullptr
                         ? tr("Matches")
                         : tr("Matches: %1").arg(QString::fromStdString(rule->rule.name)));
    m_empty->setText(whyNoMatches(*run.info.import, rule));
    showRows(*m_table, *m_empty, kTallest);
    m_count->setVisible(m_model->rowCount() > 0);
    if (rule != nullptr)
        m_count->setText(shownText(m_model->rowCount(), *rule));
    m_table->scrollToTop();
}

const engine::ImportReport::Match* MatchesView::current() const
{
    const int row = m_table->currentIndex().row();
    return row < 0 || row >= m_model->rowCount() ? nullptr : &m_model->at(row).match;
}

} // namespace app
