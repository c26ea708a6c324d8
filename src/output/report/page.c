/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escapes texts; the head of the page, and the policy that keeps it from anything but its own script. */
#include <config.h>

#include "output/report/page.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"

/* clang-format off */
/* On screens light or dark as the browser prefers, on paper black on white. */
static const char look_style[] =
	":root {\n"
	"  color-scheme: light dark;\n"
	"  --ink: #1c1c1c; --dim: #5a5a5a; --ground: #fff; --line: #c9c9c9; --area: #0b62a826;\n"
	"  --l0: #0b62a8; --l1: #b34700; --l2: #1b7a4b; --l3: #7a3d9e; --bad: #b00020; --busy: #8a5a00;\n"
	"}\n"
	"@media screen and (prefers-color-scheme: dark) {\n"
	"  :root {\n"
	"    --ink: #e0e0e0; --dim: #a8a8a8; --ground: #16181a; --line: #444; --area: #6db5ee30;\n"
	"    --l0: #6db5ee; --l1: #f0a060; --l2: #6fd0a0; --l3: #c79be6; --bad: #ff8a8a; --busy: #e8be5a;\n"
	"  }\n"
	"}\n"
	"* { box-sizing: border-box; }\n"
	"body {\n"
	"  margin: 0 auto; padding: 1rem; max-width: 80rem; color: var(--ink); background: var(--ground);\n"
	"  font: 15px/1.45 system-ui, sans-serif;\n"
	"}\n"
	"h1 { font-size: 1.5rem; margin: 0; }\n"
	"h2 { font-size: 1.15rem; margin: 1.6rem 0 .5rem; border-bottom: 1px solid var(--line); }\n"
	"h3 { font-size: 1rem; margin: 0 0 .2rem; }\n"
	"p { margin: .3rem 0; }\n"
	"ul { margin: .3rem 0; padding-left: 1.2rem; }\n"
	"li { margin: .2rem 0; }\n"
	".findings { list-style: none; padding: 0; }\n"
	".dim { color: var(--dim); }\n"
	".critical { color: var(--bad); font-weight: 700; }\n"
	".warning { color: var(--busy); font-weight: 600; }\n"
	".wide { overflow-x: auto; }\n"
	".grid {\n"
	"  display: grid; gap: 1.2rem;\n"
	"  grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));\n"
	"}\n"
	".grid > * { min-width: 0; }\n"
	"pre { margin: 0 0 1rem; overflow-x: auto; font: 13px/1.4 ui-monospace, monospace; }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
	"th, td { padding: .1rem .8rem .1rem 0; text-align: right; vertical-align: top; }\n"
	"th, td { white-space: nowrap; }\n"
	"th { border-bottom: 1px solid var(--line); font-weight: 600; }\n"
	".left { text-align: left; }\n"
	".prose { text-align: left; white-space: normal; min-width: 14rem; overflow-wrap: anywhere; }\n"
	"dl { columns: 24rem; column-gap: 1.2rem; margin: .3rem 0; font-size: .85rem; }\n"
	"dl div { break-inside: avoid; }\n"
	"dt { float: left; margin-right: .5em; font-weight: 600; }\n"
	"dd { margin: 0 0 .2rem; }\n"
	"figure { margin: 0; }\n"
	"figure:focus-visible { outline: 2px solid var(--l0); }\n"
	"svg { display: block; width: 100%; height: 8rem; border: 1px solid var(--line); }\n"
	".axes { display: flex; }\n"
	".axes svg { flex: 1; min-width: 0; }\n"
	".scale, .ends { display: flex; justify-content: space-between; color: var(--dim);\n"
	" font-size: .85rem; }\n"
	".scale { flex: 0 0 4.6rem; flex-direction: column; padding-right: .4rem; text-align: right; }\n"
	".scale span { line-height: 1; white-space: nowrap; }\n"
	".ends { margin-left: 4.6rem; }\n"
	"output { display: block; min-height: 1.45em; white-space: pre-wrap; }\n"
	"path, line { fill: none; vector-effect: non-scaling-stroke; stroke-width: 1.5; }\n"
	"path.area { fill: var(--area); stroke: none; }\n"
	".l0 { stroke: var(--l0); }\n"
	".l1 { stroke: var(--l1); stroke-dasharray: 6 2; }\n"
	".l2 { stroke: var(--l2); stroke-dasharray: 2 2; }\n"
	".l3 { stroke: var(--l3); stroke-dasharray: 8 2 2 2; }\n"
	".half { stroke: var(--line); stroke-width: 1; }\n"
	".moment { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1 3; }\n"
	".at { stroke: var(--ink); stroke-width: 1; visibility: hidden; }\n"
	".key { margin-right: 1rem; white-space: nowrap; }\n"
	".key svg { display: inline-block; width: 1.6em; height: .7em; border: 0; margin-right: .3em; }\n"
	"@media print {\n"
	"  body { max-width: none; padding: 0; font-size: 10pt; }\n"
	"  figure, tr, li { break-inside: avoid; }\n"
	"  h2, h3 { break-after: avoid; }\n"
	"  .wide, pre { overflow: visible; white-space: pre-wrap; }\n"
	"  .left:last-child { white-space: normal; overflow-wrap: anywhere; }\n"
	"  output { display: none; }\n"
	"}\n";

