# SPDX-License-Identifier: GPL-2.0-or-later
# settings.awk - the rows of table setting, as the migrations insert them, as a table in Markdown.
# Input: sql/migrations/*.sql. An INSERT names its columns, then come texts in single quotes.
BEGIN {
	print "## Settings in the database\n"
	print "Read with `wakelistd setting get [NAME]`, changed with `wakelistd setting set NAME VALUE`; read at every use.\n"
	print "| name | value | default | meaning |\n| --- | --- | --- | --- |"
}
/^INSERT INTO setting \(/ {
	inside = 1
	text = $0
	sub(/^[^(]*\(/, "", text)
	n_columns = split(substr(text, 1, index(text, ")") - 1), column, / *, */)
	text = ""
	n = 0
	next
}
inside {
	text = text $0 "\n"
	while (match(text, /'([^']|'')*'/)) {
		value[column[n % n_columns + 1]] = unquoted(substr(text, RSTART + 1, RLENGTH - 2))
		text = substr(text, RSTART + RLENGTH)
		if (++n % n_columns == 0)
			printf "| `%s` | %s | %s | %s |\n", value["name"], prose(value["wants"]),
				value["value"] == "" ? "" : "`" value["value"] "`", prose(value["help"])
	}
	if (text ~ /;/)
		inside = 0
}
function unquoted(s) {
	gsub(/''/, "'", s)
	gsub(/\|/, "\\|", s)
	return s
}
function prose(s) {
	gsub(/</, "\\&lt;", s)
	return s
}
END {
	if (!n || n % n_columns)
		exit 1
}
