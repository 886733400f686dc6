#pragma once

#include <string>
#include <vector>

// ARCHITECTURE.md, "Folders and floors", as a table: who may include what.
namespace tests {

using Names = std::vector<std::string>;

struct Floor
{
    std::string folder;
    Names mayInclude; // floors, or a top folder for all of its floors; its own goes without saying
    Names foreign;    // headers or beginnings of headers beside std, fmt and tl/expected
    Names butNot{};   // foreign ones that are refused all the same
};

// The parts of Qt that need a screen of widgets.
inline const Names kWidgets{"QWidget",  "QApplication", "QDialog",     "QMainWindow", "QPushButton",
                            "QLabel",   "QLayout",      "QVBoxLayout", "QHBoxLayout", "QScrollBar",
                            "QMenu",    "QToolBar",     "QTableView",  "QFileDialog", "QMessageBox",
                            "QSpinBox", "QComboBox",    "QLineEdit",   "QStyle",      "QToolTip"};

// The first floor whose folder a file lies in or below is its own: cpu/ stands before backend/.
inline const std::vector<Floor>& floors()
{
    static const Names kPlan{"engine/base", "engine/schedule", "engine/timeline"};
    static const std::vector<Floor> kFloors{
        {"resources", {}, {}},
        {"engine/base", {}, {}},
        {"engine/schedule", {"engine/base"}, {}},
        {"engine/schedules", {"engine/base", "engine/schedule"}, {}},
        {"engine/cost", {"engine/base", "engine/schedule", "resources"}, {"toml++/"}},
        {"engine/timeline", {"engine/base", "engine/schedule"}, {}},
        {"engine/sim", {"engine/base", "engine/schedule", "engine/cost", "engine/timeline"}, {}},
        {"engine/backend/cpu", {"engine/base", "engine/backend"}, {"cblas.h"}},
        {"engine/backend/cuda",
         {"engine/base", "engine/backend"},
         {"cuda", "cublas", "nccl.h", "nvtx3/"}},
        {"engine/backend", {"engine/base"}, {}},
        {"engine/transport", {"engine/base", "engine/schedule", "engine/backend"}, {}},
        {"engine/model",
         {"engine/base", "engine/backend", "engine/cost", "resources"},
         {"toml++/"}},
        {"engine/exec", {"engine", "resources"}, {}},
        {"profiler/analysis",
         {"engine/base", "engine/schedule", "engine/cost", "engine/timeline"},
         {}},
        {"profiler/store", kPlan, {"sqlite3.h"}},
        {"profiler/capture", kPlan, {"cupti", "nvtx3/", "nvml.h"}},
        {"profiler/import",
         {"engine/base", "engine/schedule", "engine/timeline", "profiler/store"},
         {"nlohmann/", "zlib.h"}},
        {"profiler/export",
         {"engine/base", "engine/schedule", "engine/timeline", "profiler/store"},
         {"nlohmann/", "zlib.h"}},
        {"profiler/figure",
         {"engine/base", "engine/schedule", "engine/timeline", "profiler/analysis", "resources"},
         {"nlohmann/"}},
        {"app/cli", {"engine", "profiler", "resources"}, {"CLI/", "nlohmann/"}},
        {"app/models", {"engine", "profiler", "resources"}, {"Q"}, kWidgets},
        {"app/timeline", {"engine", "profiler", "resources", "app/models"}, {"Q"}, kWidgets},
        {"app/figures",
         {"engine", "profiler", "resources", "app/models", "app/timeline"},
         {"Q"},
         kWidgets},
        {"app/jobs",
         {"engine", "profiler", "resources", "app/models", "app/timeline", "app/figures"},
         {"Q"},
         kWidgets},
        {"app/widgets",
         {"engine", "profiler", "resources", "app/models", "app/timeline", "app/figures",
          "app/jobs"},
         {"Q"}},
        {"app/pages",
         {"engine", "profiler", "resources", "app/models", "app/timeline", "app/figures",
          "app/jobs", "app/widgets"},
         {"Q"}},
        {"app", {"engine", "profiler", "resources", "app"}, {"Q"}},
    };
    return kFloors;
}

} // namespace tests
