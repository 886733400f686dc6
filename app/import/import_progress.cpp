#include "app/import/import_progress.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kProgressWidth = 460, kProgressSteps = 1000;

QString megabytes(double bytes)
{
    const Scale scale = scaleIn(Unit::MB);
    return scale.finer(bytes < 10 * scale.perUnit() ? 0 : -1).withUnit(bytes);
}

} // namespace

ImportProgressView::ImportProgressView(QWidget* parent)
    : QWidget(parent)
    , m_title(makeLabel(tr("Reading traces"), "heading"))
    , m_file(named(makeLabel({}, "small"), "importFile"))
    , m_numbers(named(makeLabel({}, "small"), "importNumbers"))
    , m_bar(named(new QProgressBar, "importBar", tr("Progress of the import")))
{
    m_file->setTextFormat(Qt::PlainText);
    m_bar->setRange(0, kProgressSteps);
    QPushButton* cancel = makeButton(tr("Cancel"), QStringLiteral("cancelImport"));
    connect(cancel, &QPushButton::clicked, this, &ImportProgressView::cancelRequested);
    auto* box = new QWidget;
    box->setFixedWidth(kProgressWidth);
    spaced(new QVBoxLayout(box), {}, 8,
           {m_title, m_file, m_bar, m_numbers, {cancel, 0, Qt::AlignRight}});
    auto* column = spaced(new QVBoxLayout(this), {}, 0);
    column->addStretch(2);
    column->addWidget(box, 0, Qt::AlignHCenter);
    column->addStretch(3);
    setFocusProxy(cancel);
}

void ImportProgressView::show(const ImportState& state)
{
    const bool isRead = state.file.isEmpty() && state.bytes > 0;
    m_title->setText(isRead ? tr("Building the run") : tr("Reading traces"));
    m_file->setText(QFileInfo(state.file).fileName());
    if (state.allBytes <= 0)
        return;
    m_bar->setValue(static_cast<int>(kProgressSteps * state.bytes / state.allBytes));
    QString text = tr("%1 of %2")
                       .arg(megabytes(static_cast<double>(state.bytes)),
                            megabytes(static_cast<double>(state.allBytes)));
    if (!isRead && state.rate() > 0)
        text = tr("%1, %2/s, %3")
                   .arg(text, megabytes(state.rate()), remainingTime(state.secondsLeft()));
    m_numbers->setText(text);
}

} // namespace app