/* Shows the values of a graph under the pointer, or step by step with the arrow keys. */
static const char look_script[] =
	"\"use strict\";\n"
	"const times = document.body.dataset.times.split(\"|\");\n"
	"for (const figure of document.querySelectorAll(\"figure\")) {\n"
	"  const svg = figure.querySelector(\"svg.plot\"), out = figure.querySelector(\"output\");\n"
	"  const at = svg.querySelector(\".at\"), first = out.textContent, last = times.length - 1;\n"
	"  const lines = [...svg.querySelectorAll(\"path[data-values]\")].map(\n"
	"    line => [line.dataset.name, line.dataset.values.split(\"|\")]);\n"
	"  let place = -1;\n"
	"  const show = index => {\n"
	"    place = Math.max(0, Math.min(last, index));\n"
	"    const x = last ? place / last * svg.viewBox.baseVal.width : 0;\n"
	"    at.setAttribute(\"x1\", x);\n"
	"    at.setAttribute(\"x2\", x);\n"
	"    at.style.visibility = \"visible\";\n"
	"    const values = lines.map(([name, values]) => `${name} ${values[place]}`);\n"
	"    out.textContent = [times[place], ...values].join(\"   \");\n"
	"  };\n"
	"  const leave = () => {\n"
	"    place = -1;\n"
	"    at.style.visibility = \"hidden\";\n"
	"    out.textContent = first;\n"
	"  };\n"
	"  svg.addEventListener(\"pointermove\", event => {\n"
	"    const box = svg.getBoundingClientRect();\n"
	"    show(Math.round((event.clientX - box.left) / box.width * last));\n"
	"  });\n"
	"  svg.addEventListener(\"pointerleave\", leave);\n"
	"  figure.addEventListener(\"blur\", leave);\n"
	"  figure.addEventListener(\"keydown\", event => {\n"
	"    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];\n"
	"    if (!step)\n"
	"      return;\n"
	"    event.preventDefault();\n"
	"    show(place < 0 ? last : place + step);\n"
	"  });\n"
	"}\n";
/* clang-format on */

/* Of the script, for the policy: the page runs no other. tests/report.test prints it, where it differs. */
static const char look_script_hash[] = "sha256-Jy7qNW44WILRvDptskOdB0kFh5avf6DgyluoNHcqZMo=";

#define MAC_DIGITS 12
#define IPV6_GROUPS 8

/* What stands before a user, and which bytes end the name. */
static const struct {
	const char *before, *ends;
} places[] = {
	{ "/home/", "/" },     { "/run/user/", "/" }, { "/run/media/", "/" }, { "/media/", "/" },
	{ "/var/mail/", "/" }, { "user-", "." },      { "user@", "." },
};

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Bytes of a name that one of these bytes, a blank or the end of the text ends. */
static size_t name_length(const char *text, const char *ends)
{
	size_t length = 0;

	while (text[length] && !strchr(ends, text[length]) && !strchr(" ,;()[]\"'\t\n", text[length]))
		length++;
	return length;
}

/* A user behind what stands before it: bytes of both; *kept: of the first. */
static size_t user_at(const char *text, size_t *kept)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t before = strlen(places[i].before), length;

		if (strncmp(text, places[i].before, before) != 0)
			continue;
		length = name_length(text + before, places[i].ends);
		if (length == 0 || (places[i].ends[0] == '.' && text[before + length] != '.'))
			continue;
		*kept = before;
		return before + length;
	}
	return 0;
}

/* Four numbers up to 255 with points between. */
static size_t ipv4_at(const char *text)
{
	size_t length = 0;

	for (int part = 0; part < 4; part++) {
		unsigned number = 0, digits = 0;

		if (part > 0 && text[length++] != '.')
			return 0;
		for (; isdigit((unsigned char)text[length]) && digits < 4; digits++)
			number = 10 * number + (unsigned)(text[length++] - '0');
		if (digits == 0 || digits > 3 || number > 255)
			return 0;
	}
	return is_word(text[length]) ? 0 : length;
}

/* Hexadecimal groups with colons: eight of them, or fewer with :: in place of some. Not a time of day. */
static size_t ipv6_at(const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF:");
	unsigned colons = 0;
	bool shortened = false;

	for (size_t i = 0; i < length; i++) {
		colons += text[i] == ':';
		shortened |= i > 0 && text[i] == ':' && text[i - 1] == ':';
	}
	if (length < 3 || is_word(text[length]) || colons >= IPV6_GROUPS)
		return 0;
	return shortened || colons == IPV6_GROUPS - 1 ? length : 0;
}

