/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/date.h"

#include <ctype.h>
#include <strings.h>

static const char months[12][4] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug",
	"sep", "oct", "nov", "dec"};

/* Minutes east of the zone names that mails carry. */
static const struct {
	const char *name;
	int offset;
} zones[] = {
	{"UTC", 0},
	{"GMT", 0},
	{"Z", 0},
	{"UT", 0},
	{"WET", 0},
	{"BST", 60},
	{"CET", 60},
	{"MET", 60},
	{"CEST", 120},
	{"MEST", 120},
	{"MESZ", 120},
	{"EET", 120},
	{"EEST", 180},
	{"MSK", 180},
	{"MSD", 240},
	{"IST", 330},
	{"JST", 540},
	{"KST", 540},
	{"EST", -300},
	{"EDT", -240},
	{"CST", -360},
	{"CDT", -300},
	{"MST", -420},
	{"MDT", -360},
	{"PST", -480},
	{"PDT", -420},
	{"NZST", 720},
	{"NZDT", 780},
};

struct parts {
	int day, month, year; /* month 0..11; -1 unset */
	int hour, min, sec;
	int offset;
	bool zone;
	bool bad;
	struct date *out;
};

/* Days since 1970 of a civil date (proleptic Gregorian). */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month < 2);
	int64_t era = y / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_in(int year, int month)
{
	static const int n[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
	return n[month] + (month == 1 && leap);
}

/* Reads digits at *s (at most 9 count). Returns how many there were. */
static int digits(const char **s, int *ret)
{
	int n = 0;
	*ret = 0;
	for (; isdigit((unsigned char)**s); (*s)++, n++) {
		if (n < 9)
			*ret = *ret * 10 + (**s - '0');
	}
	return n;
}

static const char *read_word(const char *s, struct parts *p)
{
	size_t len = 0;
	while (isalpha((unsigned char)s[len]))
		len++;
	for (int i = 0; i < 12 && len >= 3; i++) {
		if (!strncasecmp(s, months[i], 3) && p->month < 0) {
			p->month = i;
			return s + len;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(zones) && p->hour >= 0 && !p->zone; i++) {
		if (strlen(zones[i].name) == len && !strncasecmp(s, zones[i].name, len)) {
			p->offset = zones[i].offset;
			p->zone = true;
		}
	}
	return s + len;
}

/* "+0100", "+01:00", "+01"; anything else is no zone and leaves +0000. */
static const char *read_zone(const char *s, struct parts *p)
{
	int sign = *s++ == '-' ? -1 : 1;
	const char *start = s;
	int hour, min = 0;
	int n = digits(&s, &hour);
	if (n == 4) {
		min = hour % 100;
		hour /= 100;
	} else if (n == 2 && *s == ':') {
		s++;
		digits(&s, &min);
		if (s - start != 5)
			min = 99;
	} else if (n != 2) {
		min = 99;
	}
	if (p->zone)
		return s;
	p->zone = true;
	if (min < 60 && hour < 24)
		p->offset = sign * (hour * 60 + min);
	else
		p->out->zone_bad = true;
	return s;
}

static const char *read_time(const char *s, int hour, struct parts *p)
{
	p->hour = hour;
	p->sec = 0;
	s++;
	digits(&s, &p->min);
	if (*s == ':' && isdigit((unsigned char)s[1])) {
		s++;
		digits(&s, &p->sec);
		if (*s == '.' && isdigit((unsigned char)s[1])) {
			int fraction;
			s++;
			digits(&s, &fraction);
		}
	}
	return s;
}

static const char *read_number(const char *s, struct parts *p)
{
	int v;
	int n = digits(&s, &v);
	if (*s == ':' && n <= 2 && p->hour < 0)
		return read_time(s, v, p);
	if (n == 4 && *s == '-' && isdigit((unsigned char)s[1]) && p->year < 0) {
		p->year = v;
		s++;
		digits(&s, &p->month);
		p->month--;
		if (*s == '-') {
			s++;
			digits(&s, &p->day);
		}
		return s;
	}
	if (n <= 2 && p->day < 0)
		p->day = v;
	else if (n == 4 && p->year < 0)
		p->year = v;
	else
		p->bad = true;
	return s;
}

bool date_parse(const char *text, struct date *ret)
{
	struct date out = {0, 0, false, false};
	struct parts p = {-1, -1, -1, -1, 0, 0, 0, false, false, &out};
	for (const char *s = text; *s;) {
		if (*s == '(') { /* a comment; a zone name in it counts where none came
				    yet */
			s++;
		} else if (isalpha((unsigned char)*s)) {
			s = read_word(s, &p);
		} else if (isdigit((unsigned char)*s)) {
			s = read_number(s, &p);
		} else if ((*s == '+' || *s == '-') && isdigit((unsigned char)s[1]) &&
			   p.hour >= 0) {
			s = read_zone(s, &p);
		} else {
			s++;
		}
		if (p.zone && p.year >= 0 && p.day >= 0)
			break;
	}
	if (p.bad || p.hour < 0 || p.hour > 23 || p.min > 59 || p.sec > 60)
		return false;
	if (p.year < 1970 || p.year > 2099 || p.month < 0 || p.month > 11)
		return false;
	if (p.day < 1 || p.day > days_in(p.year, p.month))
		return false;
	out.offset = p.offset;
	out.time = days_of(p.year, p.month, p.day) * 86400 + p.hour * 3600 + p.min * 60 +
		   p.sec - p.offset * 60;
	out.zone_odd = p.offset > 840 || p.offset < -840;
	*ret = out;
	return true;
}
