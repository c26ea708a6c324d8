# SPDX-License-Identifier: GPL-2.0-or-later
# Makes panetop-metrics(5) from `LC_ALL=C panetop --describe`: awk -v version=V -v preface=FILE -v page=panetop.1 -f metrics.awk
# The page has the date of panetop.1, so that two builds give the same bytes.

function fail(text)
{
	print "metrics.awk: line " NR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# Text as roff: nothing in it is a request or an escape, and what is typed stays ASCII.
function roff(text, all_hyphens)
{
	gsub(/\\/, "\\e", text)
	gsub(/…/, "\\[u2026]", text)
	gsub(/~/, "\\(ti", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/`/, "\\(ga", text)
	if (all_hyphens) {
		gsub(/-/, "\\-", text)
		gsub(/'/, "\\(aq", text)
	} else {
		gsub(/--/, "\\-\\-", text)
		gsub(/ -/, " \\-", text)
	}
	if (text ~ /[\200-\377]/)
		fail("a character that is not known here: " text)
	return text ~ /^[.']/ ? "\\&" text : text
}

function sentence(text)
{
	if (text !~ /^[a-z_]+:/) # a value that is explained keeps its spelling
		text = toupper(substr(text, 1, 1)) substr(text, 2)
	return roff(text, 0) (text ~ /([.?!]|…)$/ ? "" : ".")
}

# The first pane that shows a topic is where it is described.
function begin_topic(line, colon)
{
	colon = index(line, ": ")
	topic = substr(line, 1, colon - 1)
	help = substr(line, colon + 2)
	pane = ""
}

function begin_pane(line, n, i, names)
{
	sub(/^  panes: /, "", line)
	n = split(line, names, ", ")
	pane = names[1]
	if (!(pane in sections))
		panes[n_panes++] = pane
	sections[pane] = sections[pane] ".SS " topic "\n" sentence(help) "\n"
	for (i = 2; i <= n; i++)
		sections[pane] = sections[pane] (i > 2 ? i < n ? ", " : " and " : n > 2 ? "In the panes " : "In the pane ") names[i]
	if (n > 1)
		sections[pane] = sections[pane] ", too.\n"
}

function add_column(line, words, rest, asked)
{
	if (pane == "")
		fail("topic " topic " is in no pane")
	split(line, words, " ")
	rest = line
	sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +/, "", rest)
	asked = sub(/ \(shown with --columns\)$/, "", rest)
	sections[pane] = sections[pane] ".TP\n.BR " roff(words[1], 1) " \" (" words[2] \
		(words[3] == "none" ? "" : ", " unit(words[3])) (asked ? ", with \\-\\-columns" : "") ")\"\n" sentence(rest) "\n"
	n_columns++
}

function unit(name)
{
	gsub(/_/, " ", name)
	return name
}

function add_source(line)
{
	sub(/^ *= /, "", line)
	sections[pane] = sections[pane] ".br\n.IR From :\n" roff(line, 1) "\n"
}

BEGIN {
	while ((getline text <page) > 0)
		if (text ~ /^\.TH /) {
			split(text, words, " ")
			date = words[4]
		}
	if (date == "")
		fail("no date in " page)
}

/^[a-z_]+: / { begin_topic($0); next }
/^  panes: / { begin_pane($0); next }
/^  [a-z0-9_]+ / { add_column($0); next }
/^ +=/ { add_source($0); next }
/^$/ { next }
{ fail("not of the form of --describe: " $0) }

END {
	if (failed)
		exit 1
	printf ".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
	printf ".\\\" Made by man/metrics.awk from panetop --describe: do not change it here.\n"
	printf ".TH PANETOP\\-METRICS 5 %s \"panetop %s\" \"File Formats\"\n", date, version
	print ".ad l\n.nh"
	while ((getline text <preface) > 0)
		if (text !~ /^\.\\"/)
			print text
	for (i = 0; i < n_panes; i++)
		printf ".SH TOPICS OF THE PANE %s\n%s", toupper(panes[i]), sections[panes[i]]
	if (n_columns == 0) {
		print "metrics.awk: no topics: this panetop does not run here; see PANETOP_NATIVE in configure --help" \
			>"/dev/stderr"
		print ".SH TOPICS\nThis page was made where panetop could not run:\n.B panetop \\-\\-describe\nlists them."
	}
	printf ".SH SEE ALSO\n.BR panetop (1),\n.BR proc (5)\n"
}
