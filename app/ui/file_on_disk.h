#pragma once

#include <QString>

#include <optional>

class QWidget;

namespace app {

// Notices that another program has changed a file which this program opened or saved.
class FileOnDisk
{
public:
    enum class Answer { Cancel, SaveAs, Overwrite };

    void remember(const QString& file); // call after the file was read or written
    // Asks whether to overwrite a file that changed since remember(). Otherwise returns Overwrite.
    Answer askBeforeSaving(QWidget* parent) const;

private:
    QString m_file;
    std::optional<std::size_t> m_hash; // hash of the text; nullopt: the file cannot be read
};

} // namespace app
