/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves the past as a recording or a page, or what was seen as text or a picture, under a name that the user
 * gives. */
#include <config.h>

#include "screen/saving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/overlay.h"
#include "screen/past/player.h"
#include "screen/snapshot.h"
#include "screen/subscriptions.h"
#include "sys/error_message.h"
#include "sys/user_file.h"

static int save_past(struct screen *screen, const char *name, char *error, size_t room)
{
	const struct past *past = screen->setup->past;

	if (past)
		return past->save(past->state, name, error, room);
	snprintf(error, room, "%s", _("no past is kept that could be saved"));
	return -ENOENT;
}

/* The screen goes on from the sample that it shows. */
static int save_page(struct screen *screen, const char *name, char *error, size_t room)
{
	const struct screen_setup *setup = screen->setup;
	const struct source *source = player_refuses(screen) ? NULL : screen->player->open(screen, false);
	size_t index;
	int failed;

	if (!source) {
		snprintf(error, room, "%s", _("no past is kept that could be saved"));
		return -ENOENT;
	}
	index = screen->player->index(screen);
	failed = setup->save_page(setup, source, name, error, room);
	subscriptions_return(screen, source, index);
	return failed;
}

static int write_buffer(void *buffer, int fd)
{
	return buffer_write(buffer, fd, -1);
}

/* The buffer was filled when the key was pressed: now the prompt covers the last line. */
static int save_seen(struct buffer *seen, const char *name, char *text, size_t room)
{
	return user_file_save_new(name, write_buffer, seen, text, room);
}

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name), of_ending = strlen(ending);

	return length > of_ending && strcmp(name + length - of_ending, ending) == 0;
}

static bool save(struct pane_context *context, const char *name, char *error, size_t room)
{
	struct screen *screen = context->screen;
	int failed;

	if (!*name)
		return true;
	if (ends_in(name, ".recording")) {
		failed = save_past(screen, name, error, room);
	} else if (ends_in(name, ".html")) {
		failed = save_page(screen, name, error, room);
	} else if (ends_in(name, ".txt")) {
		failed = save_seen(&screen->saving.text, name, error, room);
	} else if (ends_in(name, ".svg")) {
		failed = save_seen(&screen->saving.svg, name, error, room);
	} else {
		snprintf(error, room, "%s", _("end the name in .recording, .html, .txt or .svg"));
		return false;
	}
	if (!failed)
		screen_message(screen, MESSAGE_SCREEN, _("saved: %s"), name);
	return !failed;
}

void saving_ask(struct pane_context *context)
{
	struct screen *screen = context->screen;
	char time[CLOCK_TEXT_MAX], name[TEXT_MAX];

	buffer_empty(&screen->saving.text);
	snapshot_text(&screen->saving.text);
	buffer_empty(&screen->saving.svg);
	snapshot_svg(&screen->saving.svg, theme_is_light(screen->theme));
	clock_local(time, clock_wall_ns(screen->setup->clock), "%Y%m%d-%H%M%S");
	snprintf(name, sizeof(name), "panetop-%s%s", time, screen->setup->past ? ".recording" : ".svg");
	screen_prompt(context,
		      screen->setup->past
			      ? _("Save history (.recording, .html) or screen (.txt, .svg) as")
			      : _("Save page (.html) or screen (.txt, .svg) as"),
		      name, save);
}
