// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_number.c - numbers as people print them. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>

static size_t digits(const char *p)
{
	size_t n = 0;

	while (isdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* ",dd" once or more and ",ddd": 1,06,49,615. */
static size_t lakhs(const char *p)
{
	size_t n = 0;

	while (p[n] == ',' && digits(p + n + 1) == 2)
		n += 3;
	return n && p[n] == ',' && digits(p + n + 1) == 3 ? n + 4 : 0;
}

/* ",ddd" or "'ddd" once or more, and no digit behind. */
static size_t thousands(const char *p)
{
	size_t n = 0;

	while ((p[n] == ',' || p[n] == '\'') && p[n] == *p && digits(p + n + 1) == 3)
		n += 4;
	return n ? n : lakhs(p);
}

const char *cl_number(const char *p, bool comma, double *ret, bool *whole)
{
	char copy[48];
	size_t n = 0, k, groups;
	bool point = false;

	*whole = true;
	if (*p == '+' || *p == '-') {
		copy[n++] = *p++;
		*whole = false;
	}
	k = digits(p);
	if (k > 24 || (k == 0 && (p[0] != '.' || !isdigit((unsigned char)p[1]))))
		return NULL;
	memcpy(copy + n, p, k);
	n += k;
	p += k;
	groups = (!comma || *p == '\'') && k <= 3 ? thousands(p) : 0;
	if (groups && p[groups] == ',') /* "1,000,00" */
		groups = 0;
	for (; groups; groups--, p++)
		if (*p != ',' && *p != '\'' && n + 20 < sizeof(copy))
			copy[n++] = *p;
	if ((*p == '.' || (comma && *p == ',')) && isdigit((unsigned char)p[1])) {
		k = digits(p + 1);
		*whole = false;
		point = true;
		copy[n++] = '.';
		for (size_t i = 0; i < k && n + 8 < sizeof(copy); i++)
			copy[n++] = p[1 + i];
		p += 1 + k;
	} else if (*p == '.' && (p[1] == 0 || p[1] == ' ' || p[1] == '\t') && k) {
		return NULL; /* "12." ends a sentence or numbers a list */
	}
	if ((*p == 'e' || *p == 'E') && (p[1] == '+' || p[1] == '-') &&
		digits(p + 2) >= 1 && digits(p + 2) <= 3) {
		k = 2 + digits(p + 2);
		memcpy(copy + n, p, k);
		n += k;
		p += k;
		*whole = false;
	} else if (point && (*p == 'e' || *p == 'E') && digits(p + 1) >= 1 &&
		   digits(p + 1) <= 2 && !isalpha((unsigned char)p[1 + digits(p + 1)])) {
		/* "1.0e6"; "1e6" may be part of a hash */
		k = 1 + digits(p + 1);
		memcpy(copy + n, p, k);
		n += k;
		p += k;
	}
	copy[n] = 0;
	*ret = strtod(copy, NULL);
	return isfinite(*ret) ? p : NULL;
}

bool cl_comma_is_point(const char *text)
{
	for (const char *p = text; (p = strchr(p, ',')); p++) {
		size_t n = digits(p + 1);
		bool inside = p > text && isdigit((unsigned char)p[-1]);

		if (inside && n && n != 3 && p[1 + n] != ',' && p[1 + n] != '.')
			return true;
	}
	return false;
}
