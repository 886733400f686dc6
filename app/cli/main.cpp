#include "app/cli/cli.h"
#include "engine/base/process.h"

int main(int argc, char** argv)
{
    engine::prepareProcess();
    return cli::runBscope(argc, argv);
}
