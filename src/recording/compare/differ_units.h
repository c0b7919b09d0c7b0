/* The hosts or files (units) that differ, found from their unusual values: the causes, whether
 * other programs or chance explain the values, and the order of the units. Pure. */
#pragma once

#include "recording/compare/differ.h"

/* Sorts the unusual values fleet->odd by unit, and fills the fields of each unit that follow from
 * them. Adds the units that differ to fleet->order. fleet->usual, units_of and the facts and models
 * of the units must be filled. */
void differ_find_units(const struct compared *compared, struct differ_fleet *fleet);
