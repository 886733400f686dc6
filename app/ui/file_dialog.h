#pragma once

#include <QFileDialog>

namespace app {

struct FileQuestion
{
    QString title, filter;
    const char* objectName;
    QFileDialog::FileMode mode;
};

// Opens a dialog that deletes itself when it is closed.
QFileDialog* openFileDialog(const FileQuestion& question, QWidget* parent);

} // namespace app
