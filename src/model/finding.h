/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings: what is out of the ordinary in a frame, by rules that are data. */
#ifndef PANETOP_MODEL_FINDING_H
#define PANETOP_MODEL_FINDING_H

#include "core/buffer.h"
#include "model/frame.h"
#include "model/settings.h"

#define CULPRIT_SOURCES_MAX 2

/* Which command uses most of a resource: over 10 s, with all its processes, and those that have ended. */
struct culprit_source {
	const char *topic; /* NULL: there is none */
	const char *name, *used;
	const char *id;     /* NULL: its rows have ended */
	const char *less;   /* is subtracted; NULL: nothing */
	const char *unless; /* a row with more than 0 of this does not count; NULL: each does */
};

/* How much of a resource is in use, whoever uses it: the sum of one or two; topic NULL: not known. */
struct culprit_whole {
	const char *topic, *row, *columns[2];
	const char *times_topic, *times; /* times this of its first row; NULL: once */
};

/* A resource. */
struct culprit_kind {
	bool is_rate;       /* used is a rate over the interval, not a state */
	double least_share; /* a culprit has at least this share of what all use, and of the whole */
	enum unit unit;     /* of what is used */
	struct culprit_source sources[CULPRIT_SOURCES_MAX]; /* the first one is of what lives */
	struct culprit_whole whole; /* where users have less than half of it, {use} is not known: they may
				     * have used more than was seen */
};

#define FINDING_VALUES_MAX 8
#define FINDING_YIELDS_MAX 3

enum finding_severity { FINDING_NOTE, FINDING_WARNING, FINDING_CRITICAL };

/* A number that the setting "finding.SETTING" changes. */
struct finding_limit {
	const char *setting; /* NULL: it cannot be changed; with the number 0: there is no limit */
	const char *help;    /* N_() */
	enum unit unit;      /* of its number: UNIT_RATIO, UNIT_SECONDS or UNIT_COUNT */
	double number;
};

/* A number of a rule: its text may show it, and a limit tests it. */
struct finding_value {
	const char *name;        /* its place in the text is "{name}" */
	const char *topic;       /* NULL: of the row that the rule is about */
	const char *row, *other; /* texts of its KEY columns; NULL: the first row */
	const char *column;
	const char *with;                         /* counts the rows with this text in the column */
	const char *less_topic, *less_row, *less; /* without this, if that topic has the row; NULL: nothing */
	const char *over_topic, *over_row, *over; /* divided by this; over_topic NULL: of the same row */
	double window_seconds;                    /* its growth within this time; 0: its present value */
	bool mean;                                /* not its growth: its mean within that time */
	bool per_second;                          /* its growth divided by the time */
	struct finding_limit at_least;            /* holds from here on */
	double keeps;    /* the limit once it holds, unless the user sets one; 0: the same */
	double critical; /* … and is critical from here on; 0: never */
	bool critical_in_all; /* … as long as it holds in all other rows in which it is known */
	bool at_most;                             /* holds up to the limit */
	bool or_next;                             /* it is enough that the next one holds */
	bool or_unknown; /* holds as long as it is not known, as rates in the first sample */
	bool above_zero; /* the text has it only if there is any */
	const char *most;  /* without a limit, of the row in which this is the greatest … */
	double most_least; /* … and at least this; else it is not known */
	const char *with_column; /* or of the row whose KEY is most often in the column most of the rows that
				  * have the text with in this one; NULL: not so */
	double most_seconds; /* … and was in each frame of that time; else it is not known */
};

/* By what it has an age. */
enum finding_age {
	FINDING_OBSERVED, /* the frames in which it held */
	FINDING_LASTS,    /* its first value: the time for which it has held; the least, unless the column
			   * begun of its row is blank */
	FINDING_SEEN,     /* its first value: the time for which it was seen, so that this is the least */
	FINDING_COUNTS,   /* the frames, but it was over when its first value grew last */
	FINDING_HAPPENED, /* its first value: the time since then; it is over after half a minute */
	FINDING_RECURS,   /* the same of the last time; its second value: the time since the first one */
};

