# The runtime as one header and one source: -v part=header with the headers, or
# part=source with the ports, one of which a macro chooses.
function port(file)
{
	sub(/.*\//, "", file)
	sub(/\.c$/, "", file)
	return file
}
BEGIN {
	if (part == "header")
		print "/* The loopc runtime in one header; made from loopc's runtime/. */\n"
	else {
		print "/* The loopc runtime in one source; made from loopc's runtime/.  Define one of"
		print " * LOOPC_PORT_CHECKED, LOOPC_PORT_THREADS and LOOPC_PORT_TRACE to choose that port;"
		print " * else it is the memcpy port. */\n"
		print "#include \"loopc_runtime.h\"\n"
	}
}
FNR == 1 && part == "source" {
	name = port(FILENAME)
	if (NR > 1)
		printf "\n#elif %s\n\n", name == "memcpy" ? "1" : "defined LOOPC_PORT_" toupper(name)
	else
		printf "#if defined LOOPC_PORT_%s\n\n", toupper(name)
}
/^#include "loopc_/ { next }
{ print }
END {
	if (part == "source")
		print "\n#endif"
}
