#include "app/pages/compare/parameters_dialog.h"

#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"

#include <QVBoxLayout>

namespace app {

ParametersDialog::ParametersDialog(const ThemeController& theme,
                                   std::vector<RunParameter> parameters, const QStringList& titles,
                                   QWidget* parent)
    : QDialog(parent)
{
    constexpr QSize kSize(760, 620);
    setObjectName(QStringLiteral("parametersDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Parameters of the compared runs"));
    auto* model = new ParametersModel(this);
    model->show(std::move(parameters), titles);
    auto* table = named(new DataTable(theme, 26), "parametersTable", windowTitle());
    table->setModel(model);
    table->setRestColumn(2);
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeParameters"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* row = spaced(new QHBoxLayout, {12, 10, 12, 10}, 8, {kStretch, close});
    spaced(new QVBoxLayout(this), {}, 0, {{table, 1}, makeLine(Qt::Horizontal), row});
    resize(kSize);
    fitToScreen(*this);
}

} // namespace app
