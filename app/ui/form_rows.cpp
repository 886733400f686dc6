#include "app/ui/form_rows.h"

#include "app/ui/controls.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>

namespace app {

// Makes a row of the form. A long title wraps, and the fields keep their width.
QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields)
{
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    label->setWordWrap(true);
    row->addWidget(label, 1);
    for (QWidget* field : fields) {
        if (auto* segments = qobject_cast<SegmentControl*>(field))
            segments->setName(title);
        else if (field->accessibleName().isEmpty())
            field->setAccessibleName(title);
        row->addWidget(field);
    }
    return row;
}

// Makes a row with the title at the left, and the slider and its field at the right.
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field)
{
    constexpr int kTitle = 108;
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    label->setFixedWidth(kTitle);
    label->setBuddy(field->field());
    row->addWidget(label);
    row->addWidget(field, 1);
    field->field()->setAccessibleName(title);
    field->slider()->setAccessibleName(title);
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

QPushButton* makeBrowseButton(const QString& objectName, const QString& tip)
{
    QPushButton* button = makeButton(QStringLiteral("\u2026"), objectName);
    button->setFixedWidth(28);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    setLook(button, "kind", QStringLiteral("icon"));
    return button;
}

void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString&)>& take)
{
    auto* dialog = new QFileDialog(parent, title, {}, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, take);
    dialog->open();
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
