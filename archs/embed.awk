# Writes the C table of built-in machines from their files, which come sorted.  No gsub: awks do not
# agree on backslashes in its replacement.
function quote(text,    i, c, out)
{
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		out = out (c == "\\" || c == "\"" ? "\\" c : c)
	}
	return "\"" out "\\n\""
}
BEGIN {
	print "/* Made from archs/ by archs/embed.awk. */"
	print "#include \"frontend/arch.h\""
	print "const struct arch_builtin arch_builtins[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.yaml$/, "", name)
	print "\t{ \"" name "\","
}
{ print "\t\t" quote($0) }
END { print "\t},\n\t{ NULL, NULL }\n};" }
