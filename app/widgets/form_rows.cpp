#include "app/widgets/form_rows.h"

#include "app/widgets/controls.h"

#include <QComboBox>
#include <QHBoxLayout>

namespace app {

// A long title wraps; the fields keep their width.
QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields)
{
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    label->setWordWrap(true);
    row->addWidget(label, 1);
    for (QWidget* field : fields)
        row->addWidget(field);
    return row;
}

QLabel* makeFormHint()
{
    QLabel* hint = makeLabel({}, "hint");
    hint->setAlignment(Qt::AlignRight);
    hint->setWordWrap(true);
    hint->hide();
    return hint;
}

void setHint(QLabel* hint, const QString& text)
{
    hint->setText(text);
    hint->setVisible(!text.isEmpty());
}

QComboBox* makeFormCombo(const QString& objectName)
{
    auto* combo = new QComboBox;
    combo->setObjectName(objectName);
    combo->setFixedSize(kFormFieldWidth, 28);
    return combo;
}

QVBoxLayout* makeFormSection(QVBoxLayout& column)
{
    if (column.count() > 0)
        column.addWidget(makeLine(Qt::Horizontal));
    auto* section = spaced(new QVBoxLayout, QMargins(14, 14, 14, 14), 6);
    column.addLayout(section);
    return section;
}

} // namespace app
