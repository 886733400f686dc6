#include "app/range/range_panel.h"

#include "app/range/range_text.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/table_text.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace app {

using profiler::RangeDevice;

void RangeModel::show(RunPointer run, profiler::RangeMetrics metrics)
{
    m_metrics = std::move(metrics);
    std::vector<const Device*> devices;
    for (const RangeDevice& device : m_metrics.devices)
        devices.push_back(&device.times);
    setDevices(std::move(run), std::move(devices), m_metrics.range.duration(),
               m_metrics.bubbleRatio);
    Columns columns{nameColumn()};
    append(columns, workColumns());
    append(columns, bubbleColumns());
    append(columns,
           {timeColumn(tr("fill"), &Device::fill), timeColumn(tr("wait"), &Device::wait),
            timeColumn(tr("drain"), &Device::drain)});
    const auto between = [this](const Device& device) { return of(device).between; };
    if (sum(between) > 0)
        columns.push_back(timeColumn(tr("between"), between));
    append(columns, peakColumn());
    append(columns, stashColumn());
    append(columns,
           {countColumn(tr("Ops"), [this](const Device& one) { return of(one).opsWhole; }),
            countColumn(tr("Cut"), [this](const Device& one) { return of(one).opsCut; }),
            messagesColumn()});
    for (auto column = columns.begin() + 1; column != columns.end(); ++column)
        column->onlyIf([this](const Device* device) {
            return device == nullptr || m_metrics.devices[device->device].isRecorded;
        });
    DeviceTable::show(std::move(columns));
}

void RangeModel::clear()
{
    reset({}, {});
    m_metrics = {};
}

RangePanel::RangePanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new RangeModel(this))
    , m_table(named(new DataTable(theme, 23), "rangeTable", tr("Range")))
    , m_field(named(new QLineEdit, "rangeField", tr("Marked range")))
    , m_problem(named(makeLabel({}, "problem"), "rangeProblem"))
    , m_hint(named(
          makeLabel(tr("Drag across the timeline, or type a range above and press Enter."), "hint"),
          "rangeHint"))
    , m_buttons(new QWidget)
    , m_copy(makeIconButton("copyRange", Icon::Copy, tr("Copy the table as CSV"), theme))
{
    setObjectName(QStringLiteral("rangePanel"));
    m_table->setModel(m_model);
    m_field->setPlaceholderText(tr("102-172.4 ms, or iteration 1, 40..60 ms"));
    m_field->setToolTip(tr("Type a range and press Enter, or drag across the timeline"));
    m_hint->setContentsMargins(12, 10, 12, 10);
    m_hint->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(), makeLine(Qt::Horizontal), {m_table, 1}, {m_hint, 1}});
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(csvOf(*m_model)); });
    connect(&theme, &ThemeController::unitsChanged, this, [this] {
        if (m_model->rowCount() > 0)
            mark(m_model->metrics().range);
    });
    connect(m_field, &QLineEdit::textEdited, this, [this] { showProblem({}); });
    clear();
}

QWidget* RangePanel::makeBar()
{
    m_field->setFixedHeight(26);
    m_field->setMinimumWidth(200);
    m_field->setMaximumWidth(300);
    m_problem->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_problem->setWordWrap(true);
    spaced(new QHBoxLayout(m_buttons), {}, 4);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(34);
    spaced(new QHBoxLayout(bar), {10, 0, 8, 0}, 8,
           {{m_field, 1}, {m_problem, 2}, m_buttons, m_copy});
    return bar;
}

void RangePanel::addButton(const QString& text, const char* name, QAction* action)
{
    m_buttons->layout()->addWidget(makeButton(text, QString::fromLatin1(name), "tool", action));
}

void RangePanel::setPlace(RunPointer run, int iteration)
{
    m_run = std::move(run);
    m_iteration = iteration;
}

void RangePanel::mark(engine::Window range)
{
    if (!m_run || m_run->timeline.iterations.empty())
        return;
    m_field->setText(rangeName(*m_run, range));
    m_field->setCursorPosition(0);
    setMarked(true);
    showProblem({});
}

void RangePanel::showMetrics(RunPointer run, const profiler::RangeMetrics& metrics)
{
    m_model->show(std::move(run), metrics);
    m_copy->setEnabled(true);
}

void RangePanel::clear()
{
    m_model->clear();
    m_field->clear();
    m_copy->setEnabled(false);
    setMarked(false);
    showProblem({});
}

void RangePanel::setMarked(bool isMarked)
{
    m_buttons->setEnabled(isMarked);
    m_buttons->setToolTip(isMarked ? QString() : tr("Mark a range first"));
    m_table->setVisible(isMarked);
    m_hint->setVisible(!isMarked);
}

void RangePanel::editRange()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void RangePanel::read()
{
    if (!m_run)
        return;
    const auto range = parseRange(m_field->text(), *m_run, m_iteration);
    if (!range) {
        showProblem(fromUtf8(range.error().message));
        return;
    }
    Q_EMIT typed(*range);
}

void RangePanel::showProblem(const QString& problem)
{
    m_problem->setText(problem);
    m_problem->setToolTip(toolTipText(problem));
    setLook(m_field, "invalid", !problem.isEmpty());
}

void RangePanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        read();
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
