/* Shared by screen.c, which shows canvases, and screen_input.c, which reads keys. */
#pragma once

#include "ui/background.h"

/* The sequence that ends the use of the mouse, on every terminal that has one. */
extern const char input_mouse_off[];

/* Prepares ncurses to read marks of pasted text; call after newterm(). Returns the known background
 * colour of the terminal (borrowed); screen_input.c changes it when the terminal answers. */
struct background *input_open(void);
void input_close(void);
