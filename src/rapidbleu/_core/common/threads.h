/* Threads that run at the same time: whether this interpreter has no global lock.
 *
 * Under the lock, code that neither runs Python code nor gives the lock away is one step for all
 * threads.  Free-threaded Python has no such steps.  What takes their place there, and costs nothing
 * elsewhere:
 *
 * * Most objects never change once they are made, and need nothing.
 * * A method that changes or reads an object which can change is a critical section of that object
 *   (`cython.critical_section`).  It is given up wherever the lock would be, so the rule of the lock
 *   holds for one object: nothing may be taken for granted across Python code and `with nogil`.
 * * Of a list that a caller hands in, the items are read from a tuple (`unshared`).
 * * The memory of arrays is read through the buffer protocol, which holds on to it.
 *
 * Numbers in an array that another thread writes to meanwhile may be old or new ones, on any
 * interpreter; kernels take each of them for what it was when they checked it. */
#ifndef RAPIDBLEU_COMMON_THREADS_H
#define RAPIDBLEU_COMMON_THREADS_H

#include "Python.h"

#ifdef Py_GIL_DISABLED
#define RB_FREE_THREADED 1
#else
#define RB_FREE_THREADED 0
#endif

#endif
