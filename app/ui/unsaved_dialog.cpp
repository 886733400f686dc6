#include "app/ui/unsaved_dialog.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QDialog>
#include <QHBoxLayout>

#include <memory>

namespace app {
namespace {

enum Choice { Stay = QDialog::Rejected, Discard, Save };

} // namespace

QDialog* makeUnsavedDialog(const QString& what, int changes, QWidget* parent)
{
    constexpr int kWidth = 460;
    auto* dialog = named(new QDialog(parent), "unsavedDialog");
    const auto tr = [](const char* text) { return QDialog::tr(text); };
    dialog->setWindowTitle(tr("%1 has changes").arg(what));
    dialog->setFixedWidth(kWidth);
    const QString text = changes > 0
        ? tr("Discarding loses %1 and leaves the file on disk as it is.")
              .arg(countOf(changes, "change"))
        : tr("Discarding loses unsaved changes and leaves the file on disk as it is.");
    const auto button = [&](const QString& title, const char* name, int choice) {
        QPushButton* made
            = makeButton(title, QString::fromLatin1(name), choice == Save ? "primary" : "");
        made->setDefault(choice == Save);
        QObject::connect(made, &QPushButton::clicked, dialog, [=] { dialog->done(choice); });
        return made;
    };
    auto* buttons = spaced(new QHBoxLayout, {}, 8,
                           {button(tr("Discard"), "discardChanges", Discard), kStretch,
                            button(tr("Keep editing"), "keepEditing", Stay),
                            button(tr("Save"), "saveChanges", Save)});
    spaced(new QVBoxLayout(dialog), {20, 16, 20, 16}, 12,
           {makeLabel(dialog->windowTitle(), "heading"), makeWrapped("", "", text), buttons});
    return dialog;
}

bool mayDiscard(const QString& what, int changes, QWidget* parent,
                const std::function<bool()>& save)
{
    const std::unique_ptr<QDialog> dialog(makeUnsavedDialog(what, changes, parent));
    const int choice = dialog->exec();
    return choice == Save ? save() : choice == Discard;
}

} // namespace app
