/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ssh must neither ask nor wait for ever, and opens nothing but this one channel. */
#include <config.h>

#include "fleet/ssh_words.h"

#include <stdio.h>
#include <string.h>

static const char *const of_ssh[] = {
	"ssh",
	"-T", /* no terminal there */
	"-oBatchMode=yes",
	"-oConnectTimeout=10",
	"-oServerAliveInterval=5",
	"-oServerAliveCountMax=3",
	"-oClearAllForwardings=yes",
	"-oForwardAgent=no",
	"-oForwardX11=no",
	"-oPermitLocalCommand=no",
	"-oRemoteCommand=none",
	"--",
};

/*
 * The shell there reads them as one line: one like sh, csh, for which a colon behind a variable begins a
 * modifier, or fish, which knows no braces around its name. scp copies to the home directory.
 */
static const char *const of_panetop[] = { "env", "PATH=\"$PATH\"\":$HOME\"", "panetop" };

bool ssh_host_is_valid(struct span host)
{
	if (span_length(host) == 0 || span_length(host) > SSH_HOST_MAX || *host.at == '-')
		return false;
	for (const char *at = host.at; at < host.end; at++)
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			return false;
	return true;
}

void ssh_words_make(struct ssh_words *words, const char *host, const struct ssh_record *record)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(of_ssh) / sizeof(of_ssh[0]); i++)
		words->words[n++] = (char *)of_ssh[i];
	words->words[n++] = (char *)host;
	for (size_t i = 0; i < sizeof(of_panetop) / sizeof(of_panetop[0]); i++)
		words->words[n++] = (char *)of_panetop[i];
	words->words[n++] = (char *)"--record=-";
	snprintf(words->delay, sizeof(words->delay), "--delay=%.9g", record->delay_seconds);
	words->words[n++] = words->delay;
	if (record->no_bpf)
		words->words[n++] = (char *)"--no-bpf";
	if (record->no_arguments)
		words->words[n++] = (char *)"--no-arguments";
	for (unsigned i = 0; i < record->n_tables; i++) {
		snprintf(words->tables[i], sizeof(words->tables[i]), "--table=%s", record->tables[i]);
		words->words[n++] = words->tables[i];
	}
	for (unsigned i = 0; i < record->n_panes; i++)
		words->words[n++] = (char *)record->panes[i];
	words->words[n] = NULL;
}
