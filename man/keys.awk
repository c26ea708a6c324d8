# SPDX-License-Identifier: GPL-2.0-or-later
# The keys of panetop(1), from `LC_ALL=C panetop --keys`: awk -f roff.awk -f keys.awk KEYS PAGE
# In PAGE "@keys" stands for the keys of every pane, "@panes" for a section of each pane with its views and keys,
# "@peers" for the lines of the file that the variable peers names.

function paragraph(line, name)
{
	name = substr(line, 3)
	sub(/  .*/, "", name)
	sub(/^  .*[^ ]  +/, "", line)
	return ".TP\n.B " roff(name, 1) "\n" sentence(line) "\n"
}

function print_panes(i, pane)
{
	for (i = 1; i <= n_panes; i++) {
		pane = panes[i]
		printf ".SS Views and keys of the pane %s\n%s%s", pane, views[pane], keys[pane]
		if (!views[pane] && !keys[pane])
			print "One view, and the keys of every pane."
	}
}

function print_peers(line, part)
{
	while ((getline line < peers) > 0) {
		if (line ~ /^#/)
			continue
		split(line, part, "\t")
		sub(/^- /, "none: ", part[4])
		printf ".TP\n.B %s\n%s%s: %s\n", roff(part[2], 1), part[1] == "both" ? "" : "[" part[1] "] ", roff(part[3]), roff(part[4])
	}
}

FILENAME == ARGV[1] && / of the pane / {
	into = $1
	pane = $5
	sub(/:/, "", pane)
	if (into == "Views")
		panes[++n_panes] = pane
	next
}
FILENAME == ARGV[1] && /^Findings: / { into = "Findings"; next }
FILENAME == ARGV[1] && /^  / {
	if (into == "Findings")
		findings = findings paragraph($0)
	else if (pane && into == "Views")
		views[pane] = views[pane] paragraph($0)
	else if (pane)
		keys[pane] = keys[pane] paragraph($0)
	else
		common = common paragraph($0)
	next
}
FILENAME == ARGV[1] { next }

# Without --keys, as in a cross build, only a reference to it.
/^@keys$/ { printf "%s", common ? common : ".B panetop \\-\\-keys\nlists the keys.\n"; next }
/^@peers$/ { print_peers(); next }
/^@findings$/ { printf "%s", findings ? findings : ".B panetop \\-\\-keys\nlists them.\n"; next }
/^@panes$/ { print_panes(); next }
{ print }
