/* Reads the comment in a source file that describes the data and the knobs of an own loop.
 *
 * The description of the data is one line in a comment, anywhere in the file. Several lines of a
 * comment together describe the data; each of them begins with "slexplore:".
 *
 *     slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64) knob unroll=1..8
 *
 * Blanks between the tokens of the description are ignored. Each word of the description may occur
 * once:
 *   - a= to z=, without n=: the data of one argument of loop(). A description has one of these
 *     forms:
 *     - TYPE[COUNT]: an array of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, all 0 (1.0 for f32 and f64)
 *     - TYPE[COUNT]:NUMBER: every element has this value: 7, -1.5, 1e-3
 *     - TYPE[COUNT]:random(COUNT): random whole numbers from 0 to COUNT-1; f32 and f64: random
 *       numbers from 0 to below COUNT
 *     - TYPE[COUNT]:random(LOW..HIGH): random numbers from LOW to HIGH, which may be negative
 *     - TYPE[COUNT]:random: any value of the type; f32 and f64: from 0 to 1
 *     - TYPE[COUNT]:zipf(COUNT,S): whole numbers from 0 to COUNT-1; k is (k+1)^-S times as frequent
 *       as 0. Without S: S is 1
 *     - TYPE[COUNT]:P%: P % of the elements are 1, the others 0
 *     - TYPE[COUNT]:index: 0, 1, 2, ...
 *     - TYPE[COUNT]:permutation: each index of the array once. Following the permutation (i = a[i])
 *       visits every element before the walk returns to the first element. A permutation requires
 *       an integer type
 *     - list(COUNT,SPACING): a linked list of COUNT nodes. Nodes are SPACING bytes apart (a
 *       multiple of 8). Each node begins with the pointer to the next node (NULL in the last node);
 *       its other bytes are 0. The order of the nodes is random, or sequential with
 *       list(COUNT,SPACING,sequential)
 *     - strings(COUNT,LOW..HIGH), strings(COUNT,LENGTH): an array of COUNT pointers to strings of
 *       random letters
 *     After any of these: ",sorted" and ",reversed" order random values and an index; ",align=64"
 *     and ",offset=8" place the array in memory
 *   - elements=COUNT: number of elements, for results per element; it is n if this word is missing
 *   - n=NUMBER: initial value of the knob n; the default (own_choose_n()) keeps all arrays together
 *     in the first-level cache, where possible
 *   - multiple=NUMBER: both n and n/2 are multiples of this number
 *   - cflags=-O3: compiler flags; with blanks: cflags="-O3 -march=native". Several sets of flags:
 *     cflags=-O2,"-O3 -march=native"
 *   - knob NAME=1..8: a knob whose value the compiler receives as the macro -DNAME=4. The values of
 * a knob may be a list of numbers or words: knob width=1,2,4, knob type=float,double. 8..64*2 is
 * the list 8,16,32,64. The first value of a knob is its initial value. The word knob may occur
 * several times, with other names
 *
 * COUNT is n, K*n, n/K or one of them + K, or a whole number. */
#pragma once

#include "base/status.h"
#include "engine/own/own_data.h"

/* Reads the description of an own loop's data from a source file's text. Fails with STATUS_USAGE.
 * An error message begins with `origin` (the file's name), the line and the column of the mistake
 * ("mine.c:3:18: …"), shows the wrong word, and says what is expected. */
struct status own_describe(
	const char *text, const char *origin, struct own_description *description);

/* Bytes of all arrays together at the initial n, for a first-level cache of unknown size. */
enum { OWN_BYTES_USUAL = 16 << 10 };

/* Sets the initial n: the n of the comment, or the largest default with which all arrays together
 * have at most `bytes` bytes. own_describe() uses OWN_BYTES_USUAL. */
void own_choose_n(struct own_description *description, uint64_t bytes);

/* Reads sets of compiler flags, separated by commas: "-O2,-O3 -march=native". A comma separates two
 * sets only if a dash follows, so that "-Wl,-z,now" and "-DX=1,2" remain one set each. */
struct status own_read_flags(const char *text, struct own_knob *cflags);

/* Adds sets of compiler flags to the values of the knob cflags, unless they are among them. */
struct status own_add_flags(const struct own_knob *given, struct own_knob *cflags);
