#!/bin/sh
# Every shipped lesson on this machine: each step is measured, each question has exactly one right answer, and each text fits a
# terminal of 80 columns and 24 lines. Prints the mistakes with line and column.
#
# Environment: SLEXPLORE, the program.
set -eu
slexplore=${SLEXPLORE:-./slexplore}
"$slexplore" lesson --check
