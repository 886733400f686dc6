#include "app/cli/commands/command.h"

#include <array>

namespace cli {
namespace {

constexpr std::array kCommands{
    Command{"schemes", "List the pipeline schemes and what they accept", prepareSchemes},
    Command{"models", "List the transformers, with their sizes and files", prepareModels},
    Command{"schedule", "Print the order of operations on every device", prepareSchedule},
    Command{"validate", "Check a schedule file", prepareValidate},
    Command{"simulate", "Simulate schedules in abstract units or on modelled hardware",
            prepareSimulate},
    Command{"search", "Search for the shortest schedule within a memory limit", prepareSearch},
    Command{"run", "Train with a scheme and record the run", prepareRun},
    Command{"experiment", "Run an experiment file, or repeat a run", prepareExperiment},
    Command{"analyze", "Print bubbles with their causes, memory and speed of a run",
            prepareAnalyze},
    Command{"compare", "Compare two or more runs in one table", prepareCompare},
    Command{"history", "Follow a number over many runs", prepareHistory},
    Command{"export", "Export a run as CSV, Chrome trace, JSON, TikZ or a report", prepareExport},
    Command{"import", "Import traces of PyTorch, Nsight Systems and others as a run",
            prepareImport},
    Command{"whatif", "Predict a run under other schemes from its measured times", prepareWhatIf},
    Command{"layout", "Balance the layers of the stages for the shortest iteration", prepareLayout},
    Command{"kit", "Write a folder that trains with PyTorch on any number of machines", prepareKit},
    Command{"estimate", "Estimate memory, MFU and the gain of BPipe in closed form",
            prepareEstimate},
    Command{"study", "Simulate or run a grid of set-ups, and answer a question about it",
            prepareStudy},
    Command{"reproduce", "Compute the published numbers of BitPipe and BPipe", prepareReproduce},
    Command{"devices", "List the devices of this machine", prepareDevices},
    Command{"verify", "Compare the gradients of every scheme with sequential training",
            prepareVerify},
    Command{"help", "Print a chapter of the guide", prepareHelp},
    Command{"completion", "Print a script that completes commands in a shell", prepareCompletion},
};

} // namespace

std::span<const Command> commands()
{
    return kCommands;
}

} // namespace cli
