#include "app/widgets/page.h" // the meta-object is compiled here, with the floor
