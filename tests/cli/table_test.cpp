#include "app/cli/text/table.h"
#include "tests/catch.h"

using cli::Table;

TEST_CASE("a table aligns words left and numbers right, and no line ends with a space")
{
    Table table({{"run", Table::Align::Left}, {"ms"}, {"why", Table::Align::Left}});
    table.add({"1F1B", "9.0", "x"});
    table.add({"µ", "123.5", ""});
    CHECK(table.text()
          == "run      ms  why\n"
             "1F1B    9.0  x\n"
             "µ     123.5\n");
}
