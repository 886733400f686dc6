#pragma once

#include "app/ui/theme.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace app {

// The ratios or the charts of a study. Each part has a button that edits it and one that removes
// it; another button adds a part.
class PartList : public QWidget
{
    Q_OBJECT

public:
    struct Part
    {
        QString title, tip;
    };
    // `name` is the prefix of the object names: "studyRatio" gives "studyRatio0" and
    // "studyRatio0Remove".
    PartList(const ThemeController& theme, const QString& title, const QString& addText,
             const QString& name, QWidget* parent = nullptr);

    void show(const std::vector<Part>& parts);

Q_SIGNALS:
    // `part` is the index of the part to edit. If it equals the number of parts, a part is added.
    void editRequested(std::size_t part);
    void removeRequested(std::size_t part);

private:
    void addPart(const Part& part, std::size_t index);

    const ThemeController& m_theme;
    QString m_name;
    QVBoxLayout* m_rows;
    std::size_t m_count = 0;
};

} // namespace app
