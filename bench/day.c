/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * day FROM TO SAMPLES: a long recording from the samples of a short one, forwards and backwards in turn, one a second.
 * Prints the bytes and the CPU time in ms of recording one sample.
 */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "output/recording.h"
#include "recording/writer.h"
#include "sys/descriptor.h"
#include "topic/topic.h"

#define SECOND_NS UINT64_C(1000000000)
#define SAMPLES_MOST 600

static struct frame frames[SAMPLES_MOST];
static size_t n_frames;

static void read_samples(const char *name)
{
	const struct recording_input input = { .fd = open(name, O_RDONLY), .schemas = topic_schemas(),
					       .n_schemas = n_topics };
	struct source source;
	const char *why;

	if (input.fd < 0 || replay_open(&source, &input, &why) < 0)
		exit(1);
	for (; n_frames < SAMPLES_MOST; n_frames++) {
		frame_open(&frames[n_frames], input.schemas, n_topics);
		if (source.next(source.state, &frames[n_frames]) != 1)
			break;
	}
	source.close(source.state);
}

/* The sample that comes i seconds after the start. */
static struct frame *sample(size_t i, uint64_t start_ns)
{
	size_t turn = 2 * n_frames - 2, at = i % turn;
	struct frame *frame = &frames[at < n_frames ? at : turn - at];
	uint64_t mono_ns = (i + 1000) * SECOND_NS + frame->mono_ns % 1000000;

	for (unsigned t = 0; t < frame->n_tables; t++)
		if (frame->tables[t].present)
			frame->tables[t].mono_ns += mono_ns - frame->mono_ns;
	frame->mono_ns = mono_ns;
	frame->wall_ns = start_ns + i * SECOND_NS;
	return frame;
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	size_t n_samples = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	struct recording_writer *writer;
	struct buffer out = { 0 };
	uint64_t start_ns;
	double used_ms;
	int fd;

	if (n_samples == 0)
		return 2;
	read_samples(argv[1]);
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (n_frames < 2 || fd < 0)
		return 1;
	start_ns = frames[0].wall_ns;
	writer = recording_writer_open(&frames[0], false);
	used_ms = cpu_ms();
	for (size_t i = 0; i < n_samples; i++) {
		recording_writer_add(writer, sample(i, start_ns), &out);
		if (out.length > 0 && buffer_write(&out, fd, -1) < 0)
			return 1;
	}
	recording_writer_end(writer, &out);
	if (buffer_write(&out, fd, -1) < 0)
		return 1;
	used_ms = cpu_ms() - used_ms;
	printf("%.1f %.4f\n", (double)lseek(fd, 0, SEEK_END) / (double)n_samples, used_ms / (double)n_samples);
	recording_writer_close(writer);
	return 0;
}
