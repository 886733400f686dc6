#include "tests/support/source_tree.h"

#include <regex>
#include <set>

using namespace tests;

// Qt interprets HTML in labels, tooltips and message boxes, so the text of a file could load an
// image or a device. ControlStyle::polish() makes labels and message boxes plain, PlainToolTips the
// tooltips of widgets, toolTipText() other tooltips. Only these places show HTML of our own.
namespace {

struct Rule
{
    std::regex pattern;
    std::string advice;
    std::set<std::string> allowed; // files that escape the texts of files
};

const std::vector<Rule>& rules()
{
    static const std::vector<Rule> kAll{
        {std::regex(R"(Qt::(RichText|AutoText|MarkdownText)\b)"),
         "labels are plain text",
         {"app/compare/compare_page.cpp", "app/ui/controls.cpp", "app/ui/theme.cpp",
          "app/timeline/details/details.cpp", "app/run/run_page.cpp", "app/search/search_page.cpp",
          "app/why/why_panel.cpp", "app/window/main_window.cpp"}},
        {std::regex(R"(kHtmlToolTip\b|"htmlToolTip")"),
         "tooltips are plain text",
         {"app/ui/theme.cpp", "app/ui/theme.h", "app/window/main_window.cpp"}},
        {std::regex(R"(\b(QTextBrowser|QTextEdit|QTextDocument|QGraphicsTextItem|QStaticText|)"
                    R"(QErrorMessage)\b|\b(set|append|insert)(Html|Markdown)\()"),
         "use QLabel or QPlainTextEdit, which show plain text",
         {"app/guide/guide_page.cpp", // the guide is our own text
          "app/setup/setup_page.cpp", "app/setup/setup_page.h", "app/window/main_window.cpp",
          "app/window/main_window.h"}},
        {std::regex(R"(\bsetWhatsThis\(|\bWhatsThisRole\b)"), "use a tooltip", {}},
        {std::regex(R"(\bQToolTip::showText\((?![^;]*\btoolTipText\()[^;]*;)"),
         "wrap the text in toolTipText()",
         {"app/ui/theme.cpp", "app/timeline/widget/time_canvas.cpp",
          "app/timeline/widget/timeline_widget.cpp"}},
        {std::regex(R"(\b\w*([iI]tem|[cC]ell|[hH]eader)\w*(->|\.))"
                    R"(setToolTip\((?!(\d, )?toolTipText\())"),
         "wrap the text in toolTipText()",
         {}},
        // TableColumn::with() is wrapped by TableModel.
        {std::regex(
             R"(([^h]|[^t]h)\(Qt::ToolTipRole|[^(]\bQt::ToolTipRole(?![^;]*\btoolTipText\())"),
         "wrap the text in toolTipText(), or use TableColumn::with()",
         {"app/ui/data_table.cpp"}}, // headerToolTip() has wrapped it
    };
    return kAll;
}

std::vector<std::string> richTextComplaints(const SourceFile& file)
{
    std::vector<std::string> complaints;
    for (const Rule& rule : rules())
        for (std::sregex_iterator at(file.text.begin(), file.text.end(), rule.pattern), end;
             at != end && !rule.allowed.contains(file.path); ++at)
            complaints.push_back(file.path + ": " + at->str() + ": " + rule.advice);
    return complaints;
}

bool isRefused(const std::string& code)
{
    return !richTextComplaints({"app/run/any.cpp", code}).empty();
}

} // namespace

TEST_CASE("no widget interprets HTML except those that escape the texts of files")
{
    for (const SourceFile& file : sourcesBelow({"app"}))
        CHECK(richTextComplaints(file) == std::vector<std::string>());
}

TEST_CASE("every exception to plain text is still needed")
{
    const std::vector<SourceFile> files = sourcesBelow({"app"});
    for (const Rule& rule : rules())
        for (const std::string& path : rule.allowed) {
            INFO(path);
            CHECK(std::ranges::any_of(files, [&](const SourceFile& file) {
                return file.path == path && std::regex_search(file.text, rule.pattern);
            }));
        }
}

TEST_CASE("the check for HTML finds every way in which Qt interprets it")
{
    for (const char* code :
         {"label->setTextFormat(Qt::RichText);", "box.setTextFormat(Qt::MarkdownText);",
          "widget->setProperty(kHtmlToolTip, true);", "auto* text = new QTextBrowser;",
          "edit->appendHtml(text);", "button->setWhatsThis(tr(\"x\"));",
          "QToolTip::showText(at,\n    file, this);", "item->setToolTip(text);",
          "item->setToolTip(0, text);", "m_item.setToolTip(fileName);",
          "item->setData(Qt::ToolTipRole, text);", "case Qt::ToolTipRole:\n    return file;"}) {
        INFO(code);
        CHECK(isRefused(code));
    }
    for (const char* code :
         {"label->setTextFormat(Qt::PlainText);", "button->setToolTip(text);",
          "QToolTip::showText(at, toolTipText(file), this);",
          "item->setToolTip(toolTipText(text));", "item->setToolTip(0, toolTipText(text));",
          "column.with(Qt::ToolTipRole, text)",
          "case Qt::ToolTipRole:\n    return toolTipText(file);",
          "return role == Qt::ToolTipRole ? toolTipText(value) : value;"}) {
        INFO(code);
        CHECK_FALSE(isRefused(code));
    }
}
