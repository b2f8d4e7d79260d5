/* SPDX-License-Identifier: MIT */
/* What the library must bring along for the code that compilers make: nothing here. */
#pragma once
