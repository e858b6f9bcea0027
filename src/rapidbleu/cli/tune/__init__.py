"""The tuning command.

BLAS gets one thread, unless it is loaded already or the caller sets the number: SciPy's solver
multiplies matrices of ten columns, which more threads do not speed up, and on a busy machine it
waits for them several times as long as the rest of the tuning takes. The modules of this package
load NumPy, and BLAS reads the variable then.
"""

import os
import sys

if "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
