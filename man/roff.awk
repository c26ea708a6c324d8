# SPDX-License-Identifier: GPL-2.0-or-later
# Text as roff, for the pages that are generated.

function fail(text)
{
	print FILENAME ": line " FNR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# Escapes text for roff; hyphens to be typed stay ASCII.
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
		fail("unknown character: " text)
	return text ~ /^[.']/ ? "\\&" text : text
}

function sentence(text)
{
	if (text !~ /^[a-z_]+:/) # an explained value keeps its case
		text = toupper(substr(text, 1, 1)) substr(text, 2)
	return roff(text, 0) (text ~ /([.?!]|…)$/ ? "" : ".")
}
