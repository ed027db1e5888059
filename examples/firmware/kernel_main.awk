# Writes the program that runs any kernel: made from its header, and from the emitted
# C, whose map of the scratchpad has the types of the arrays.
#
#   awk -f kernel_main.awk kernel.c kernel.h
function declare(f, i,    name, type)
{
	name = parameter[f, i]
	if (parameter_type[f, i] != "lrt_ext" || name == "workspace")
		return
	type = element_type[name] ? element_type[name] : "uint8_t"
	printf "static %s %s_%s[%s_%s_BYTES / sizeof(%s)] EXTERNAL;\n", type, f, name,
		toupper(f), name, type
}
function is_float(type)
{
	return type == "float" || type == "double"
}
function fill(f, i,    name, type)
{
	name = parameter[f, i]
	if (parameter_type[f, i] != "lrt_ext" || name == "workspace")
		return
	type = element_type[name]
	printf "\tfor (i = 0; i < %s_%s_BYTES / sizeof %s_%s[0]; i++)\n", toupper(f), name, f, name
	printf "\t\t%s_%s[i] = (%s)random_value()%s;\n", f, name, type ? type : "uint8_t",
		is_float(type) ? " / 16" : ""
	printf "\ttraffic_array(\"%s\", %s_%s, sizeof %s_%s, 1);\n", name, f, name, f, name
}
function argument(f, i)
{
	if (parameter[f, i] == "workspace")
		return "(lrt_ext)" f "_workspace"
	if (parameter_type[f, i] == "lrt_ext")
		return "(lrt_ext)" f "_" parameter[f, i]
	return i + 2
}
function run(f,    i)
{
	printf "static int run_%s(void)\n{\n", f
	printf "\tconst struct prediction predicted = { %s_READ_BYTES, %s_WRITE_BYTES, %s_COMMANDS };\n",
		toupper(f), toupper(f), toupper(f)
	print "\tsize_t i;\n\tint is_right;\n\ttraffic_begin();"
	for (i = 1; i <= parameters[f]; i++)
		fill(f, i)
	if (has_workspace[f])
		printf "\ttraffic_array(\"workspace\", %s_workspace, sizeof %s_workspace, 1);\n", f, f
	print "\tboard_protect(PROTECT);"
	printf "\t%s(", f
	for (i = 1; i <= parameters[f]; i++)
		printf "%s%s", (i > 1 ? ", " : ""), argument(f, i)
	print ");\n\tboard_protect(0);\n\tis_right = traffic_end(predicted);"
	printf "\ttraffic_print(\"%s\", predicted);\n", f
	for (i = 1; i <= parameters[f]; i++)
		if (parameter_type[f, i] == "lrt_ext" && parameter[f, i] != "workspace")
			printf "\tprint_checksum(\"%s\", %s_%s, sizeof %s_%s);\n", parameter[f, i], f,
				parameter[f, i], f, parameter[f, i]
	print "\tprint_text(is_right ? \"  all as predicted\\n\" : \"  WRONG\\n\");\n\treturn is_right;\n}\n"
}
/^ \*.* \.\. [0-9]+ +[A-Za-z_0-9]+: / {
	for (i = 1; i < NF; i++)
		if ($i ~ /:$/) {
			name = substr($i, 1, length($i) - 1)
			sub(/_[0-9]+$/, "", name)
			element_type[name] = $(i + 1)
		}
}
FILENAME ~ /\.h$/ && (/^void / || prototype != "") {
	sub(/^[ \t]+/, prototype == "" ? "" : " ")
	prototype = prototype $0
	if (prototype !~ /\);$/)
		next
	f = prototype
	prototype = ""
	sub(/^void /, "", f)
	list = f
	sub(/\(.*/, "", f)
	sub(/^[^(]*\(/, "", list)
	sub(/\);$/, "", list)
	functions[++count] = f
	parameters[f] = list == "void" ? 0 : split(list, part, /, */)
	for (i = 1; i <= parameters[f]; i++) {
		match(part[i], /[A-Za-z_0-9]+$/)
		parameter[f, i] = substr(part[i], RSTART)
		parameter_type[f, i] = substr(part[i], 1, RSTART - 2)
		if (parameter[f, i] == "workspace")
			has_workspace[f] = 1
	}
}
END {
	header = FILENAME
	sub(/.*\//, "", header)
	printf "#include \"board.h\"\n#include \"loopc_rt.h\"\n#include \"traffic.h\"\n#include \"%s\"\n\n", header
	print "#ifndef PROTECT\n#define PROTECT 0\n#endif\n"
	for (k = 1; k <= count; k++) {
		f = functions[k]
		for (i = 1; i <= parameters[f]; i++)
			declare(f, i)
		if (has_workspace[f])
			printf "static unsigned char %s_workspace[%s_WORKSPACE_BYTES] EXTERNAL __attribute__((aligned(64)));\n",
				f, toupper(f)
	}
	print "\nstatic int random_value(void)\n{\n\tstatic uint32_t state = 1;"
	print "\tstate = state * 1664525u + 1013904223u;\n\treturn (int)(state >> 20) % 201 - 100;\n}\n"
	for (k = 1; k <= count; k++)
		run(functions[k])
	print "int main(void)\n{\n\tint is_right = 1;"
	for (k = 1; k <= count; k++)
		printf "\tis_right &= run_%s();\n", functions[k]
	print "\treturn !is_right;\n}"
}
