/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the wire format of protocol buffers: fields of a message, appended to a buffer. */
#ifndef PANETOP_CORE_PROTOBUF_H
#define PANETOP_CORE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"

/* An integer, enumeration or bool. */
void protobuf_number(struct buffer *out, unsigned field, uint64_t value);

/* A string, or a message that was written into another buffer. */
void protobuf_bytes(struct buffer *out, unsigned field, const char *bytes, size_t length);

/* A repeated field of integers, packed; without values nothing. */
void protobuf_numbers(struct buffer *out, unsigned field, const uint64_t *values, size_t n_values);

#endif
