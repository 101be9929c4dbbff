/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - the other side of `wakelist-worker --job`: one job on fd 3, then the end. */
#ifndef WL_WORKERS_CHILD_H
#define WL_WORKERS_CHILD_H

#include "base/base.h"

/* Exit status: 0 after a result or an error frame, 70 when the supervisor makes no
 * sense. */
int child_main(void);

#endif
