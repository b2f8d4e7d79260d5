/* SPDX-License-Identifier: MIT */
/* The Python interpreter, at whatever address it is put. */
#include <Python.h>

int main(int argc, char **argv)
{
	return Py_BytesMain(argc, argv);
}
