#include "support/program.h"

const char *program_name = "loopc";