/* Of an interface: 52:54:00:12:34:56. */
static size_t mac_at(const char *text)
{
	size_t length = 0;

	for (int part = 0; part < MAC_DIGITS / 2; part++) {
		if (part > 0 && text[length++] != ':')
			return 0;
		for (int digit = 0; digit < 2; digit++)
			if (!isxdigit((unsigned char)text[length++]))
				return 0;
	}
	return is_word(text[length]) || text[length] == ':' ? 0 : length;
}

/* An interface that is named by its address: enx525400123456. */
static size_t named_by_mac(const char *text, size_t *kept)
{
	if (strncmp(text, "enx", 3) != 0 && strncmp(text, "wlx", 3) != 0 && strncmp(text, "wwx", 3) != 0)
		return 0;
	*kept = 3;
	return strspn(text + 3, "0123456789abcdef") == MAC_DIGITS && !is_word(text[3 + MAC_DIGITS])
		       ? 3 + MAC_DIGITS
		       : 0;
}

/* Bytes of what is hidden here, of which the first *kept stay; 0: nothing. */
static size_t hidden_at(const char *text, bool begins_word, size_t *kept)
{
	size_t length = *text == '/' || begins_word ? user_at(text, kept) : 0;

	if (length == 0 && begins_word)
		length = named_by_mac(text, kept);
	if (length > 0)
		return length;
	*kept = 0;
	if (!begins_word)
		return 0;
	length = ipv4_at(text);
	if (length == 0)
		length = mac_at(text);
	return length > 0 ? length : ipv6_at(text);
}

/* Goes through the text once; at each place that may begin a name it tries the forms that it knows. */
void hidden_names_add(struct buffer *out, const char *text)
{
	bool begins_word = true;

	while (*text) {
		size_t kept = 0, length = hidden_at(text, begins_word, &kept);

		if (length > 0) {
			buffer_add(out, text, kept);
			buffer_char(out, '*');
			text += length;
			begins_word = false;
			continue;
		}
		begins_word = !is_word(*text) && *text != '.' && *text != ':';
		buffer_char(out, *text++);
	}
	buffer_char(out, '\0');
	out->length--;
}

#define FOREIGN_CELLS_MAX 1000 /* of a text: more would not be read */

void page_free(struct page *page)
{
	buffer_free(&page->out);
	buffer_free(&page->clean);
	buffer_free(&page->hidden);
}

void page_markup(struct page *page, const char *markup)
{
	buffer_text(&page->out, markup);
}

void page_print(struct page *page, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	buffer_text(&page->out, text);
}

static const char *escape_of(char byte)
{
	static const char bytes[] = "&<>\"'";
	static const char *const escapes[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	const char *found = byte ? strchr(bytes, byte) : NULL;

	return found ? escapes[found - bytes] : NULL;
}

static void add_escaped(struct buffer *out, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		const char *escape = escape_of(bytes[i]);

		if (escape)
			buffer_text(out, escape);
		else
			buffer_char(out, bytes[i]);
	}
}

void page_text(struct page *page, const char *text)
{
	add_escaped(&page->out, text, strlen(text));
}

void page_foreign(struct page *page, const char *text)
{
	const struct buffer *shown = &page->clean;

	buffer_empty(&page->clean);
	utf8_clean(&page->clean, text, FOREIGN_CELLS_MAX, false);
	buffer_char(&page->clean, '\0');
	page->clean.length--;
	if (!page->names) {
		buffer_empty(&page->hidden);
		hidden_names_add(&page->hidden, page->clean.bytes);
		shown = &page->hidden;
	}
	add_escaped(&page->out, shown->bytes, shown->length);
}

void page_element(struct page *page, const char *tag, const char *text)
{
	page_print(page, "<%s>", tag);
	page_text(page, text);
	page_print(page, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void page_say(struct page *page, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	page_text(page, text);
}

void page_sentence(struct page *page, const char *tag, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	page_element(page, tag, text);
}

const char *page_time(const struct page *page, char *text, uint64_t wall_ns)
{
	return page->dated ? clock_local(text, wall_ns, "%Y-%m-%d %H:%M:%S")
			   : clock_local(text, wall_ns, "%H:%M:%S");
}

void page_begin(struct page *page, const char *title)
{
	page_print(
		page,
		"<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
		"style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n",
		look_script_hash);
	page_markup(page, "<title>");
	page_foreign(page, title);
	page_markup(page, "</title>\n<style>\n");
	page_markup(page, look_style);
	page_markup(page, "</style>\n</head>\n");
}

void page_end(struct page *page)
{
	page_markup(page, "<script>");
	page_markup(page, look_script);
	page_markup(page, "</script>\n</body>\n</html>\n");
}
