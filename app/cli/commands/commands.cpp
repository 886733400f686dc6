#include "app/cli/commands/command.h"

#include <array>

namespace cli {
namespace {

constexpr std::array kCommands{
    Command{"schemes", "List the pipeline schemes and what they accept",
            "bscope schemes\n"
            "bscope schemes bitpipe\n"
            "bscope schemes --json",
            prepareSchemes},
    Command{"models", "List the transformers, with their sizes and files",
            "bscope models\n"
            "bscope models gpt2-124m\n"
            "bscope models --json",
            prepareModels},
    Command{"schedule", "Print the order of operations on every device",
            "bscope schedule --scheme bitpipe --devices 4 --micro-batches 4 "
            "--format text\n"
            "bscope schedule --scheme 1f1b --with p2p,opt -o schedule.csv\n"
            "bscope schedule --scheme interleaved-1f1b --format torch -o torch.csv",
            prepareSchedule},
    Command{"validate", "Check a schedule file",
            "bscope validate schedule.csv\n"
            "bscope validate torch.csv --json",
            prepareValidate},
    Command{"simulate", "Simulate schedules in abstract units or on modelled hardware",
            "bscope simulate --scheme gpipe --scheme 1f1b --scheme bitpipe\n"
            "bscope simulate --micro-batches 4 --backward 2 --p2p 0.1 --json\n"
            "bscope simulate --scheme 1f1b -o simulated.sqlite\n"
            "bscope simulate --calibrate simulated.sqlite --scheme gpipe --scheme eager-1f1b",
            prepareSimulate},
    Command{"search", "Search for the shortest schedule within a memory limit",
            "bscope search --devices 4 --micro-batches 8 --chunks 2 --weight-gradient 0.7 "
            "--input-gradient 1.1 --p2p 0.1 --memory 3 --orders 200000\n"
            "bscope search --scheme zb-h1 --orders 50000 -o found.csv --force\n"
            "bscope simulate --schedule found.csv",
            prepareSearch},
    Command{"run", "Train with a scheme and record the run",
            "bscope run --iterations 3 --layers 8 -o bitpipe.sqlite --force\n"
            "bscope run --scheme 1f1b --iterations 3 --layers 8 -o "
            "1f1b.sqlite --force\n"
            "bscope run --mode live --devices 2 --iterations 3 --layers 8 -o live.sqlite "
            "--force\n"
            "bscope run --scheme 1f1b --data-parallel 2 --iterations 3 --layers 8 -o "
            "two.sqlite --force",
            prepareRun},
    Command{"experiment", "Run an experiment file, or repeat a run",
            "bscope experiment bitpipe.sqlite -o again.sqlite --force", prepareExperiment},
    Command{"analyze", "Print bubbles with their causes, memory and speed of a run",
            "bscope analyze bitpipe.sqlite\n"
            "bscope analyze bitpipe.sqlite --why --stragglers\n"
            "bscope analyze bitpipe.sqlite --json",
            prepareAnalyze},
    Command{"compare", "Compare two or more runs in one table",
            "bscope compare 1f1b.sqlite bitpipe.sqlite\n"
            "bscope compare 1f1b.sqlite bitpipe.sqlite --loss best\n"
            "bscope compare 1f1b.sqlite bitpipe.sqlite --same-op-times --fail-above 3%",
            prepareCompare},
    Command{"history", "Follow a number over many runs",
            "bscope history .\n"
            "bscope history 1f1b.sqlite again.sqlite bitpipe.sqlite --measure bubble_ratio --json\n"
            "bscope history 1f1b.sqlite again.sqlite -o history.svg --force",
            prepareHistory},
    Command{"export", "Export a run as CSV, Chrome trace, JSON, TikZ or a report",
            "bscope export bitpipe.sqlite --format csv -o spans.csv\n"
            "bscope export bitpipe.sqlite --format chrome -o trace.json\n"
            "bscope export bitpipe.sqlite --format html -o report.html",
            prepareExport},
    Command{"import", "Import traces of PyTorch, Nsight Systems and others as a run",
            "bscope export bitpipe.sqlite --format chrome -o trace.json --force\n"
            "bscope import trace.json -o imported.sqlite --force\n"
            "bscope import trace.json --json",
            prepareImport},
    Command{"whatif", "Predict a run under other schemes from its measured times",
            "bscope whatif 1f1b.sqlite\n"
            "bscope whatif 1f1b.sqlite --scheme zb-h1 --scheme gpipe --link-speed 2 --json\n"
            "bscope whatif 1f1b.sqlite --move-layers 3:2=1\n"
            "bscope whatif 1f1b.sqlite --own-order --slow 3=1.5 --slow 2F3=0.5",
            prepareWhatIf},
    Command{"layout", "Balance the layers of the stages for the shortest iteration",
            "bscope layout llama3-8b --hardware a100-sxm-80 --scheme 1f1b --devices 8 "
            "--micro-batches 32\n"
            "bscope layout small --hardware a100-sxm-80 --scheme interleaved-1f1b --chunks 2 "
            "--json\n"
            "bscope layout --calibrate 1f1b.sqlite",
            prepareLayout},
    Command{"kit", "Write a folder that trains with PyTorch on any number of machines",
            "bscope kit --scheme bitpipe --devices 4 --micro-batches 8 -o kit\n"
            "bscope kit bitpipe.sqlite -o kit --force",
            prepareKit},
    Command{
        "estimate", "Estimate memory, MFU and the gain of BPipe in closed form",
        "bscope estimate bpipe --tensor-parallel 4 --attention recompute --mapping pair-adjacent\n"
        "bscope estimate --model llama-65b --micro-batch-size 2,4 --stage-mfu 50,50 --json\n"
        "bscope estimate --from-run 1f1b.sqlite",
        prepareEstimate},
    Command{"study", "Simulate or run a grid of set-ups, and answer a question about it",
            "bscope study best-scheme -o best-scheme\n"
            "bscope study best-scheme --print",
            prepareStudy},
    Command{"reproduce", "Compute the published numbers of BitPipe and BPipe",
            "bscope reproduce bitpipe\n"
            "bscope reproduce bpipe --json",
            prepareReproduce},
    Command{"devices", "List the devices of this machine",
            "bscope devices\n"
            "bscope devices --json\n"
            "bscope devices --calibrate -o here.toml --force",
            prepareDevices},
    Command{"verify", "Compare the gradients of every scheme with sequential training",
            "bscope verify --scheme bitpipe --scheme zb-h1\n"
            "bscope verify --scheme 1f1b --json",
            prepareVerify},
    Command{"help", "Print a chapter of the guide",
            "bscope help\n"
            "bscope help recording-traces\n"
            "bscope help simulate",
            prepareHelp},
    Command{"completion", "Print a script that completes commands in a shell",
            "bscope completion bash", prepareCompletion},
};

} // namespace

std::span<const Command> commands()
{
    return kCommands;
}

} // namespace cli
