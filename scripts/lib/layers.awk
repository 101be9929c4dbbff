# SPDX-License-Identifier: GPL-2.0-or-later
# layers.awk - the tables and the rules of scripts/check-layers.
# Input: "C path:line:#include ..." and "D path:line:wl_module".
BEGIN {
	# What each folder may include of ours, itself apart.
	arrow("base", "")
	arrow("topo", "base")
	arrow("model", "base")
	arrow("stats", "base")
	arrow("bench", "base")
	arrow("mail", "model base")
	arrow("patch", "mail model base")
	arrow("plan", "topo model stats patch base")
	arrow("report", "model stats bench base")
	arrow("db", "model base")
	arrow("server", "base topo model stats bench mail patch plan report db")
	arrow("workers", "base topo model stats bench mail patch plan report db")
	arrow("runners", "base topo model stats bench mail patch plan report")
	arrow("cli", "base topo model stats bench mail patch plan report")
	# Headers of another project, and the paths that may include them.
	right("libpq-fe.h", "^(lib/db/)")
	# The HTTP edge: http and its replies, the gate that reads heads before evhttp does,
	# streams and files.
	right("event2/http", "^(server/(http|http_[a-z]+|gate|sse|static)\\.c$)")
	right("git2", "^(lib/patch/|workers/(tree|ingest|apply)/|runners/(source|checkout|cache)[^/]*$)")
	right("curl/", "^(workers/(ingest|reply)/|runners/api\\.c$|cli/|server/watch[^/]*\\.c$)")
	right("gmime/", "^(lib/mail/)")
}
function arrow(from, list,  word, n, i) {
	known[from] = 1
	n = split(list, word, " ")
	for (i = 1; i <= n; i++)
		may[from, word[i]] = 1
}
function right(prefix, paths) {
	n_rights++
	right_prefix[n_rights] = prefix
	right_paths[n_rights] = paths
}
function refuse(text) {
	print "check-layers: " where ": " text
	bad++
}
function owner(path,  part) {
	split(path, part, "/")
	return part[1] == "lib" ? part[2] : part[1]
}
{
	split($2, at, ":")
	path = at[1]
	where = at[1] ":" at[2]
	from = owner(path)
}
$1 == "D" {
	to = at[3]
	sub(/^wl_/, "", to)
	if (to in known && to != from && !((from SUBSEP to) in may))
		refuse(from " depends on wl_" to ": no such arrow")
	next
}
!(path in seen) {
	seen[path] = 1
	if ($0 !~ /"/ && path != "lib/base/base.h")
		refuse("the first include is none of ours")
}
/"/ {
	split($0, quoted, "\"")
	file = quoted[2]
	if (file ~ /\.\./)
		refuse("include \"" file "\" leaves its folder")
	to = file ~ /\// ? substr(file, 1, index(file, "/") - 1) : from
	if (to in known && to != from && !((from SUBSEP to) in may))
		refuse(from " includes \"" file "\": no such arrow")
	if (to == "tests")
		refuse("a program includes \"" file "\"")
	if (from == "stats" && to == "base" && file !~ /^base\/(base|arena|rng|err)\.h$/)
		refuse("lib/stats includes \"" file "\": base.h, arena.h, rng.h and err.h only")
}
/</ {
	split($0, quoted, /[<>]/)
	to = substr(quoted[2], 1, index(quoted[2], "/") - 1)
	if (to in known)
		refuse("<" quoted[2] "> is ours: write it in quotes")
	for (i = 1; i <= n_rights; i++) {
		if (index(quoted[2], right_prefix[i]) == 1 && path !~ right_paths[i])
			refuse("<" quoted[2] "> is not for this file")
	}
}
END {
	if (NR < 5) {
		print "check-layers: found nothing to check"
		exit 1
	}
	if (!bad)
		print "check-layers: " NR " includes and dependencies follow the arrows"
	exit bad ? 1 : 0
}
