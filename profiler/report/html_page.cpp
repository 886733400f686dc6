#include "profiler/report/html_page.h"

#include "profiler/figure/scene.h"

#include <fmt/format.h>

namespace profiler {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 Roboto, "Segoe UI", Helvetica, Arial, sans-serif; color: #1d232b;
  background: #fff; max-width: 1120px; margin: 32px auto; padding: 0 24px; }
h1 { font-size: 28px; margin: 0; } h2 { font-size: 19px; margin: 36px 0 8px; }
h3 { font-size: 15px; margin: 20px 0 6px; } p { margin: 6px 0; color: #4a5462; }
.numbers { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; }
.numbers div { border: 1px solid #d8dde4; border-radius: 6px; padding: 8px 16px; }
.numbers b { display: block; font-size: 21px; } .numbers span { color: #4a5462; font-size: 13px; }
.wide { overflow-x: auto; } figure { margin: 20px 0; } figure svg { width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { padding: 4px 12px; border-bottom: 1px solid #e4e8ed; text-align: right; }
th { font-weight: 500; } th:first-child, .text { text-align: left; }
thead th { color: #4a5462; border-bottom-color: #aab3bf; } .facts th { color: #4a5462; }
pre { background: #f4f6f8; padding: 10px 14px; border-radius: 6px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
footer { margin: 40px 0; font-size: 13px; color: #4a5462; }
@media print { body { margin: 0; max-width: none; } }
)";

} // namespace

std::string htmlPage(const std::string& title, const std::string& body)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        markupText(title), kStyle, body);
}

} // namespace profiler
