# SPDX-License-Identifier: GPL-2.0-or-later
# count-tests.awk - "passed failed skipped" of one part's output, for scripts/test.
# The part's own closing line wins; else its TAP lines count; else the part is one test.
# A status that does not fit the counts (killed, crashed) is a failure more.
/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
	closing = 1
	p = $1
	f = $3
	s = $5 + 0
}
/^ok [0-9]/ {
	tap = 1
	if (tolower($0) ~ /# skip/)
		ts++
	else
		tp++
}
/^not ok [0-9]/ {
	tap = 1
	tf++
}
END {
	if (!closing && tap) {
		p = tp + 0
		f = tf + 0
		s = ts + 0
	} else if (!closing) {
		p = status == 0
		f = status != 0 && status != 77
		s = status == 77
	}
	if (status != 0 && status != 77 && f == 0)
		f = 1
	print p + 0, f + 0, s + 0
}
