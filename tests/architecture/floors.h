#pragma once

#include <string>
#include <vector>

// ARCHITECTURE.md, "Folders and floors", as a table: who may include what.
namespace tests {

using Names = std::vector<std::string>;

struct Floor
{
    std::string folder;
    Names mayInclude; // floors; with a slash at the end a folder with all floors below it
    Names foreign;    // headers or beginnings of headers beside std, fmt and tl/expected
    Names butNot{};   // foreign ones that are refused all the same
};

// The parts of Qt that need a screen of widgets.
inline const Names kWidgets{"QWidget",  "QApplication", "QDialog",     "QMainWindow", "QPushButton",
                            "QLabel",   "QLayout",      "QVBoxLayout", "QHBoxLayout", "QScrollBar",
                            "QMenu",    "QToolBar",     "QTableView",  "QFileDialog", "QMessageBox",
                            "QSpinBox", "QComboBox",    "QLineEdit",   "QStyle",      "QToolTip"};

inline Names plus(Names names, const Names& more)
{
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

// The first floor whose folder a file lies in or below is its own: cpu/ stands before backend/.
inline const std::vector<Floor>& floors()
{
    static const Names kSchedule{"engine/base", "engine/schedule/"};
    static const Names kPlan = plus(kSchedule, {"engine/timeline"});
    static const Names kBelowExperiment
        = plus(kPlan,
               {"engine/schedules", "engine/cost", "engine/sim", "engine/backend",
                "engine/backend/cpu", "engine/transport", "engine/model", "resources"});
    static const Names kBelowApp{"engine/", "profiler/", "resources"};
    static const Names kDocuments = plus(kBelowApp, {"app/ui", "app/documents"});
    static const Names kShared
        = plus(kDocuments, {"app/timeline/", "app/figures", "app/plan", "app/shell"});
    static const std::vector<Floor> kFloors{
        {"resources", {}, {}},
        {"engine/base", {}, {}},
        {"engine/schedule/passes", {"engine/base", "engine/schedule"}, {}},
        {"engine/schedule/check", {"engine/base", "engine/schedule", "engine/schedule/passes"}, {}},
        {"engine/schedule/formats",
         {"engine/base", "engine/schedule", "engine/schedule/passes", "engine/schedule/check"},
         {}},
        {"engine/schedule", {"engine/base"}, {}},
        {"engine/schedules", kSchedule, {}},
        {"engine/cost", plus(kSchedule, {"resources"}), {"toml++/"}},
        {"engine/timeline", kSchedule, {}},
        {"engine/sim", plus(kPlan, {"engine/cost"}), {}},
        {"engine/backend/cpu", {"engine/base", "engine/backend"}, {"cblas.h"}},
        {"engine/backend/cuda",
         {"engine/base", "engine/backend"},
         {"cuda", "cublas", "nccl.h", "nvtx3/"}},
        {"engine/backend", {"engine/base"}, {}},
        {"engine/transport", plus(kSchedule, {"engine/backend"}), {}},
        {"engine/model",
         {"engine/base", "engine/backend", "engine/cost", "resources"},
         {"toml++/"}},
        {"engine/experiment", kBelowExperiment, {"toml++/"}},
        {"engine/plan", plus(kBelowExperiment, {"engine/experiment"}), {}},
        {"engine/pipeline", plus(kBelowExperiment, {"engine/experiment", "engine/plan"}), {}},
        {"engine/exec",
         plus(kBelowExperiment, {"engine/experiment", "engine/plan", "engine/pipeline"}),
         {}},
        {"engine/kit",
         plus(kBelowExperiment, {"engine/experiment", "engine/plan"}),
         {"archive", "toml++/"}},
        {"engine/verify", {"engine/", "resources"}, {}},
        {"profiler/analysis", plus(kPlan, {"engine/cost", "engine/sim"}), {}},
        {"profiler/store", plus(kPlan, {"resources"}), {"sqlite3.h"}},
        {"profiler/capture", kPlan, {"cupti", "nvtx3/", "nvml.h"}},
        {"profiler/import",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/store",
               "profiler/analysis", "resources"}),
         {"simdjson.h", "archive", "re2/", "toml++/", "zlib.h"}},
        {"profiler/whatif",
         plus(kPlan, {"engine/cost", "engine/sim", "engine/experiment", "profiler/analysis"}),
         {}},
        {"profiler/why",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/analysis",
               "profiler/whatif"}),
         {}},
        {"profiler/predict",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "engine/model", "engine/experiment",
               "profiler/analysis"}),
         {}},
        {"profiler/search",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/analysis",
               "profiler/predict", "profiler/whatif"}),
         {}},
        {"profiler/study",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/analysis",
               "profiler/store", "profiler/figure", "profiler/report", "profiler/predict"}),
         {"toml++/"}},
        {"profiler/export", plus(kPlan, {"profiler/store"}), {"nlohmann/", "zlib.h"}},
        {"profiler/report",
         plus(kPlan,
              {"engine/cost", "engine/experiment", "engine/model", "profiler/analysis",
               "profiler/figure", "resources"}),
         {"nlohmann/"}},
        {"profiler/figure",
         plus(kPlan, {"profiler/analysis", "resources"}),
         {"nlohmann/", "freetype/"}},
        {"app/cli/text", kBelowApp, {"nlohmann/"}},
        {"app/cli/options", plus(kBelowApp, {"app/cli/text"}), {"CLI/", "nlohmann/"}},
        {"app/cli/commands",
         plus(kBelowApp, {"app/cli/text", "app/cli/options"}),
         {"CLI/", "nlohmann/"}},
        {"app/cli", plus(kBelowApp, {"app/cli/"}), {"CLI/", "nlohmann/"}},
        // The window: what features share, then the features.
        {"app/ui", kBelowApp, {"Q"}},
        {"app/documents", plus(kBelowApp, {"app/ui"}), {"Q"}, kWidgets},
        {"app/timeline/view", kDocuments, {"Q"}, kWidgets},
        {"app/timeline/paint", plus(kDocuments, {"app/timeline/view"}), {"Q"}, kWidgets},
        {"app/timeline/details",
         plus(kDocuments, {"app/timeline/view", "app/timeline/paint"}),
         {"Q"}},
        {"app/timeline/widget", plus(kDocuments, {"app/timeline/"}), {"Q"}},
        {"app/figures", kDocuments, {"Q"}},
        {"app/plan", plus(kDocuments, {"app/timeline/"}), {"Q"}},
        {"app/shell", plus(kDocuments, {"app/figures", "app/plan"}), {"Q"}},
        {"app/compare", kShared, {"Q"}},
        {"app/mapping", kShared, {"Q"}},
        {"app/memory", kShared, {"Q"}},
        {"app/range", kShared, {"Q"}},
        {"app/whatif", plus(kShared, {"app/compare"}), {"Q"}},
        {"app/why", plus(kShared, {"app/whatif"}), {"Q"}},
        {"app/run", plus(kShared, {"app/memory", "app/range", "app/whatif", "app/why"}), {"Q"}},
        {"app/setup", plus(kShared, {"app/mapping"}), {"Q"}},
        {"app/editor", kShared, {"Q"}},
        {"app/import", kShared, {"Q"}},
        {"app/cluster", plus(kShared, {"app/compare", "app/import"}), {"Q"}},
        {"app/ledger", kShared, {"Q"}},
        {"app/estimator", kShared, {"Q"}},
        {"app/guide", kShared, {"Q"}},
        {"app/query", kShared, {"Q"}},
        {"app/search", kShared, {"Q"}},
        {"app/study", kShared, {"Q"}},
        {"app/start", plus(kShared, {"app/ledger"}), {"Q"}},
        {"app/settings", kShared, {"Q"}},
        {"app", {"engine/", "profiler/", "resources", "app/"}, {"Q"}},
    };
    return kFloors;
}

} // namespace tests
