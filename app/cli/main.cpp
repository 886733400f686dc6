#include "app/cli/cli.h"

int main(int argc, char** argv)
{
    return cli::runBscope(argc, argv);
}