/* A rule speaks where all its limits hold, for its time. What is unknown holds with or_unknown alone. */
struct finding_rule {
	const char *name;        /* "finding.NAME = off" silences it; the next rule may have the same */
	const char *topic;       /* it is about a row of this table … */
	const char *key;         /* … each one; this column names it. NULL: about the machine */
	const char *called;      /* its name for people; NULL, or unknown: the key */
	bool of_group;           /* the key is the path of a control group, whose row it is about, too */
	const char *subject;     /* N_(): of the machine; or what the key is a name of */
	const char *stands_for;  /* another rule where its topic is not sampled; what silences that silences
				  * this one, too */
	const char *yields_to[FINDING_YIELDS_MAX]; /* silent where another one with this name speaks of the
						    * same key, or has no key: it is the same fact */
	const char *text;        /* N_(): a sentence with {NAME} of its values, {since}, for which it has
				  * held, and {window}, the time that those with window_seconds are of; {who}
				  * and {use}, of the culprit;
				  * [ … ] stands only if what it names is known */
	const struct culprit_kind *culprit; /* of which resource; NULL: it names none */
	const char *help;        /* N_(): when it speaks, for the manual */
	const char *of_host;     /* of units.h, over the frame: then it is about the host of a container;
				  * NULL: never */
	const char *pane, *view; /* which show it; view NULL: the home of the pane */
	const char *when;        /* of units.h, over the row: others are ordinary; NULL: none is */
	const char *unless_column, *const *unless; /* so are rows with one of these texts; ended by NULL */
	const char *unless_setting; /* "finding.NAME" names more such texts, with commas; NULL: none does */
	enum finding_severity severity;            /* at least */
	const char *with; /* its topics cost so much that they are sampled only along with this one; NULL:
			   * wherever there are findings */
	enum finding_age age;
	struct finding_limit hold; /* seconds */
	double least_seconds; /* for shares and rates, known of its window; 0: one. So what lives for less is
			       * no alarm for whoever happens to look then */
	bool from_window; /* it began with the time that its numbers are of when it spoke first */
	const char *lead; /* a column with the time for which it has been so, believed after half a minute
			   * of frames in which it was; NULL: none has that */
	struct finding_value values[FINDING_VALUES_MAX]; /* ended by one without a name; the first with a
							  * limit ranks rows */
};

extern const struct schema finding_schema;

/*
 * Frames without findings for longer than this are a gap; for less, another pane was shown meanwhile, for
 * which they are not in every sample.
 */
#define FINDINGS_REST_NS UINT64_C(15000000000)

struct findings;

/* The rules are borrowed; the limits are those of the settings now (NULL: none are set). */
struct findings *findings_open(const struct finding_rule *rules, unsigned n_rules,
			       const struct settings *settings);

void findings_close(struct findings *findings);

enum findings_where {
	FINDINGS_WHERE_ASKED, /* in frames whose table of them was sampled */
	FINDINGS_EVERYWHERE,  /* what a frame lacks does not hold */
	FINDINGS_WHERE_KNOWN, /* else of the rules all of whose topics the frame has: a partial table */
};

/*
 * Fills the table of findings from the other tables of this frame, whose rates are derived, and from earlier
 * frames. A warning that has ended is a row of the state earlier for five minutes.
 */
void findings_derive(struct findings *findings, struct frame *frame, enum findings_where where);

/* Would the rule speak of this row of its topic, by the numbers of this row now? */
bool findings_judge_row(const struct findings *findings, const char *rule, const struct schema *schema,
			const void *row, enum finding_severity *severity);

/* The limit with this setting, as the settings have it; NaN: no rule has it. */
double findings_limit(const struct findings *findings, const char *setting);

/* What the sentences of a rule name, a line each: its column, its time, its limit and what sets that. */
void findings_describe(const struct findings *findings, const char *rule, const char *topic,
		       struct buffer *out);

/* Of a frame that came with its findings: of which rows of their topics they are. */
void findings_find_rows(const struct findings *findings, struct frame *frame);

/* A finding that no rule of this file makes. Its texts live as long as the frame. */
struct finding_added {
	const char *rule, *subject, *text, *topic, *pane;
	double since_seconds;
};

/* Adds a warning to the findings of a frame, if it has their table, behind the critical ones. */
void findings_add(struct frame *frame, const struct finding_added *added);

#define FINDING_OF_OPTION "when" /* the rule of those that --when names */

/* The topic of notices about what findings do not judge, though they are there. */
#define NOTICE_NOT_JUDGED "not judged"

/*
 * Adds a notice to a frame that lacks topics which rules judge, or in which they failed: they are silent. And
 * for each that is empty, why it is: NOTICE_NOT_JUDGED.
 */
