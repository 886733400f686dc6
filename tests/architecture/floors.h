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
    static const Names kModels = plus(kBelowApp, {"app/models/"});
    static const Names kJobs = plus(kModels, {"app/timeline/", "app/figures", "app/jobs"});
    static const Names kForms = plus(kJobs, {"app/widgets/controls", "app/widgets/forms"});
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
        {"profiler/analysis", plus(kPlan, {"engine/cost"}), {}},
        {"profiler/store", plus(kPlan, {"resources"}), {"sqlite3.h"}},
        {"profiler/capture", kPlan, {"cupti", "nvtx3/", "nvml.h"}},
        {"profiler/import",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/store",
               "profiler/analysis", "resources"}),
         {"simdjson.h", "archive", "re2/", "toml++/"}},
        {"profiler/whatif", plus(kPlan, {"engine/cost", "engine/sim", "profiler/analysis"}), {}},
        {"profiler/why",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/analysis",
               "profiler/whatif"}),
         {}},
        {"profiler/study",
         plus(kPlan,
              {"engine/cost", "engine/sim", "engine/schedules", "profiler/analysis",
               "profiler/store", "profiler/figure", "profiler/report"}),
         {"toml++/"}},
        {"profiler/export", plus(kPlan, {"profiler/store"}), {"nlohmann/", "zlib.h"}},
        {"profiler/report", plus(kPlan, {"profiler/analysis", "profiler/figure"}), {"nlohmann/"}},
        {"profiler/figure",
         plus(kPlan, {"profiler/analysis", "resources"}),
         {"nlohmann/", "freetype/"}},
        {"app/cli/text", kBelowApp, {"nlohmann/"}},
        {"app/cli/options", plus(kBelowApp, {"app/cli/text"}), {"CLI/", "nlohmann/"}},
        {"app/cli/commands",
         plus(kBelowApp, {"app/cli/text", "app/cli/options"}),
         {"CLI/", "nlohmann/"}},
        {"app/cli", plus(kBelowApp, {"app/cli/"}), {"CLI/", "nlohmann/"}},
        {"app/models/plan", plus(kBelowApp, {"app/models"}), {"Q"}, kWidgets},
        {"app/models/study", plus(kBelowApp, {"app/models", "app/models/tables"}), {"Q"}, kWidgets},
        {"app/models/whatif",
         plus(kBelowApp, {"app/models", "app/models/tables"}),
         {"Q"},
         kWidgets},
        {"app/models/import",
         plus(kBelowApp, {"app/models", "app/models/tables"}),
         {"Q"},
         kWidgets},
        {"app/models/ledger",
         plus(kBelowApp, {"app/models", "app/models/tables"}),
         {"Q"},
         kWidgets},
        {"app/models/range", plus(kBelowApp, {"app/models", "app/models/tables"}), {"Q"}, kWidgets},
        {"app/models/compare",
         plus(kBelowApp, {"app/models", "app/models/tables"}),
         {"Q"},
         kWidgets},
        {"app/models/tables", plus(kBelowApp, {"app/models", "app/models/plan"}), {"Q"}, kWidgets},
        {"app/models", kBelowApp, {"Q"}, kWidgets},
        {"app/timeline/view", kModels, {"Q"}, kWidgets},
        {"app/timeline/paint", plus(kModels, {"app/timeline/view"}), {"Q"}, kWidgets},
        {"app/timeline/plan",
         plus(kModels, {"app/timeline/view", "app/timeline/paint"}),
         {"Q"},
         kWidgets},
        {"app/timeline/details", plus(kModels, {"app/timeline/view"}), {"Q"}, kWidgets},
        {"app/timeline/why",
         plus(kModels, {"app/timeline/view", "app/timeline/paint"}),
         {"Q"},
         kWidgets},
        {"app/figures", plus(kModels, {"app/timeline/"}), {"Q"}, kWidgets},
        {"app/jobs", plus(kModels, {"app/timeline/", "app/figures"}), {"Q"}, kWidgets},
        {"app/widgets/controls", kJobs, {"Q"}},
        {"app/widgets/forms", plus(kJobs, {"app/widgets/controls"}), {"Q"}},
        {"app/widgets/timeline", kForms, {"Q"}},
        {"app/widgets/compare", plus(kForms, {"app/widgets/timeline"}), {"Q"}},
        {"app/widgets/range", kForms, {"Q"}},
        {"app/widgets/devices", kForms, {"Q"}},
        {"app/widgets/run", plus(kForms, {"app/widgets/range", "app/widgets/devices"}), {"Q"}},
        {"app/widgets/setup", kForms, {"Q"}},
        {"app/widgets/editor", kForms, {"Q"}},
        {"app/widgets/figure", kForms, {"Q"}},
        {"app/widgets/import", kForms, {"Q"}},
        {"app/widgets/whatif", kForms, {"Q"}},
        {"app/widgets/query", kForms, {"Q"}},
        {"app/widgets/estimator", kForms, {"Q"}},
        {"app/widgets/ledger", kForms, {"Q"}},
        {"app/widgets/study", kForms, {"Q"}},
        {"app/widgets/mapping", kForms, {"Q"}},
        {"app/widgets/cluster", kForms, {"Q"}},
        {"app/widgets/memory", kForms, {"Q"}},
        {"app/widgets/why", kForms, {"Q"}},
        {"app/widgets/window", kForms, {"Q"}},
        {"app/pages", plus(kJobs, {"app/widgets/"}), {"Q"}},
        {"app", {"engine/", "profiler/", "resources", "app/"}, {"Q"}},
    };
    return kFloors;
}

} // namespace tests
