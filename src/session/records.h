/* The JSON records of measurements: what --format json prints, what a recording holds, and what a replay reads back. One place for
 * the names of fields.
 *
 * A record is one object on one line of at most RECORD_MOST bytes, its newline included. What would be longer goes into further
 * records with the sample's id:
 *
 *   sample     one setting's figure                                       (as the manual's FORMATS has it)
 *   counters   "id", "events": [[NAME, ROLE, VALUE, LO, HI, STATE], …]    some of a sample's counts
 *   trials     "id", "trials": [[CPE, GHZ, WATCH, TURNS, AT, FATE, CHECK], …]   some of its raw trials; recordings alone
 *   limits, ports, insn                                                   what explains it
 *
 * A recording begins with a record "recording": format version, machine, core model, and what else replay needs of the place. */
#ifndef SLX_SESSION_RECORDS_H
#define SLX_SESSION_RECORDS_H

enum { RECORD_MOST = 1000 };

/* Version of the recording format that this program writes; it reads this and older ones. */
enum { RECORDING_VERSION = 1 };

#endif