void findings_note_lack(const struct findings *findings, struct frame *frame);

/* Adds the notices of empty tables that rules judge and no output shows: why they are empty. */
void findings_note_empty(const struct findings *findings, struct frame *frame, const bool *asked);

enum findings_begin {
	FINDINGS_FROM_FIRST, /* with the first frame that there is */
	FINDINGS_WITHIN,     /* earlier ones can be read if findings are not settled */
	FINDINGS_CUT,        /* earlier ones are too many to be read */
};

/* Forgets earlier frames. */
void findings_begin(struct findings *findings, enum findings_begin begin);

/*
 * What findings are at a frame depends on frames before it: at least on those of these seconds, and on
 * earlier ones while they are not settled, as where something holds that may have begun earlier.
 */
double findings_depend_on_seconds(const struct findings *findings);
bool findings_are_settled(const struct findings *findings);

/*
 * Of the rules that hold at this CLOCK_MONOTONIC, but not long enough to speak, the longest such time. 0: no
 * such rule, or another frame was judged last.
 */
double findings_awaited_seconds(const struct findings *findings, uint64_t mono_ns);

/* From now on the rows of the last frames are kept, so that a step back shows them again. */
void findings_keep(struct findings *findings);

/* Are those of the frame of this time kept, as they are after all the frames that they depend on? */
bool findings_are_kept(const struct findings *findings, uint64_t mono_ns);

/*
 * Marks the topics that rules read, by index of the schema, if findings are wanted. See with of a rule: of
 * what is recorded, no topic costs so much.
 */
void findings_want(const struct finding_rule *rules, unsigned n_rules, const struct schema *const *schemas,
		   unsigned n_schemas, bool recorded, bool *wanted);

/* Adds the columns on request that rules read, unless findings are not wanted or rest in the next sample. */
void findings_request(const struct finding_rule *rules, unsigned n_rules, const struct schema *const *schemas,
		      unsigned n_schemas, const bool *wanted, struct sample_request *request);

/* "finding.NAME": a rule, or the setting of a limit? */
bool finding_setting_known(const struct finding_rule *rules, unsigned n_rules, const char *name);

/* Is it a number, a percentage, or "off" for a rule? */
bool finding_setting_valid(const struct finding_rule *rules, unsigned n_rules, const char *name,
			   const char *value);

/* The text of "finding.NAME"; NULL: it is not set. settings may be NULL. */
const char *finding_setting(const struct settings *settings, const char *name);

/* The number of a limit with these settings (NULL: none are set). */
double finding_number(const struct settings *settings, const struct finding_limit *limit);

/* A limit as the configuration has it: "15 %", "30 s", "5". */
char *finding_limit_text(char *out, const struct finding_limit *limit, double number);

enum grade {
	GRADE_CALM,
	GRADE_BUSY,  /* in full use, and nothing suffers: a note */
	GRADE_ALARM, /* a warning */
	GRADE_CRITICAL,
};

/* Of a severity, as rows of findings have it. */
enum grade grade_of_severity(const char *severity);

/* "!!", "!", "*"; "" if it is calm. */
const char *grade_mark(enum grade grade);

/*
 * The worst that holds of these rules, "NAME|NAME", in the findings of the frame; about the scope only with
 * of_scope, and about the machine without, where that is known.
 */
enum grade grade_of_rules(const struct frame *frame, const char *rules, bool of_scope);

/* Of one row of the topic that a rule is about, by its columns; NULL: calm. */
enum grade grade_of_row(const struct findings *findings, const char *rule, const struct schema *schema,
			const void *row);

/*
 * The worst of these rules, "NAME|NAME": of those about the machine, and of those about this row, by its
 * columns or by the findings of the frame.
 */
enum grade grade_of_fact(const struct findings *findings, const struct frame *frame, const char *rules,
			 const struct schema *schema, const void *row);

/*
 * The next finding of the frame that holds about this row of a topic, or about the group that the row is of;
 * NULL: no more. at: 0 at first.
 */
const void *finding_about(const struct frame *frame, const struct schema *schema, const void *row,
			  size_t *at);

/* The worst finding of the frame about this row; of those whose rules judge this column (NULL: of all). */
enum grade grade_of_cell(const struct findings *findings, const struct frame *frame,
			 const struct schema *schema, const void *row, const struct column *column);

#endif
