#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

/* What messages begin with, of code that several programs share: "loopc" unless main sets another name. */
extern const char *program_name;

#endif
