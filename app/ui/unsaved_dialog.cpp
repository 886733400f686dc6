#include "app/ui/unsaved_dialog.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace app {

UnsavedDialog::UnsavedDialog(const QString& what, int changes, QWidget* parent)
    : QDialog(parent)
{
    constexpr int kWidth = 460;
    setObjectName(QStringLiteral("unsavedDialog"));
    setWindowTitle(tr("%1 has changes").arg(what));
    setFixedWidth(kWidth);
    QLabel* text = makeLabel(
        changes > 0 ? tr("Discarding loses %1 and leaves the file on disk as it is.")
                          .arg(countOf(changes, "change"))
                    : tr("Discarding loses unsaved changes and leaves the file on disk as it is."));
    text->setWordWrap(true);
    QPushButton* discard = makeButton(tr("Discard"), QStringLiteral("discardChanges"));
    QPushButton* stay = makeButton(tr("Keep editing"), QStringLiteral("keepEditing"));
    QPushButton* save = makeButton(tr("Save"), QStringLiteral("saveChanges"), "primary");
    auto* buttons = spaced(new QHBoxLayout, {}, 8, {discard, kStretch, stay, save});
    spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12,
           {makeLabel(windowTitle(), "heading"), text, buttons});
    save->setDefault(true);
    connect(save, &QPushButton::clicked, this, [this] { choose(Choice::Save); });
    connect(discard, &QPushButton::clicked, this, [this] { choose(Choice::Discard); });
    connect(stay, &QPushButton::clicked, this, [this] { choose(Choice::Stay); });
}

void UnsavedDialog::choose(Choice choice)
{
    m_choice = choice;
    choice == Choice::Stay ? reject() : accept();
}

} // namespace app
