# SPDX-License-Identifier: GPL-2.0-or-later
# Reads `panetop --describe -o json`: calls add_topic() and add_column() with each as an object, and end_topic(). Texts stay as
# JSON has them.

# The text or number of a key in an object; "" for null.
function member(object, key, at, rest, text)
{
	at = index(object, "\"" key "\":")
	if (at == 0)
		return ""
	rest = substr(object, at + length(key) + 3)
	if (substr(rest, 1, 1) != "\"") {
		match(rest, /^[^],}]*/)
		text = substr(rest, 1, RLENGTH)
		return text == "null" ? "" : text
	}
	match(rest, /^"([^"\\]|\\.)*"/)
	return substr(rest, 2, RLENGTH - 2)
}

function read_topic(text, columns, n, i)
{
	n = split(text, columns, /\{"key":/)
	add_topic(columns[1])
	for (i = 2; i <= n; i++)
		add_column("{\"key\":" columns[i])
	end_topic()
}

{
	n_topics = split($0, topics_read, /\{"name":/)
	for (t = 2; t <= n_topics; t++)
		read_topic("{\"name\":" topics_read[t])
}

END {
	if (n_topics < 2) {
		print "describe.awk: no topics, because panetop does not run here; see PANETOP_NATIVE in configure --help" >"/dev/stderr"
		exit 1
	}
}
