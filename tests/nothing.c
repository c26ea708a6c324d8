/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that ends at once: too short a life for anybody to look at. */

int main(void)
{
	return 0;
}
