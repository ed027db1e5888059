# Writes the C table of built-in machines from their files, which come sorted.
function quote(text)
{
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\\n\""
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
