#pragma once

#include "app/models/theme.h"

#include <QObject>

#include <functional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace app {

class SpinField;

// Fields bound to members of one object: what the user edits is written there and told; show()
// writes the other way and tells nobody. The members outlive it.
class BoundFields : public QObject
{
    Q_OBJECT

public:
    explicit BoundFields(const ThemeController& theme, QObject* parent = nullptr);

    struct Range
    {
        int least = 0, most = 0;
        QString leastText = {}; // in place of the smallest number: "same"
    };
    SpinField* number(const char* name, int& value, const Range& range);
    SpinField* hundredths(const char* name, int& value, const Range& range); // shown as decimals
    QCheckBox* flag(const char* name, const QString& text, bool& value);
    QLineEdit* text(const char* name, QString& value);
    // One of `words`; get and set speak in their positions.
    QComboBox* choice(const char* name, const QStringList& words, std::function<int()> get,
                      std::function<void(int)> set);

    void show();

Q_SIGNALS:
    void edited();

private:
    SpinField* bound(SpinField* field, const char* name, int& value, const Range& range);
    void changed();

    const ThemeController& m_theme;
    std::vector<std::function<void()>> m_show;
    bool m_isShowing = false;
};

} // namespace app
