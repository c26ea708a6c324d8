/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the next sample is due. */
#include <config.h>

#include "screen/delay.h"

#include "core/i18n.h"
#include "sys/env.h"

#define AT_ONCE_NS UINT64_C(1000000)

void delay_set(struct screen *screen, double seconds)
{
	screen->delay_seconds = seconds;
	screen->rate_limit = (struct rate_limit){ 0 };
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].delay_seconds = seconds;
	if (screen->n_soon == 0)
		loop_set_tick(&screen->loop, (uint64_t)(seconds * 1e9));
}

/* Two samples are never closer than that: rates of the tables sampled so far would be too coarse. */
void delay_skip(struct screen *screen)
{
	uint64_t last_ns = screen->frames[screen->latest].mono_ns, now_ns = env_mono_ns();
	uint64_t age_ns = now_ns > last_ns ? now_ns - last_ns : 0;

	if (screen->delay_seconds * 1e9 <= (double)DELAY_WARM_UP_NS)
		return;
	screen->n_soon = 2;
	loop_set_tick(&screen->loop, age_ns < DELAY_WARM_UP_NS ? DELAY_WARM_UP_NS - age_ns : AT_ONCE_NS);
}

void delay_choose(struct screen *screen, double seconds)
{
	screen->usual_seconds = seconds;
	screen->delay_chosen = true;
	delay_set(screen, seconds);
}

void delay_follow_pane(struct screen *screen)
{
	double preferred = screen_context(screen)->preferred_seconds;
	double wanted = preferred > 0 && !screen->delay_chosen ? preferred : screen->usual_seconds;

	if (wanted < screen->delay_seconds || wanted > screen->delay_seconds)
		delay_set(screen, wanted);
}

void screen_prefer_delay(struct pane_context *context, double seconds)
{
	struct screen *screen = context->screen;

	context->preferred_seconds = seconds;
	if (screen_is_live(screen) && context == screen_context(screen))
		delay_follow_pane(screen);
}

/* Samples that cost more than a tenth of the time, drawing included, are taken less often, with a message. */
void delay_keep_pace(struct screen *screen, uint64_t cost_ns)
{
	bool changed;
	uint64_t delay_ns = rate_limit_delay(&screen->rate_limit, cost_ns,
					     (uint64_t)(screen->delay_seconds * 1e9), &changed);

	if (!changed)
		return;
	loop_set_tick(&screen->loop, delay_ns);
	if ((double)delay_ns <= screen->delay_seconds * 1e9 || screen->delay_seconds < screen->usual_seconds)
		return; /* as wanted; or the pane chose this delay: the headline shows the actual one */
	screen_warn(screen, MESSAGE_SCREEN,
		    _("a sample takes %.3g s of CPU time; sampling every %.3g s instead of %.3g s"),
		    (double)screen->rate_limit.cost_ns / 1e9, (double)delay_ns / 1e9, screen->delay_seconds);
}
