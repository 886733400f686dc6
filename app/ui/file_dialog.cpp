#include "app/ui/file_dialog.h"

#include "app/ui/controls.h"

namespace app {

QFileDialog* openFileDialog(const FileQuestion& question, QWidget* parent)
{
    auto* dialog = named(new QFileDialog(parent, question.title, QString(), question.filter),
                         question.objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.mode);
    dialog->open();
    return dialog;
}

} // namespace app
