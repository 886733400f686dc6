#pragma once

#include "app/models/theme.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace app {

// The ratios or the charts of a study: a button per part, which edits it, with one that removes it,
// and a button that adds one.
class PartList : public QWidget
{
    Q_OBJECT

public:
    struct Part
    {
        QString title, tip;
    };
    // `name` begins the object names: "studyRatio" gives "studyRatio0" and "studyRatio0Remove".
    PartList(const ThemeController& theme, const QString& title, const QString& addText,
             const QString& name, QWidget* parent = nullptr);

    void show(const std::vector<Part>& parts);

Q_SIGNALS:
    void editRequested(std::size_t part); // the number of parts: a new one
    void removeRequested(std::size_t part);

private:
    void addPart(const Part& part, std::size_t index);

    const ThemeController& m_theme;
    QString m_name;
    QVBoxLayout* m_rows;
    std::size_t m_count = 0;
};

} // namespace app
