#pragma once

#include "app/ui/theme.h"

#include <QStringList>
#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace app {

class FlowLayout;

// The values of one option of a study, as chips. A click on a chip removes its value. The chip "+"
// adds values: from a menu if the option has names, otherwise as text ("4, 8" or "0 to 0.5, 11
// steps"). Many values in equal steps share one chip, and a click on it edits its text.
class ValueChips : public QWidget
{
    Q_OBJECT

public:
    ValueChips(const ThemeController& theme, std::string key, QWidget* parent = nullptr);

    const std::string& key() const { return m_key; }
    void show(const std::vector<std::string>& values);
    void setProblem(const QString& text); // "": none
    QString problem() const;

Q_SIGNALS:
    void edited(const std::vector<std::string>& values);

private:
    void addChip(const QString& text, const QString& tip, const std::function<void()>& pressed);
    void remove(const std::string& value);
    void add();
    void chooseName();
    void type(const QString& text); // opens the text field
    void takeText();
    void closeLine();
    void change(std::vector<std::string> values);
    bool eventFilter(QObject* watched, QEvent* event) override;

    const ThemeController& m_theme;
    std::string m_key;
    QString m_label;
    QStringList m_names; // accepted values; empty: any text
    std::vector<std::string> m_values;
    bool m_replaces = false; // the text field replaces all values
    FlowLayout* m_flow;
    QLineEdit* m_line;
    QPushButton* m_add;
    QLabel* m_problem;
};

} // namespace app
