# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a dashboard of Grafana: awk -v topics="finding process …" -f describe.awk -f dashboard.awk DESCRIBE
# A row for each of the topics, in their order, and in it a panel for each of their metrics.

function grafana_unit(unit, is_counter)
{
	if (is_counter)
		return unit == "seconds" ? "percentunit" : unit == "bytes" || unit == "bits" ? "Bps" : unit == "joules" ? "watt" : "cps"
	if (unit == "ratio")
		return "percentunit"
	if (unit == "bytes" || unit == "bits")
		return "bytes"
	if (unit == "bytes_per_second" || unit == "bits_per_second")
		return "Bps"
	if (unit == "per_second")
		return "cps"
	return unit == "seconds" ? "s" : unit == "hertz" || unit == "celsius" ? unit : unit == "watts" ? "watt" : "short"
}

function add_topic(object)
{
	topic = member(object, "name")
	help_of[topic] = member(object, "help")
	info_of[topic] = member(object, "info_metric")
	legend_of[topic] = "{{instance}}"
}

# Not a rate whose counter is there, and no gauge that the screen shows only on request.
function add_column(object, key, metric)
{
	key = member(object, "key")
	metric = member(object, "metric")
	if (member(object, "label") != "")
		legend_of[topic] = legend_of[topic] " {{" member(object, "label") "}}"
	else if (member(object, "kind") == "label")
		n_texts[topic]++
	if (metric != "" && member(object, "rate_of") == "" && (member(object, "hidden") == "false" || member(object, "kind") != "gauge"))
		columns_of[topic, n_columns[topic]++] = object
}

function end_topic()
{
}

function place(width, height, at)
{
	if (x + width > 24) {
		x = 0
		y += 8
	}
	at = "\"gridPos\":{\"h\":" height ",\"w\":" width ",\"x\":" x ",\"y\":" y "}"
	x += width
	return at
}

function add_panel(type, title, help, rest)
{
	panels = panels (panels == "" ? "" : ",\n") "{\"id\":" ++id ",\"type\":\"" type "\",\"title\":\"" title "\"," \
		(help == "" ? "" : "\"description\":\"" help "\",\"datasource\":" source ",") rest "}"
}

function target(expr, form)
{
	gsub(/"/, "\\\"", expr)
	return "\"targets\":[{\"refId\":\"A\",\"datasource\":" source ",\"expr\":\"" expr "\"," form "}]"
}

function add_graph(object, width, is_counter, title, expr)
{
	is_counter = member(object, "kind") == "counter"
	expr = member(object, "metric") "{instance=~\"$instance\"}"
	if (is_counter)
		expr = "rate(" expr "[$__rate_interval])"
	title = member(object, "key")
	gsub(/_/, " ", title)
	add_panel("timeseries", topic ": " title, member(object, "help"), place(width, 8) \
		",\"fieldConfig\":{\"defaults\":{\"unit\":\"" grafana_unit(member(object, "unit"), is_counter) "\"},\"overrides\":[]}," \
		target(expr, "\"legendFormat\":\"" legend_of[topic] "\""))
}

# Texts of a topic are a table, if there is more than a remark.
function add_row(i, n)
{
	n = n_columns[topic] + 0
	if (n == 0 && n_texts[topic] + 0 < 2)
		return
	y += x > 0 ? 8 : 0
	x = 0
	add_panel("row", topic ": " help_of[topic], "", place(24, 1) ",\"collapsed\":false,\"panels\":[]")
	x = 0
	y++
	if (info_of[topic] != "" && n_texts[topic] > 1)
		add_panel("table", topic, help_of[topic], place(12, 8) "," \
			target(info_of[topic] "{instance=~\"$instance\"}", "\"format\":\"table\",\"instant\":true"))
	for (i = 0; i < n; i++)
		add_graph(columns_of[topic, i], n % 3 == 0 ? 8 : 12)
}

BEGIN {
	source = "{\"type\":\"prometheus\",\"uid\":\"${datasource}\"}"
}

END {
	n = split(topics, names, " ")
	for (t = 1; t <= n; t++) {
		topic = names[t]
		add_row()
	}
	if (panels == "")
		exit 1
	print "{\"uid\":\"panetop\",\"title\":\"panetop\",\"tags\":[\"panetop\"],\"schemaVersion\":38,\"editable\":true,\"refresh\":\"30s\","
	print "\"time\":{\"from\":\"now-1h\",\"to\":\"now\"},\"timezone\":\"browser\",\"templating\":{\"list\":["
	print "{\"name\":\"datasource\",\"label\":\"Prometheus\",\"type\":\"datasource\",\"query\":\"prometheus\"},"
	print "{\"name\":\"instance\",\"label\":\"machine\",\"type\":\"query\",\"datasource\":" source ",\"refresh\":2,\"sort\":1,"
	print "\"multi\":true,\"includeAll\":true,\"definition\":\"label_values(panetop_build_info, instance)\","
	print "\"query\":{\"query\":\"label_values(panetop_build_info, instance)\",\"refId\":\"instance\"}}]},"
	printf "\"panels\":[\n%s\n]}\n", panels
}
