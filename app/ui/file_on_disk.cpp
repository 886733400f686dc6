#include "app/ui/file_on_disk.h"

#include "app/ui/controls.h"
#include "engine/base/read_file.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <functional>
#include <string>

namespace app {
namespace {

QString fileText(const char* source)
{
    return QCoreApplication::translate("FileOnDisk", source);
}

std::optional<std::size_t> hashOf(const QString& file)
{
    const auto text = engine::readFile(file.toStdString());
    return text ? std::optional(std::hash<std::string>()(*text)) : std::nullopt;
}

} // namespace

void FileOnDisk::remember(const QString& file)
{
    m_file = file;
    m_hash = hashOf(file);
}

FileOnDisk::Answer FileOnDisk::askBeforeSaving(QWidget* parent) const
{
    const auto hash = hashOf(m_file);
    if (!hash || hash == m_hash)
        return Answer::Overwrite;
    const QString name = QFileInfo(m_file).fileName();
    QMessageBox box(
        QMessageBox::NoIcon, fileText("%1 has changed").arg(name),
        fileText("Another program has changed %1 since it was opened or saved here.").arg(name),
        QMessageBox::Cancel, parent);
    box.setObjectName(QStringLiteral("changedOnDisk"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(fileText("Overwriting loses the changes of the other program."));
    const auto* overwrite
        = named(box.addButton(fileText("Overwrite"), QMessageBox::DestructiveRole), "overwrite");
    const auto* saveAs
        = named(box.addButton(fileText("Save as…"), QMessageBox::AcceptRole), "saveAsInstead");
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == overwrite ? Answer::Overwrite
        : box.clickedButton() == saveAs     ? Answer::SaveAs
                                            : Answer::Cancel;
}

} // namespace app
