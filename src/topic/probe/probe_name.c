/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A path may contain colons: those in directories do not separate. */
#include <config.h>

#include "topic/probe/probe_name.h"

#include <string.h>

static struct span base_of(struct span path)
{
	const char *slash = span_length(path) > 0 ? memrchr(path.at, '/', span_length(path)) : NULL;

	if (slash)
		path.at = slash + 1;
	return path;
}

bool probe_name_parse(struct probe_name *name, struct span text)
{
	struct span rest = base_of(text), base, part;

	*name = (struct probe_name){ .is_path = rest.at != text.at };
	name->provider = span_of(text.at, 0);
	if (!span_until(&rest, ':', &base) || span_length(base) == 0)
		return false;
	name->file = (struct span){ text.at, base.end };
	if (span_until(&rest, ':', &part)) {
		if (span_length(part) == 0)
			return false;
		name->provider = part;
	}
	name->function = rest;
	return span_length(rest) > 0 && !memchr(rest.at, ':', span_length(rest));
}

enum probe_file_match probe_name_matches(const struct probe_name *name, struct span path)
{
	size_t length = span_length(name->file);
	struct span base = base_of(path);

	span_take_end(&base, PATH_DELETED);
	if (span_length(base) < length || memcmp(base.at, name->file.at, length) != 0)
		return PROBE_FILE_OTHER;
	if (span_length(base) == length)
		return PROBE_FILE_IS;
	return base.at[length] == '.' || base.at[length] == '-' ? PROBE_FILE_BEGINS : PROBE_FILE_OTHER;
}
