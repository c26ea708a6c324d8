/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns on request are wanted. */
#include <config.h>

#include "model/sample_request.h"

bool sample_request_add(struct sample_request *request, const struct schema *schema, unsigned long columns)
{
	unsigned i = 0;
	bool new;

	if (columns == 0)
		return false;
	while (i < request->n_shown && request->shown[i].schema != schema)
		i++;
	if (i == REQUESTED_SCHEMAS_MAX)
		return false;
	if (i == request->n_shown) {
		request->shown[request->n_shown++].schema = schema;
		request->shown[i].columns = 0;
	}
	new = columns & ~request->shown[i].columns;
	request->shown[i].columns |= columns;
	return new;
}

static unsigned long columns_of(const struct sample_request *request, const struct schema *schema)
{
	for (unsigned i = 0; i < request->n_shown; i++)
		if (request->shown[i].schema == schema)
			return request->shown[i].columns;
	return 0;
}

bool sample_request_wants(const struct sample_request *request, const struct schema *schema, unsigned number)
{
	return columns_of(request, schema) >> number & 1;
}

bool sample_request_wants_any(const struct sample_request *request, const struct schema *schema)
{
	return columns_of(request, schema) != 0;
}

int sample_request_probe(struct sample_request *request, const char *text, uint32_t pid)
{
	unsigned number = 0;
	int place = -1;

	if (strlen(text) >= PROBE_CALL_TEXT_MAX)
		return -1;
	for (int i = 0; i < PROBE_CALLS_MAX; i++) {
		const struct probe_call *call = &request->probe_calls[i];

		if (*call->text && call->pid == pid && strcmp(call->text, text) == 0)
			return i;
		if (!*call->text && place < 0)
			place = i;
		number = call->number > number ? call->number : number;
	}
	if (place < 0)
		return -1;
	request->probe_calls[place] = (struct probe_call){ .pid = pid, .number = number + 1 };
	memcpy(request->probe_calls[place].text, text, strlen(text) + 1);
	return place;
}
