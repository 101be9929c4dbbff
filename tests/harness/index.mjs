// SPDX-License-Identifier: GPL-2.0-or-later
// What a test needs: import { Postgres, Server, ... } from '../harness/index.mjs'. README.md tells how.
export { ApiError, EventStream, api } from './api.mjs';
export { Chain, chainMails, failByTitle, kernelTree, patchText } from './chain.mjs';
export { Changes, Kept, descendants, kill9, oncePerStart, postgresAnswers, random } from './faults.mjs';
export { Inbox, header, makeMail, readMails } from './inbox.mjs';
export { Db, Postgres, TEST_SETTINGS } from './postgres.mjs';
export { BIN, Proc, TOP, hasCtags, run, tempDir } from './proc.mjs';
export { Runner, Server, Worker } from './programs.mjs';
export { ANSWERS, Smtp } from './smtp.mjs';
export { freePort, pause, waitUntil, within } from './wait.mjs';
