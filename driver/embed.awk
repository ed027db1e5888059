# Writes a C string constant, named by -v name=, from a text file.
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	lines = lines "\t\"" $0 "\\n\"\n"
}
END { printf "/* Made by driver/embed.awk. */\n#include \"driver/harness.h\"\nconst char %s[] =\n%s\t;\n", name, lines }
