/* The timeline and the dependence graph of an explanation, as text and as records. */
#pragma once

#include "cli/format.h"

/* Both subjects take the setting as their item, and the explanation from the report. */
extern const struct subject subject_timeline, subject_graph; /* struct setting */
