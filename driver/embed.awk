# Writes a C string constant, named by -v name=, from a text file.  No gsub: awks do
# not agree on backslashes in its replacement.
function quote(text,    i, c, out)
{
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		out = out (c == "\\" || c == "\"" ? "\\" c : c)
	}
	return "\"" out "\\n\""
}
BEGIN {
	print "/* Made by driver/embed.awk. */"
	print "#include \"driver/harness.h\""
	print "const char " name "[] ="
}
{ print "\t" quote($0) }
END { print "\t;" }
